"""Quality signals as RedPajama-V2 has them, where its definition is not one of ours."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.norm_words import NormWords, norm_words
from dataaudit.kernels.runs import count_runs
from dataaudit.kernels.unicode import characters, having
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.characters import of_classes
from dataaudit.signals.phrases import ELLIPSIS, phrases
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.views import decoded, lines_of, words_of

REDPAJAMA = "RedPajama-V2 core/quality_signals"
BULLETS = "•‣▶◀◦■□▪▫–"


def _norm_words(batch: DocumentBatch) -> NormWords:
    return norm_words(batch.once(words_of))


def _raw_word_count(batch: DocumentBatch) -> NDArray[np.int64]:
    r"""Returns the matches of ``\w+|[^\w\s]+`` in each document."""
    is_word = having("is_alnum") | characters("_")
    return count_runs(batch.once(decoded), np.where(having("is_space"), 0, np.where(is_word, 1, 2)).astype(np.uint8))


@signal(unit="words", source=f"{REDPAJAMA}, rps_doc_word_count")
def word_count_rpv2(batch: DocumentBatch) -> pa.Array:
    """Words in which something is left when ASCII punctuation is taken out.

    The words of the n-gram signals. Differs from RedPajama-V2 in scripts written without spaces, where each character
    is a word. Near to what datatrove counts for Gopher, which splits don't and well-known and drops words of its own
    list of symbols.
    """
    return count(batch.once(_norm_words).words)


@signal(
    unit="characters",
    source=f"{REDPAJAMA}, rps_doc_mean_word_length",
    minimum=1,
    null="nothing is left but punctuation",
)
def mean_word_char_count_rpv2(batch: DocumentBatch) -> pa.Array:
    """Mean length of the words without punctuation.

    Of word_count_rpv2's words, without the ASCII punctuation in them. RedPajama-V2 decomposes accents first, so that é
    is two.
    """
    found = batch.once(_norm_words)
    return ratio(found.characters, found.words)


@signal(unit="ratio", source=f"{REDPAJAMA}, rps_doc_symbol_to_word_ratio", null="the text is empty or white space")
def symbol_word_ratio_rpv2(batch: DocumentBatch) -> pa.Array:
    r"""Occurrences of # and of ... and … together, over the pieces of words and of punctuation, at most 1.

    Pieces are what ``\w+|[^\w\s]+`` matches, as NLTK's WordPunct has it: "don't." is four. RedPajama-V2 has no upper
    bound.
    """
    pieces = batch.once(_raw_word_count)
    symbols = of_classes(batch, characters("#")) + batch.once(phrases).occurrences[ELLIPSIS]
    return ratio(np.minimum(symbols, pieces), pieces)


@signal(unit="ratio", source=f"{REDPAJAMA}, rps_lines_start_with_bulletpoint", null="every line is blank")
def bullet_line_ratio_rpv2(batch: DocumentBatch) -> pa.Array:
    """Share of lines that start with • ‣ ▶ ◀ ◦ ■ □ ▪ ▫ or –.

    A hyphen is none. RedPajama-V2 counts blank lines in the denominator.
    """
    lines = batch.once(lines_of)
    first = batch.once(decoded).codepoints[lines.starts]
    bullets = np.isin(first, np.array([ord(bullet) for bullet in BULLETS], np.uint32))
    found = np.concatenate([np.zeros(1, np.int64), np.cumsum(bullets, dtype=np.int64)])[lines.offsets]
    return ratio(np.diff(found), np.diff(lines.offsets))
