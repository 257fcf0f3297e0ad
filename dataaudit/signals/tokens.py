"""The token ids of a document: how many, which, and whether they repeat with a period."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.hashtable import PREFIX_LIMIT
from dataaudit.kernels.periodic import Periodic, periodic_runs
from dataaudit.kernels.token_places import contents
from dataaudit.kernels.tokens import (
    IS_BYTE_FALLBACK,
    IS_DIGIT,
    IS_HOLE,
    IS_SPECIAL,
    IdCounts,
    distinct_ids,
    id_counts,
    largest_ids,
    plain_ids,
)
from dataaudit.signals.batch import NO_SPECIAL_IDS, DocumentBatch
from dataaudit.signals.signal import count, ratio, signal

COUNTED = "counted exactly"
OLMO = "OLMo 2, arXiv:2501.00656 section 3.1; OLMo-core find_periodic_sequences"
MAGIKARP = "Land and Bartolo 2024, arXiv:2405.05417"
NO_TOKENS = "the document has no tokens"


def token_ids(batch: DocumentBatch) -> NDArray[Any]:
    """Returns the batch's ids as uint32; as int64 where one is negative or takes more than 32 bits.

    Kernels are compiled for these two, and once more for arrays that cannot be written, as Arrow's are: never those.
    """
    assert batch.ids is not None, "a signal that needs tokens was measured on a batch without them"
    return plain_ids(batch.ids)


def token_offsets(batch: DocumentBatch) -> NDArray[np.int64]:
    """Returns where each document starts in the batch's ids; a copy, as with ``token_ids``."""
    assert batch.id_offsets is not None, "a signal that needs tokens was measured on a batch without them"
    return np.array(batch.id_offsets, np.int64)


def token_lengths(batch: DocumentBatch) -> NDArray[np.int64]:
    """Returns the number of tokens of each document."""
    return np.diff(token_offsets(batch))


def _id_counts(batch: DocumentBatch) -> IdCounts:
    vocabulary = batch.vocabulary
    assert vocabulary is not None, "a signal that requires a vocabulary was measured on a batch without one"
    facts = (
        ~vocabulary.in_use * np.uint8(IS_HOLE)
        | vocabulary.is_digit * np.uint8(IS_DIGIT)
        | vocabulary.is_byte_fallback * np.uint8(IS_BYTE_FALLBACK)
        | vocabulary.is_special * np.uint8(IS_SPECIAL)
    )
    return id_counts(token_offsets(batch), batch.once(token_ids), facts, vocabulary.unk_id)


def content_spans(batch: DocumentBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns where the documents start and stop in the batch's ids without padding, two int64[rows]."""
    special = batch.special_ids or NO_SPECIAL_IDS
    return contents(token_offsets(batch), batch.once(token_ids), special.bos, special.eos, special.pad)


def _periodic(batch: DocumentBatch) -> Periodic:
    offsets, ids = token_offsets(batch), batch.once(token_ids)
    if batch.pad_id is None:
        return periodic_runs(offsets, ids)
    starts, stops = batch.once(content_spans)
    # What lies between two documents without their padding is looked at as a document that nobody asks for.
    apart = np.append(np.stack([starts, stops], axis=1).ravel(), len(ids))
    times, periods, places = (column[: 2 * batch.rows : 2] for column in periodic_runs(apart, ids))
    return Periodic(times, periods, places + starts - offsets[:-1])


@signal(unit="tokens", source=COUNTED, needs="tokens")
def token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens.

    Ids of the run's tokenizer, without special tokens unless the config adds them; in tokenised input, the ids as they
    are.
    """
    return count(token_lengths(batch))


@signal(unit="id", source=COUNTED, needs="tokens", minimum=None, null=NO_TOKENS)
def max_token_id(batch: DocumentBatch) -> pa.Array:
    """Largest token id."""
    return pa.array(largest_ids(token_offsets(batch), batch.once(token_ids)), mask=token_lengths(batch) == 0)


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("vocabulary",))
def hole_token_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens whose id the tokenizer has no token for.

    Holes in the tokenizer's ids, and ids outside them. The embedding may have a row for such an id, never trained.
    """
    return count(batch.once(_id_counts).holes)


@signal(unit="ratio", source=COUNTED, needs="tokens", requires=("vocabulary",), null=NO_TOKENS)
def unk_token_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the tokens that are the unknown token; 0 when the tokenizer has none."""
    return ratio(batch.once(_id_counts).unknowns, token_lengths(batch))


@signal(unit="ratio", source=MAGIKARP, needs="tokens", requires=("vocabulary",), null=NO_TOKENS)
def byte_fallback_token_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the tokens that stand for one raw byte, for want of a token for the character."""
    return ratio(batch.once(_id_counts).byte_fallbacks, token_lengths(batch))


@signal(unit="tokens", source=COUNTED, needs="tokens", requires=("vocabulary",))
def special_id_count(batch: DocumentBatch) -> pa.Array:
    """Number of tokens that are special ones of the tokenizer, added ones included.

    Beside special_token_count, which counts their texts, it tells whether such text was encoded as the token.
    """
    return count(batch.once(_id_counts).specials)


@signal(unit="ratio", source=COUNTED, needs="tokens", null=NO_TOKENS)
def unique_token_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of distinct ids among the tokens; of the first 4,194,304 tokens in a longer document."""
    distinct = distinct_ids(token_offsets(batch), batch.once(token_ids))
    return ratio(distinct, np.minimum(token_lengths(batch), PREFIX_LIMIT))


@signal(unit="ratio", source=COUNTED, needs="tokens", requires=("vocabulary",), null=NO_TOKENS)
def digit_token_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the tokens that are digits only, apart from white space (Unicode Nd)."""
    return ratio(batch.once(_id_counts).digits, token_lengths(batch))


@signal(unit="repeats", source=OLMO, needs="tokens", minimum=1, version=2)
def periodic_token_repeat(batch: DocumentBatch) -> pa.Array:
    """Most times that a span of 1 to 13 tokens stands in a row.

    Whole repeats of the period in the longest run of tokens that each equal the one a period before; 1 when no span
    stands three times in a row. Periods are at most a third of the document. OLMo drops documents with 32 or more.
    Equal to OLMo-core's function; an id of −1, on which that one stops, is an id like any other. Padding at the ends of
    given ids (``model.pad_id`` at the time of the audit) is left out.
    """
    return count(batch.once(_periodic).times)


@signal(unit="tokens", source=OLMO, needs="tokens", null="no span stands three times in a row", version=2)
def periodic_token_start(batch: DocumentBatch) -> pa.Array:
    """Index of the first token of the run that periodic_token_repeat measures."""
    found = batch.once(_periodic)
    return pa.array(found.start, pa.int64(), mask=found.period == 0)


@signal(
    unit="tokens",
    source=OLMO,
    needs="tokens",
    minimum=1,
    maximum=13,
    null="no span stands three times in a row",
    version=2,
)
def periodic_token_period(batch: DocumentBatch) -> pa.Array:
    """Length of the span whose repeats periodic_token_repeat counts; the shortest on ties."""
    found = batch.once(_periodic)
    return pa.array(found.period, pa.int64(), mask=found.period == 0)
