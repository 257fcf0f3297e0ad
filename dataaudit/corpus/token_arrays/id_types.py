"""The type of the ids of a file that does not say it."""

from typing import NamedTuple

import numpy as np

from dataaudit.corpus.token_layout import TokenHints

USUAL = "uint16"
MOST_IN_16_BITS = 1 << 16
TYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
"""Types of ids that an option may name."""


class IdType(NamedTuple):
    """A type as NumPy writes it, and what says so."""

    dtype: str
    dtype_from: str


def little(name: str) -> str:
    """Returns a type by its name as NumPy writes it, little-endian: ``<u2`` for ``uint16``."""
    return np.dtype(name).newbyteorder("<").str


def guessed(hints: TokenHints, usual: str = USUAL) -> IdType:
    """Returns the type that the options, else the size of the vocabulary, else habit give to ids."""
    if hints.dtype is not None:
        return IdType(little(hints.dtype), "option")
    if hints.vocab_size is not None:
        return IdType(little("uint32" if hints.vocab_size > MOST_IN_16_BITS else usual), "vocab_size")
    return IdType(little(usual), "default")
