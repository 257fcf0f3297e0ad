"""Facts about code points from the pinned Unicode tables: the same on every Python.

Each code point belongs to one of about a hundred classes; the code points of a class share every fact below. Kernels
work on classes, one byte a character, and look facts up by class. ``scripts/make_unicode_tables.py`` makes the tables.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

with np.load(Path(__file__).parent / "data" / "unicode.npz", allow_pickle=False) as _tables:
    VERSION = str(_tables["version"])
    """The Unicode version of all facts."""
    CLASS_PAGES: NDArray[np.uint8] = _tables["class_pages"]
    CLASS_CELLS: NDArray[np.uint8] = _tables["class_cells"]
    """Two-stage table: the class of c is ``CLASS_CELLS[CLASS_PAGES[c >> 8] * 256 + (c & 255)]``."""
    LOWER_PAGES: NDArray[np.uint8] = _tables["lower_pages"]
    LOWER_CELLS: NDArray[np.int32] = _tables["lower_cells"]
    """The same, for what to add to c to get its lower case (the simple mapping: one code point to one)."""
    _columns = {name.removeprefix("class_"): _tables[name] for name in _tables.files if name.startswith("class_")}

CLASSES = len(_columns["category"])

SPACE, OWN_WORD, MARK, WORDLIKE, ASCII_PUNCTUATION, LOWERED, LETTER, UPPER, CASED_NOT_UPPER, END_MARK = (
    1 << i for i in range(10)
)
"""Bits of ``FLAGS``.

SPACE: white space, as ``str.isspace`` and ``str.split`` have it.
OWN_WORD: a letter, number or symbol of a script written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer,
    Myanmar).
MARK: category M.
WORDLIKE: category L or N: what makes a run of characters beside an OWN_WORD more than punctuation.
ASCII_PUNCTUATION: one of ``string.punctuation``.
LOWERED: its lower case is another character.
LETTER: category L, as ``str.isalpha`` has it.
UPPER, CASED_NOT_UPPER: as ``str.isupper`` has them.
END_MARK: what a finished line ends with: the Unicode property Sentence_Terminal (. ? ! 。！？ and those of other
    scripts) and " … ” 」 』.
"""


def categories(prefixes: str) -> NDArray[np.bool_]:
    """Returns bool[CLASSES]: which classes have one of these general categories ("L Nd": all letters, and digits)."""
    category, wanted = _columns["category"], prefixes.split()
    return np.isin(category, wanted) | np.isin(category.astype("U1"), wanted)


FLAGS: NDArray[np.uint16] = np.zeros(CLASSES, np.uint16)
"""Facts of each class that the word and line kernels need, as bits."""
for _bit, _has in (
    (SPACE, _columns["is_space"]),
    (OWN_WORD, _columns["is_own_word"]),
    (MARK, categories("M")),
    (WORDLIKE, categories("L N")),
    (ASCII_PUNCTUATION, _columns["is_ascii_punctuation"]),
    (LOWERED, _columns["is_lowered"]),
    (LETTER, categories("L")),
    (UPPER, _columns["is_upper"]),
    (CASED_NOT_UPPER, _columns["is_cased_not_upper"]),
    (END_MARK, _columns["is_end_mark"]),
):
    FLAGS |= np.where(_has, np.uint16(_bit), np.uint16(0))


def scripts(names: str) -> NDArray[np.bool_]:
    """Returns bool[CLASSES]: which classes belong to one of these scripts ("Han Thai")."""
    return np.isin(_columns["script"], names.split())


def having(fact: str) -> NDArray[np.bool_]:
    """Returns bool[CLASSES]: which classes have a fact: ``is_space``, ``is_alnum``, ``is_upper``, ``is_emoji``, ..."""
    return np.asarray(_columns[fact], np.bool_)


def characters(text: str) -> NDArray[np.bool_]:
    """Returns bool[CLASSES]: the classes of these characters, each of which has a class of its own.

    Raises:
        ValueError: if a character shares its class with others.
    """
    missing = set(text) - set(_columns["alone"].tolist())
    if missing:
        raise ValueError(f"no class of its own for {sorted(missing)}: add it to scripts/make_unicode_tables.py")
    return np.isin(_columns["alone"], list(text))
