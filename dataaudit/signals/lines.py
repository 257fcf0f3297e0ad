"""What a document's lines are like. Lines as line_count defines them: stripped, and not blank."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.line_statistics import LineStatistics, line_statistics
from dataaudit.kernels.unicode import characters
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.characters import of_classes
from dataaudit.signals.phrases import JAVASCRIPT, LOREM_IPSUM, POLICY, phrases
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.views import decoded, lines_of, null_where, words_of

GOPHER = "Gopher, arXiv:2112.11446, appendix A.1"
C4 = "C4, arXiv:1910.10683; tensorflow_datasets c4_utils.py"
FINEWEB = "FineWeb, arXiv:2406.17557; datatrove fineweb_quality_filter.py"
NO_LINES = "every line is blank"


def _line_counts(batch: DocumentBatch) -> NDArray[np.int64]:
    return np.diff(batch.once(lines_of).offsets)


def _statistics(batch: DocumentBatch) -> LineStatistics:
    return line_statistics(batch.once(decoded), batch.once(lines_of))


@signal(unit="ratio", source=GOPHER, null=NO_LINES)
def bullet_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of lines that start with a bullet (•) or a hyphen.

    Variant datatrove; DCLM, RedPajama-V2 and dolma have other lists of bullets.
    """
    return ratio(batch.once(_statistics).bullet, batch.once(_line_counts))


@signal(unit="ratio", source=GOPHER, null=NO_LINES)
def ellipsis_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of lines that end with ... or ….

    datatrove counts blank lines in the denominator.
    """
    return ratio(batch.once(_statistics).ellipsis, batch.once(_line_counts))


@signal(unit="ratio", source=f"{C4}; {FINEWEB}", null=NO_LINES)
def terminal_punct_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of lines that end with an end mark.

    The Unicode property Sentence_Terminal (. ! ? 。！？ and those of other scripts) and " … ” 」 』. C4 has . ? ! " and
    refuses ...; FineWeb has a list of its own. White space after the mark does not matter.
    """
    return ratio(batch.once(_statistics).end_mark, batch.once(_line_counts))


@signal(unit="ratio", source=FINEWEB, null=NO_LINES)
def short_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of lines of at most 30 characters.

    Without the white space at their ends, which FineWeb counts.
    """
    return ratio(batch.once(_statistics).short, batch.once(_line_counts))


@signal(unit="ratio", source=FINEWEB, null="the text has no words")
def newline_word_ratio(batch: DocumentBatch) -> pa.Array:
    """Line feeds over words, at most 1.

    High in lists. FineWeb counts the words of a tokenizer and has no upper bound.
    """
    words = np.diff(batch.once(words_of).offsets)
    return ratio(np.minimum(of_classes(batch, characters("\n")), words), words)


@signal(unit="characters", source="a mean", minimum=1, null=NO_LINES)
def mean_line_char_count(batch: DocumentBatch) -> pa.Array:
    """Mean length of the lines."""
    return ratio(batch.once(_statistics).characters, batch.once(_line_counts))


@signal(unit="characters", source="a count", minimum=1, null=NO_LINES)
def longest_line_char_count(batch: DocumentBatch) -> pa.Array:
    """Length of the longest line; very long in minified code and encoded data."""
    return null_where(batch.once(_line_counts) == 0, batch.once(_statistics).longest)


@signal(unit="ratio", source="RedPajama-V2, rps_doc_curly_bracket; C4", null="the text is empty")
def curly_bracket_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of characters that are { or }.

    C4 drops a page with any { in a line that it would keep.
    """
    return ratio(of_classes(batch, characters("{}")), np.diff(batch.once(decoded).offsets))


@signal(unit="ratio", source=C4, null=NO_LINES)
def javascript_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of lines that mention javascript, in upper or lower case."""
    return ratio(batch.once(phrases).lines[JAVASCRIPT], batch.once(_line_counts))


@signal(unit="ratio", source=C4, null=NO_LINES)
def policy_line_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of lines that speak of cookies, privacy policies or terms of use.

    C4's six English phrases, in upper or lower case.
    """
    return ratio(batch.once(phrases).lines[POLICY], batch.once(_line_counts))


@signal(unit="occurrences", source=C4)
def lorem_ipsum_count(batch: DocumentBatch) -> pa.Array:
    """Occurrences of "lorem ipsum", in upper or lower case.

    C4 drops a page with one.
    """
    return count(batch.once(phrases).occurrences[LOREM_IPSUM])
