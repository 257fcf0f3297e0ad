"""Duplicates by brute force, in plain Python: the normal form, the shingles as texts, the Jaccard of every pair."""

import unicodedata
from fractions import Fraction
from itertools import combinations

MASK = 2**64 - 1
OWN = [
    *((0x2E80, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAD9)),
    *((0x20000, 0x3FFFD), (0x3041, 0x3096), (0x309D, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0xAC00, 0xD7A3)),
    *((0x1100, 0x11FF), (0x0E01, 0x0E5B), (0x0E81, 0x0EDF), (0x1780, 0x17F9), (0x1000, 0x109F)),
]
"""The usual blocks of Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer and Myanmar."""


def normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(c for c in text if unicodedata.category(c) != "Cc" or c.isspace())
    return " ".join(text.split())


def units(text: str) -> list[str]:
    found: list[str] = []
    open_word = False
    for c in normal(text):
        kind = unicodedata.category(c)[0]
        is_word = kind in "LN" or c == "_"
        if (is_word or kind == "M") and any(low <= ord(c) <= high for low, high in OWN):
            found.append(c)
            open_word = False
        elif open_word and (is_word or kind == "M"):
            found[-1] += c
        elif is_word:
            found.append(c)
            open_word = True
        else:
            open_word = False
    return found


def shingles(text: str, width: int = 5) -> set[tuple[str, ...]]:
    """Shingles as the units themselves, no hashes."""
    every = units(text)
    if not every:
        return set()
    width = min(width, len(every))
    return {tuple(every[i : i + width]) for i in range(len(every) - width + 1)}


def jaccard(left: set, right: set) -> Fraction:
    return Fraction(len(left & right), len(left | right)) if left | right else Fraction(0)


def pairs(texts: list[str], threshold: float, width: int = 5) -> dict[tuple[int, int], Fraction]:
    """Every pair at or above the threshold, by comparing all with all."""
    sets = [shingles(text, width) for text in texts]
    found = {}
    for i, j in combinations(range(len(texts)), 2):
        value = jaccard(sets[i], sets[j])
        if value >= Fraction(str(threshold)):
            found[i, j] = value
    return found


def mix(value: int) -> int:
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def hash_unit(unit: str) -> int:
    value = 0x9E3779B97F4A7C15
    for c in unit:
        value = (value ^ ord(c)) * 0xD6E8FEB86659FD93 & MASK
    return mix(value ^ (value >> 32))


def hash_shingle(shingle: tuple[str, ...]) -> int:
    return _hash_units([hash_unit(unit) for unit in shingle])


def _hash_units(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = (value * 0x9FB21C651E98DF25 + unit) & MASK
    return mix(value)


def id_shingles(ids: list[int], width: int = 5) -> set[tuple[int, ...]]:
    """Shingles of a document that came as token ids."""
    width = min(width, len(ids))
    return {tuple(ids[i : i + width]) for i in range(len(ids) - width + 1)} if ids else set()


def hash_id_shingle(shingle: tuple[int, ...]) -> int:
    return _hash_units([mix(0x9E3779B97F4A7C15 ^ (each & MASK)) for each in shingle])


def s_curve(jaccard: float, bands: int = 16, rows: int = 8) -> float:
    return 1 - (1 - jaccard**rows) ** bands
