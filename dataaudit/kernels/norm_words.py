"""How many words of each document are left without punctuation, and how long they are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel
from dataaudit.kernels.words import Words


class NormWords(NamedTuple):
    """Normalised words in which something is left; both are int64, with one entry a document.

    Attributes:
        words: how many.
        characters: in them.
    """

    words: NDArray[np.int64]
    characters: NDArray[np.int64]


def norm_words(words: Words) -> NormWords:
    """Returns the normalised words of each document, as numbers."""
    return _norm_words(words.offsets, words.norm_lengths)


@kernel
def _norm_words(offsets: NDArray[np.int64], lengths: NDArray[np.int64]) -> NormWords:
    documents = len(offsets) - 1
    words, characters = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    for document in range(documents):
        for word in range(offsets[document], offsets[document + 1]):
            words[document] += lengths[word] > 0
            characters[document] += lengths[word]
    return NormWords(words, characters)
