"""Special-token strings that stand in the text itself."""

import pyarrow as pa

from dataaudit.kernels.patterns import count_occurrences, trie
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, signal


@signal(unit="occurrences", source="openai/tiktoken, disallowed_special")
def special_token_count(batch: DocumentBatch) -> pa.Array:
    """Occurrences of special-token strings, such as <|endoftext|>, in the text.

    Of the tokenizer's special tokens and the strings that the config names; the longest at each place, none overlapping
    another, byte for byte. 0 when no such strings are known. A tokenizer that takes them for tokens ends the document
    there.
    """
    return count(count_occurrences(batch.data, batch.offsets, trie(batch.special_strings)))
