"""How long a document is, and how much text a token stands for."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.views import decoded, lines_of, paragraphs_of, words_of

COUNTED = "a count"
FERTILITY = "tokenizer fertility, arXiv:2012.15613"


@signal(unit="characters", source=COUNTED)
def char_count(batch: DocumentBatch) -> pa.Array:
    """Characters in the text.

    A character is a Unicode code point; nothing is normalised or stripped before.
    """
    return count(np.diff(batch.once(decoded).offsets))


@signal(unit="bytes", source=COUNTED)
def byte_count(batch: DocumentBatch) -> pa.Array:
    """Bytes of the text in UTF-8."""
    return count(np.diff(batch.offsets))


@signal(unit="words", source="Gopher, arXiv:2112.11446, appendix A.1")
def word_count(batch: DocumentBatch) -> pa.Array:
    """Words in the text.

    A word is what white space separates, except that in scripts written without spaces (Han, Hiragana, Katakana,
    Thai, Lao, Khmer, Myanmar) each character with its marks is one, and punctuation between such characters is none.
    Gopher counts white-space words; datatrove counts those of a tokenizer for the language, without symbols.
    """
    return count(np.diff(batch.once(words_of).offsets))


@signal(unit="lines", source=COUNTED)
def line_count(batch: DocumentBatch) -> pa.Array:
    """Lines in the text that are not blank.

    Only LF and CR LF end a line, unlike ``str.splitlines``, which datatrove uses and which knows ten more.
    Signals about lines see them without the white space at their ends: an indented copy of a line is a copy.
    """
    return count(np.diff(batch.once(lines_of).offsets))


@signal(unit="paragraphs", source=COUNTED)
def paragraph_count(batch: DocumentBatch) -> pa.Array:
    """Paragraphs in the text: what two or more line ends in a row separate.

    Paragraphs of only white space are left out; datatrove counts them, and one paragraph in an empty text.
    """
    return count(np.diff(batch.once(paragraphs_of).offsets))


@signal(unit="characters per token", source=FERTILITY, needs="tokens", requires=("text",), null="there are no tokens")
def chars_per_token(batch: DocumentBatch) -> pa.Array:
    """Characters of the text for each of its tokens.

    Far from the corpus's usual value it points at tables, minified code or a wrong encoding.
    """
    return ratio(np.diff(batch.once(decoded).offsets), _token_lengths(batch))


@signal(unit="bytes per token", source=FERTILITY, needs="tokens", requires=("text",), null="there are no tokens")
def bytes_per_token(batch: DocumentBatch) -> pa.Array:
    """UTF-8 bytes of the text for each of its tokens."""
    return ratio(np.diff(batch.offsets), _token_lengths(batch))


def _token_lengths(batch: DocumentBatch) -> NDArray[np.int64]:
    assert batch.id_offsets is not None
    return np.diff(batch.id_offsets)
