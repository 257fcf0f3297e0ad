"""Special-token strings that stand in the text itself."""

import numpy as np
import pyarrow as pa

from dataaudit.kernels.patterns import count_matches, trie
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, signal


@signal(unit="occurrences", source="openai/tiktoken, disallowed_special")
def special_token_count(batch: DocumentBatch) -> pa.Array:
    """Occurrences of special-token strings, such as <|endoftext|>, in the text.

    Of the tokenizer's special tokens and the strings that the config names; the longest at each place, none overlapping
    another, byte for byte. 0 when no such strings are known. A tokenizer that takes them for tokens ends the document
    there.
    """
    one_group = np.zeros(len(batch.special_strings), np.int64)
    return count(count_matches(batch.data, batch.offsets, trie(batch.special_strings), one_group).occurrences[0])
