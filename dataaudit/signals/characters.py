"""What a document's characters are: letters, symbols, controls, scripts, and how varied."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.characters import CharacterVariety, count_classes, variety
from dataaudit.kernels.mojibake import count_mojibake
from dataaudit.kernels.unicode import categories, characters, having, scripts
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.views import decoded, null_where

UNICODE = "Unicode general categories, pinned version"
POST_MORTEM = "post-mortem of an fp16 fine-tune that went to NaN"
EMPTY = "the text is empty"


def class_counts(batch: DocumentBatch) -> NDArray[np.int64]:
    """Returns int64[classes, rows]: characters of each Unicode class."""
    return count_classes(batch.once(decoded))


def of_classes(batch: DocumentBatch, classes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns int64[rows]: characters of these Unicode classes."""
    total: NDArray[np.int64] = batch.once(class_counts)[classes].sum(axis=0)
    return total


def _variety(batch: DocumentBatch) -> CharacterVariety:
    return variety(batch.once(decoded))


def _char_counts(batch: DocumentBatch) -> NDArray[np.int64]:
    return np.diff(batch.once(decoded).offsets)


def _class_ratio(batch: DocumentBatch, classes: NDArray[np.bool_]) -> pa.Array:
    return ratio(of_classes(batch, classes), batch.once(_char_counts))


@signal(unit="ratio", source=f"{POST_MORTEM}; Data-Juicer, arXiv:2309.02033, redefined", null=EMPTY)
def special_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are no letter, mark, number or white space.

    Unicode categories other than L, M and N. Data-Juicer looks characters up in a list of its own; the post-mortem used
    ``str.isalnum``, which takes the combining marks of Thai, Hindi or decomposed Vietnamese for special characters.
    """
    return _class_ratio(batch, ~categories("L M N") & ~having("is_space"))


@signal(unit="ratio", source=POST_MORTEM, null=EMPTY)
def non_alnum_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are neither ``str.isalnum`` nor ``str.isspace``.

    The post-mortem's own formula. Combining marks count, so use special_char_ratio for text in any language.
    """
    return _class_ratio(batch, ~having("is_alnum") & ~having("is_space"))


@signal(unit="characters", source=POST_MORTEM)
def alnum_char_count(batch: DocumentBatch) -> pa.Array:
    """Letters and numbers in the text (Unicode L and N).

    0 in a text that is not empty means punctuation only.
    """
    return count(of_classes(batch, having("is_alnum")))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def alpha_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are letters of any script (Unicode L)."""
    return _class_ratio(batch, categories("L"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def digit_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are decimal digits of any script (Unicode Nd)."""
    return _class_ratio(batch, categories("Nd"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def whitespace_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are white space, as ``str.isspace`` has it."""
    return _class_ratio(batch, having("is_space"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def uppercase_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are upper-case letters (Unicode Lu)."""
    return _class_ratio(batch, categories("Lu"))


@signal(unit="ratio", source="Unicode blocks and scripts, pinned", null=EMPTY)
def cjk_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters in Chinese, Japanese or Korean script.

    Han, Hiragana, Katakana, Bopomofo and Hangul; their punctuation does not count.
    """
    return _class_ratio(batch, scripts("Han Hiragana Katakana Bopomofo Hangul"))


@signal(unit="ratio", source="Unicode blocks and scripts, pinned", null=EMPTY)
def unspaced_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters in scripts written without spaces between words.

    Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar: where each character is a word of its own, and limits made
    for words between spaces do not apply. Korean is not among them.
    """
    return _class_ratio(batch, scripts("Han Hiragana Katakana Thai Lao Khmer Myanmar"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def symbol_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are symbols (Unicode S)."""
    return _class_ratio(batch, categories("S"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def punct_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are punctuation (Unicode P)."""
    return _class_ratio(batch, categories("P"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def control_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are control characters.

    Unicode Cc without tab, LF and CR; NUL and the leftovers of binary files.
    """
    return _class_ratio(batch, categories("Cc") & ~characters("\t\n\r"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def format_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are invisible format characters.

    Unicode Cf: zero-width spaces and joiners, text direction, soft hyphen, byte order mark. Persian, Indic scripts and
    emoji need some of them.
    """
    return _class_ratio(batch, categories("Cf"))


@signal(unit="ratio", source=UNICODE, null=EMPTY)
def private_use_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters whose meaning is private to a font (Unicode Co)."""
    return _class_ratio(batch, categories("Co"))


@signal(unit="ratio", source="Unicode, U+FFFD", null=EMPTY)
def replacement_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are U+FFFD, which stands for undecodable bytes."""
    return _class_ratio(batch, characters("\ufffd"))


@signal(unit="ratio", source="Unicode Technical Standard 51", null=EMPTY)
def emoji_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are emoji.

    Code points with Emoji_Presentation and the pictures of the symbol and pictograph blocks. An emoji of several
    code points counts each picture in it, not the joiners and variation selectors.
    """
    return _class_ratio(batch, having("is_emoji"))


@signal(unit="ratio", source="definition in the docstring", null=EMPTY)
def mojibake_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that come from reading bytes in a wrong encoding.

    Those inside UTF-8 read as Latin-1 or Windows-1252 (U+00C2-DF, E0-EF or F0-F4 followed by one, two or three
    characters that stand for bytes 80-BF), each 锟斤拷, and runs of three or more 烫 or 屯. ftfy repairs more kinds;
    this counts what is certain. Rare correct text matches too, such as É before ».
    """
    return ratio(count_mojibake(batch.once(decoded)), batch.once(_char_counts))


@signal(unit="ratio", source=POST_MORTEM, null=EMPTY)
def unique_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Different characters over all characters.

    It falls with the length of any text; unique_char_ratio_500 does not.
    """
    return ratio(batch.once(_variety).distinct, batch.once(_char_counts))


@signal(unit="ratio", source=f"{POST_MORTEM}, made independent of length", null=EMPTY)
def unique_char_ratio_500(batch: DocumentBatch) -> pa.Array:
    """Different characters over all characters, mean over windows of 500.

    Windows follow one another without overlap; what is left after the last whole one is left out, and a text of fewer
    than 500 characters is one window.
    """
    found = batch.once(_variety)
    return ratio(found.window_distinct, found.window_characters)


@signal(unit="bits per character", source="Shannon 1948", maximum=20.1, null=EMPTY)
def char_entropy_bits(batch: DocumentBatch) -> pa.Array:
    """Shannon entropy of the text's characters.

    0 when all are the same; about 4.3 in English prose, 8-10 in long Chinese.
    """
    return null_where(batch.once(_char_counts) == 0, batch.once(_variety).entropy_bits)


@signal(unit="characters", source=POST_MORTEM, null=EMPTY, minimum=1)
def longest_char_run(batch: DocumentBatch) -> pa.Array:
    """Longest run of one character."""
    return null_where(batch.once(_char_counts) == 0, batch.once(_variety).longest_run)
