"""Text that repeats within its own document: lines, paragraphs, word n-grams, character n-grams."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.copies import Copies, extra_copies
from dataaudit.kernels.hashtable import PREFIX_LIMIT
from dataaudit.kernels.lines import Lines
from dataaudit.kernels.ngrams import CharacterNgrams, WordNgrams, character_ngrams, word_ngrams
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import Signal, ratio, signal
from dataaudit.signals.views import decoded, lines_of, paragraphs_of, words_of

GOPHER = "Gopher, arXiv:2112.11446, table A1"
FINEWEB = "FineWeb, arXiv:2406.17557; datatrove fineweb_quality_filter.py"
REDPAJAMA = "RedPajama-V2 quality_signals/repetitions.py"
DATA_JUICER = "Data-Juicer, arXiv:2309.02033"

NO_LINES = "every line is blank"
NO_PARAGRAPHS = "every paragraph is blank"
NO_WORDS = "no word has a letter or a number"
NO_CHARACTERS = "the text is empty"


class _Segments(NamedTuple):
    """Copies among the lines or paragraphs of each document, and how far the text was looked at.

    Attributes:
        copies: what was found.
        stops: int64[docs], index in the decoded characters of the end of the text that was looked at.
        characters: int64[docs], characters up to there; 0 when there are no segments.
    """

    copies: Copies
    stops: NDArray[np.int64]
    characters: NDArray[np.int64]


def _segments(batch: DocumentBatch, lines: Lines) -> _Segments:
    copies = extra_copies(lines.offsets, lines.hashes, lines.stops - lines.starts)
    offsets = batch.once(decoded).offsets
    stops = offsets[1:].copy()
    cut = np.flatnonzero(np.diff(lines.offsets) > PREFIX_LIMIT)
    stops[cut] = lines.stops[lines.offsets[cut] + PREFIX_LIMIT - 1]
    return _Segments(copies, stops, np.where(copies.segments > 0, stops - offsets[:-1], 0))


def _lines(batch: DocumentBatch) -> _Segments:
    return _segments(batch, batch.once(lines_of))


def _paragraphs(batch: DocumentBatch) -> _Segments:
    return _segments(batch, batch.once(paragraphs_of))


def _word_ngrams(batch: DocumentBatch) -> WordNgrams:
    words = batch.once(words_of)
    return word_ngrams(words.offsets, words.norm_hashes, words.norm_lengths)


def _character_ngrams(batch: DocumentBatch) -> CharacterNgrams:
    characters = batch.once(decoded)
    return character_ngrams(characters.offsets, characters.codepoints)


@signal(unit="ratio", source=GOPHER, null=NO_LINES)
def dup_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the lines that repeat an earlier line of the document.

    The first copy does not count (variant datatrove). Lines are compared without the white space at their ends, and
    blank ones are left out; datatrove compares them as they stand, so that an indented copy is no copy there, and keeps
    lines of spaces. Of a document of more than 4,194,304 lines only the first so many are looked at.
    """
    found = batch.once(_lines).copies
    return ratio(found.copies, found.segments)


@signal(unit="ratio", source=GOPHER, null=NO_LINES)
def dup_line_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the characters that lie in lines which repeat an earlier line.

    Over all characters of the text, white space and line breaks included (variant datatrove). Lines as in
    dup_line_ratio: compared, and their characters counted, without the white space at their ends, which datatrove
    compares and counts.
    """
    found = batch.once(_lines)
    return ratio(found.copies.copy_characters, found.characters)


@signal(unit="ratio", source=FINEWEB, null=NO_LINES)
def dup_line_char_ratio_fineweb(batch: DocumentBatch) -> pa.Array:
    """Share of the characters in repeated lines, line breaks left out.

    The same as dup_line_char_ratio over the characters that are not LF, as FineWeb's filter has it; but that compares
    and counts lines with the white space at their ends.
    """
    found = batch.once(_lines)
    text = batch.once(decoded)
    breaks = np.flatnonzero(text.codepoints == ord("\n"))
    passed = np.searchsorted(breaks, found.stops) - np.searchsorted(breaks, text.offsets[:-1])
    return ratio(found.copies.copy_characters, np.where(found.characters > 0, found.characters - passed, 0))


@signal(unit="ratio", source=GOPHER, null=NO_PARAGRAPHS)
def dup_paragraph_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the paragraphs that repeat an earlier paragraph of the document.

    The first copy does not count (variant datatrove). Blank paragraphs are left out. Of a document of more than
    4,194,304 paragraphs only the first so many are looked at.
    """
    found = batch.once(_paragraphs).copies
    return ratio(found.copies, found.segments)


@signal(unit="ratio", source=GOPHER, null=NO_PARAGRAPHS)
def dup_paragraph_char_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the characters that lie in paragraphs which repeat an earlier one.

    Over all characters of the text (variant datatrove); paragraphs as in dup_paragraph_ratio.
    """
    found = batch.once(_paragraphs)
    return ratio(found.copies.copy_characters, found.characters)


def _top_ngram(n: int) -> Signal:
    def measure(batch: DocumentBatch) -> pa.Array:
        found = batch.once(_word_ngrams)
        return ratio(np.minimum(found.top_characters[:, n], found.characters), found.characters)

    measure.__name__ = f"top_{n}gram_char_ratio"
    measure.__doc__ = f"""Share of the characters that the most common word {n}-gram takes up.

    Characters of that n-gram's words times its count, over the characters of all words; 0 when no {n}-gram occurs
    twice; the first seen wins on ties (variant rpv2). Words are lower-cased, without punctuation, those left empty
    taken out. Occurrences may overlap ("a a a a" holds "a a" three times): RedPajama's value then passes 1, ours is
    cut to 1. datatrove counts spaces, and n-grams that occur once. Only the first 4,194,304 words are looked at.
    """
    return signal(unit="ratio", source=f"{GOPHER}; {REDPAJAMA}", null=NO_WORDS)(measure)


def _dup_ngram(n: int) -> Signal:
    def measure(batch: DocumentBatch) -> pa.Array:
        found = batch.once(_word_ngrams)
        return ratio(found.covered_characters[:, n], found.characters)

    measure.__name__ = f"dup_{n}gram_char_ratio"
    measure.__doc__ = f"""Share of the characters that lie in word {n}-grams which occur more than once.

    Every word that is part of such an n-gram counts once, the first copy included, over the characters of all words
    (variant rpv2); 0 in a document of fewer than {n} words. Words are lower-cased, without punctuation, those left
    empty taken out. datatrove leaves out the first copy and jumps over what it has counted; dolma sums overlapping
    n-grams. Only the first 4,194,304 words are looked at.
    """
    return signal(unit="ratio", source=f"{GOPHER}; {REDPAJAMA}", null=NO_WORDS)(measure)


def _word_ngram_rep(n: int) -> Signal:
    def measure(batch: DocumentBatch) -> pa.Array:
        found = batch.once(_word_ngrams)
        places = np.maximum(found.words - n + 1, np.minimum(found.words, 1))
        return ratio(found.repeated[:, n], places)

    measure.__name__ = f"word_{n}gram_rep_ratio"
    measure.__doc__ = f"""Share of the word {n}-grams that occur more than once in the document.

    All their occurrences over all {n}-grams of the document, overlapping ones included; 0 in a document of fewer than
    {n} words. Data-Juicer takes its tokenizer's words and strips its own set of special characters; here words are
    those of the n-gram signals. Only the first 4,194,304 words are looked at.
    """
    return signal(unit="ratio", source=DATA_JUICER, null=NO_WORDS)(measure)


top_2gram_char_ratio = _top_ngram(2)
top_3gram_char_ratio = _top_ngram(3)
top_4gram_char_ratio = _top_ngram(4)
dup_5gram_char_ratio = _dup_ngram(5)
dup_6gram_char_ratio = _dup_ngram(6)
dup_7gram_char_ratio = _dup_ngram(7)
dup_8gram_char_ratio = _dup_ngram(8)
dup_9gram_char_ratio = _dup_ngram(9)
dup_10gram_char_ratio = _dup_ngram(10)
word_2gram_rep_ratio = _word_ngram_rep(2)
word_10gram_rep_ratio = _word_ngram_rep(10)


@signal(unit="ratio", source=DATA_JUICER, null=NO_CHARACTERS)
def char_10gram_rep_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of the character 10-grams that are among the most repeated ones.

    Of the distinct 10-grams, those that occur more than once, most frequent first, at most the square root of the
    number of distinct ones: their occurrences over all 10-grams. 0 in a text of fewer than 10 characters. Same as
    Data-Juicer, except that only the first 4,194,304 characters are looked at.
    """
    found = batch.once(_character_ngrams)
    empty = np.diff(batch.once(decoded).offsets) == 0
    return ratio(found.top, np.where(empty, 0, np.maximum(found.ngrams, 1)))
