"""The token ids of a document against the whole corpus and the model; measured in the second pass."""

import numpy as np
import pyarrow as pa

from dataaudit.kernels.tokens import Rarity, rarity
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.token_faults import out_of_range
from dataaudit.signals.tokens import COUNTED, NO_TOKENS, token_ids, token_lengths, token_offsets

RARE_BELOW = 100
"""An id that the corpus holds fewer times than this is rare."""


def _rarity(batch: DocumentBatch) -> Rarity:
    assert batch.pooled_counts is not None, "a second-pass signal was measured without the corpus's token counts"
    return rarity(token_offsets(batch), batch.once(token_ids), batch.pooled_counts, RARE_BELOW)


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("embedding_rows",))
def oov_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens that the model's embedding table has no row for.

    Ids below 0, or at or above the number of rows. One such id ends a training run, or trains on garbage.
    """
    return count(batch.once(out_of_range).counts)


@signal(unit="tokens", source=COUNTED, needs="pooled", requires=("max_length",))
def truncated_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens past the model's context length, which a trainer that cuts would lose."""
    assert batch.max_length is not None
    return count(np.maximum(token_lengths(batch) - batch.max_length, 0))


@signal(
    unit="ratio",
    source="Land and Bartolo 2024, arXiv:2405.05417",
    needs="pooled",
    requires=("pooled_counts",),
    null=NO_TOKENS,
)
def rare_token_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the tokens whose id occurs fewer than 100 times in the corpus.

    Ids outside the table of counts, negative ones too, are rare.
    """
    return ratio(batch.once(_rarity).rare, token_lengths(batch))


@signal(
    unit="bits",
    source="Shannon 1948; cross-entropy with the corpus's own unigrams",
    needs="pooled",
    requires=("pooled_counts",),
    null="no token of the document is in the corpus's counts",
)
def token_surprisal_bits(batch: DocumentBatch) -> pa.Array:
    """Mean surprisal of the tokens under the corpus's token shares, in bits a token.

    The mean of −log2(count of the id / tokens of the corpus), document itself included. Tokens whose id has no count
    (outside the table) have no share and are left out of the mean; rare_token_ratio counts them.
    """
    found = batch.once(_rarity)
    undefined = found.known == 0
    bits = np.divide(found.bits, found.known, out=np.zeros(batch.rows), where=~undefined)
    return pa.array(bits, mask=undefined)
