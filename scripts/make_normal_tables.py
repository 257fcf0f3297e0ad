"""Writes the pinned tables of the normal form that texts are compared in: ``dataaudit/kernels/data/normal.npz``.

Run it with the Python that wrote the other tables: ``python scripts/make_normal_tables.py``. A newer Unicode version
changes which documents are duplicates, so raise the versions of those signals with it.
"""

import unicodedata
from unicodedata import category, combining, normalize

import numpy as np
from make_unicode_tables import CODE_POINTS, OUTPUT, SCRIPTS, code_points, pages

UNSPACED = ("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar")
"""Scripts whose code points are units of their own."""
SYLLABLES = range(0xAC00, 0xD7A4)
"""Hangul syllables: kernels take them apart and put them together by arithmetic."""
JAMO_SECOND = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}
SEQUENCE = 1 << 30


def folded(character: str) -> str:
    return normalize("NFKC", character).casefold()


def pairs() -> dict[tuple[int, int], int]:
    """Returns what two code points compose to; Hangul is left out."""
    found = {}
    for point in range(CODE_POINTS):
        if point in SYLLABLES or 0xD800 <= point < 0xE000:
            continue
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and parts[0][0] != "<" and normalize("NFC", chr(point)) == chr(point):
            found[int(parts[0], 16), int(parts[1], 16)] = point
    return found


class Sequences:
    """All replacements by more than one code point; a cell holds where one starts and its length."""

    def __init__(self) -> None:
        self.points: list[int] = []
        self.cells: dict[str, int] = {}

    def cell(self, point: int, text: str) -> int:
        if len(text) == 1:
            return ord(text) - point
        if text not in self.cells:
            assert 2 <= len(text) < 32, (hex(point), text)
            self.cells[text] = SEQUENCE | len(self.points) << 5 | len(text)
            self.points += map(ord, text)
        return self.cells[text]


def bits(character: str, script: str, seconds: set[int]) -> int:
    """Returns the facts of a code point; see ``dataaudit.kernels.normal``."""
    first = ord(normalize("NFKD", character)[0])
    kind = category(character)
    is_word = kind[0] in "LN" or character == "_"
    return (
        (combining(chr(first)) == 0 and first not in seconds) * 1
        + (kind == "Cc" and not character.isspace()) * 2
        + character.isspace() * 4
        + is_word * 8
        + (kind[0] == "M") * 16
        + (script in UNSPACED and kind[0] in "LMN") * 32
        + (folded(character) == character and kind != "Cc" and not character.isspace()) * 64
    )


def main() -> None:
    script_of = {point: name for name, ranges in SCRIPTS.items() for point in code_points(ranges)}
    composed = pairs()
    seconds = {second for _, second in composed} | JAMO_SECOND
    sequences = Sequences()
    fold, apart = np.zeros(CODE_POINTS, np.int32), np.zeros(CODE_POINTS, np.int32)
    orders, facts = np.zeros(CODE_POINTS, np.uint8), np.zeros(CODE_POINTS, np.uint8)
    for point in range(CODE_POINTS):
        character = chr(point)
        orders[point] = combining(character)
        facts[point] = bits(character, script_of.get(point, ""), seconds)
        fold[point] = sequences.cell(point, folded(character))
        if point not in SYLLABLES:
            apart[point] = sequences.cell(point, normalize("NFKD", character))
    tables = {}
    for name, values in (("fold", fold), ("apart", apart), ("order", orders), ("fact", facts)):
        tables[f"{name}_pages"], tables[f"{name}_cells"] = pages(values)
    keys = sorted(composed)
    output = OUTPUT.with_name("normal.npz")
    np.savez_compressed(
        output,
        version=np.array(unicodedata.unidata_version),
        sequences=np.array(sequences.points, np.uint32),
        pair_keys=np.array([first << 21 | second for first, second in keys], np.uint64),
        pair_values=np.array([composed[key] for key in keys], np.uint32),
        **tables,
    )
    print(f"{output.name}: Unicode {unicodedata.unidata_version}, {len(keys)} pairs, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
