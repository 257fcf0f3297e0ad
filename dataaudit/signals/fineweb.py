"""FineWeb's line rules to the letter: white space at the ends of a line is part of it."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.line_statistics import SHORT_LINE
from dataaudit.kernels.unicode import characters, having
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import ratio, signal
from dataaudit.signals.views import decoded, lines_of

FINEWEB = "FineWeb, arXiv:2406.17557; datatrove fineweb_quality_filter.py"
NO_LINES = "every line is blank"


class _Bounds(NamedTuple):
    """Lines that are not blank, from one LF to the next.

    Attributes:
        document: int64[lines], whose line it is.
        starts, stops: int64[lines], in the decoded characters, white space at both ends included.
    """

    document: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


def _bounds(batch: DocumentBatch) -> _Bounds:
    text, lines = batch.once(decoded), batch.once(lines_of)
    document = np.repeat(np.arange(batch.rows), np.diff(lines.offsets))
    breaks = np.concatenate([[-1], np.flatnonzero(text.codepoints == ord("\n")), [len(text.codepoints)]])
    after = np.searchsorted(breaks, lines.stops)
    starts = np.maximum(breaks[after - 1] + 1, text.offsets[document])
    return _Bounds(document, starts, np.minimum(breaks[after], text.offsets[document + 1]))


def _share(batch: DocumentBatch, counted: NDArray[np.bool_]) -> pa.Array:
    document = batch.once(_bounds).document
    return ratio(np.bincount(document[counted], minlength=batch.rows), np.diff(batch.once(lines_of).offsets))


@signal(unit="ratio", source=FINEWEB, null=NO_LINES)
def terminal_punct_line_ratio_fineweb(batch: DocumentBatch) -> pa.Array:
    """Share of lines whose last character, white space too, ends a sentence.

    Unlike terminal_punct_line_ratio, a line with a space after its full stop does not count, and quotes and … are no
    ends. datatrove's list is the Unicode property Sentence_Terminal, here in the pinned version.
    """
    text = batch.once(decoded)
    ends = having("is_end_mark") & ~characters('"…”」』')
    return _share(batch, ends[text.classes[batch.once(_bounds).stops - 1]])


@signal(unit="ratio", source=FINEWEB, null=NO_LINES)
def short_line_ratio_fineweb(batch: DocumentBatch) -> pa.Array:
    """Share of lines of at most 30 characters, the white space at their ends counted."""
    bounds = batch.once(_bounds)
    return _share(batch, bounds.stops - bounds.starts <= SHORT_LINE)
