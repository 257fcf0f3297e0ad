"""C4's page rules, as the numbers that they are about; its line rules count lines here and edit nothing."""

import numpy as np
import pyarrow as pa

from dataaudit.kernels.c4 import PageWalk, walk_pages
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.views import decoded, lines_of, words_of

C4 = "C4, arXiv:1910.10683, section 2.2; datatrove c4_filters.py"


def _walk(batch: DocumentBatch) -> PageWalk:
    return walk_pages(batch.once(decoded), batch.once(lines_of), batch.once(words_of))


@signal(unit="sentences", source=C4)
def sentence_count_c4(batch: DocumentBatch) -> pa.Array:
    """Sentences in the lines that C4 would keep.

    A line stays when it has no word of over 1,000 characters, ends with an end mark other than an ellipsis, has 3 words
    or more, and does not speak of javascript, cookies or terms of use; [1], [edit] and [citation needed] are looked
    past. A sentence holds a letter or a number and ends with . ! ? 。！？ or one of another script, closing quotes and
    brackets behind it, and then white space (。！？ need none), or with the line. C4 has only . ! ? " as line ends
    (datatrove ' too), counts white-space words, and splits sentences with NLTK or spaCy, which know some abbreviations:
    here "Mr. Speaker" is two. C4's code asks for 5 words a line and 3 sentences, its paper for 3 and 5.
    """
    return count(batch.once(_walk).sentences)


@signal(unit="ratio", source=C4, null="every line is blank")
def kept_line_ratio_c4(batch: DocumentBatch) -> pa.Array:
    """Share of lines that C4 would keep.

    Lines as sentence_count_c4 says, and without a { or "lorem ipsum". C4 cuts the others out of the page.
    """
    return ratio(batch.once(_walk).kept, np.diff(batch.once(lines_of).offsets))


@signal(unit="lines", source=C4)
def curly_bracket_line_count_c4(batch: DocumentBatch) -> pa.Array:
    """Lines with a { for which C4 drops the page.

    Only lines that the rules before it leave: a { in a line without an end mark, or beside javascript, does not count.
    """
    return count(batch.once(_walk).braces)


@signal(unit="lines", source=C4)
def lorem_ipsum_line_count_c4(batch: DocumentBatch) -> pa.Array:
    """Lines with "lorem ipsum" for which C4 drops the page; only lines that the rules before it leave."""
    return count(batch.once(_walk).lorem_ipsum)
