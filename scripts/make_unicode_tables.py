"""Writes the pinned Unicode tables that the kernels read: ``dataaudit/kernels/data/unicode.npz``.

Run it with the Python whose Unicode version is to be pinned: ``python scripts/make_unicode_tables.py``. A newer
version changes the values of signals, so raise their versions with it.
"""

import string
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import numpy as np

CODE_POINTS = 0x110000
PAGE = 256
OUTPUT = Path(__file__).parent.parent / "dataaudit" / "kernels" / "data" / "unicode.npz"

SCRIPTS = {
    # CJK and Kangxi Radicals, 々 〆 〇 〡-〩 〸-〻, Extension A, Unified and Compatibility Ideographs, Ideographic
    # Symbols, planes 2 and 3
    "Han": "2E80-2FD5 3005-3007 3021-3029 3038-303B 3400-4DBF 4E00-9FFF F900-FAD9 16FE2-16FE3 16FF0-16FF6 20000-3FFFD",
    # Hiragana, Kana Supplement and Extended-A, Small Kana Extension
    "Hiragana": "3041-3096 309D-309F 1B001-1B11F 1B132 1B150-1B152 1F200",
    # 〱-〵, Katakana with ー, Phonetic Extensions, Enclosed CJK, CJK Compatibility, Halfwidth, Kana Extended-B
    "Katakana": "3031-3035 30A1-30FA 30FC-30FF 31F0-31FF 32D0-32FE 3300-3357 FF66-FF9F 1AFF0-1AFFE 1B000 1B120-1B122"
    " 1B155 1B164-1B167",
    # Modifier Letters, Bopomofo, Bopomofo Extended
    "Bopomofo": "2EA-2EB 3105-312F 31A0-31BF",
    # Jamo, tone marks, Compatibility Jamo, Enclosed CJK, Jamo Extended-A, Syllables, Jamo Extended-B, Halfwidth
    "Hangul": "1100-11FF 302E-302F 3131-318E 3200-321E 3260-327E A960-A97C AC00-D7A3 D7B0-D7FB FFA0-FFDC",
    "Thai": "E01-E3A E40-E5B",
    "Lao": "E81-EDF",
    # Khmer, Khmer Symbols
    "Khmer": "1780-17F9 19E0-19FF",
    # Myanmar, Extended-B, Extended-A
    "Myanmar": "1000-109F A9E0-A9FE AA60-AA7F",
}
UNSPACED = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
"""Scripts written without spaces between words: their code points are words of their own."""

EMOJI = (
    # Emoji_Presentation outside the picture blocks, and the pictures of Miscellaneous Symbols and Dingbats
    "231A-231B 23E9-23EC 23F0 23F3 25FD-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F"
    " 2638-263A 2640 2642 2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1"
    " 26A7 26AA-26AB 26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD"
    " 2702 2705 2708-270D 270F 2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2764"
    " 2795-2797 27A1 27B0 27BF 2B1B-2B1C 2B50 2B55 1F004 1F0CF 1F18E 1F191-1F19A 1F201 1F21A 1F22F 1F232-1F236"
    " 1F238-1F23A 1F250-1F251"
    # Regional indicators, Pictographs and Emoticons, Transport, coloured shapes, Supplemental, Extended-A
    " 1F1E6-1F1FF 1F300-1F64F 1F680-1F6FF 1F7E0-1F7F0 1F90C-1F9FF 1FA70-1FAFF"
)
END_MARKS = (
    # The Unicode property Sentence_Terminal, then " … ” 」 』
    "21 2E 3F 589 61D-61F 6D4 700-702 7F9 837 839 83D-83E 964-965 104A-104B 1362 1367-1368 166E 1735-1736 17D4-17D5"
    " 1803 1809 1944-1945 1AA8-1AAB 1B4E-1B4F 1B5A-1B5B 1B5E-1B5F 1B7D-1B7F 1C3B-1C3C 1C7E-1C7F 2024 203C-203D"
    " 2047-2049 2CF9-2CFB 2E2E 2E3C 2E53-2E54 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F A9C8-A9C9"
    " AA5D-AA5F AAF0-AAF1 ABEB FE12 FE15-FE16 FE52 FE56-FE57 FF01 FF0E FF1F FF61 10A56-10A57 10F55-10F59 10F86-10F89"
    " 11047-11048 110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF 11238-11239 1123B-1123C 112A9 1144B-1144C"
    " 115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946 11A42-11A43 11A9B-11A9C 11C41-11C42 11EF7-11EF8"
    " 11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38 16B44 16E98 1BC9F 1DA88"
    " 22 2026 201D 300D 300F"
)
ALONE = '\t\n\r#_{}"…”」』\ufffd'
"""Characters with a class of their own, because a signal counts them."""


def code_points(ranges: str) -> Iterable[int]:
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def pages(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns a two-stage table: value of c = cells[page_of[c >> 8] * 256 + (c & 255)]."""
    cells, page_of = np.unique(values.reshape(-1, PAGE), axis=0, return_inverse=True)
    assert len(cells) <= 256
    return page_of.reshape(-1).astype(np.uint8), cells.reshape(-1)


def facts_of(character: str, script: str, emoji: bool, end_mark: bool) -> tuple[object, ...]:
    category = unicodedata.category(character)
    return (
        category,
        script,
        character.isspace(),
        character.isalnum(),
        character.isupper(),
        character.islower() or (character.istitle() and not character.isupper()),
        character.lower() != character,
        character in string.punctuation,
        script in UNSPACED and category[0] in "LNS",
        emoji,
        end_mark,
        character if character in ALONE else "",
    )


FACTS = (
    ("category", "U2"),
    ("script", "U8"),
    ("is_space", "?"),
    ("is_alnum", "?"),
    ("is_upper", "?"),
    ("is_cased_not_upper", "?"),
    ("is_lowered", "?"),
    ("is_ascii_punctuation", "?"),
    ("is_own_word", "?"),
    ("is_emoji", "?"),
    ("is_end_mark", "?"),
    ("alone", "U1"),
)


def main() -> None:
    script_of = {point: name for name, ranges in SCRIPTS.items() for point in code_points(ranges)}
    emoji, end_marks = set(code_points(EMOJI)), set(code_points(END_MARKS))
    classes: dict[tuple[object, ...], int] = {}
    class_of = np.zeros(CODE_POINTS, np.int64)
    delta = np.zeros(CODE_POINTS, np.int32)
    for point in range(CODE_POINTS):
        facts = facts_of(chr(point), script_of.get(point, ""), point in emoji, point in end_marks)
        class_of[point] = classes.setdefault(facts, len(classes))
        delta[point] = ord(chr(point).lower()[0]) - point
    assert len(classes) <= 256, len(classes)
    class_pages, class_cells = pages(class_of.astype(np.uint8))
    lower_pages, lower_cells = pages(delta)
    columns = {
        f"class_{name}": np.array([facts[index] for facts in classes], dtype)
        for index, (name, dtype) in enumerate(FACTS)
    }
    OUTPUT.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        OUTPUT,
        version=np.array(unicodedata.unidata_version),
        class_pages=class_pages,
        class_cells=class_cells,
        lower_pages=lower_pages,
        lower_cells=lower_cells,
        **columns,
    )
    size = OUTPUT.stat().st_size
    print(f"{OUTPUT.name}: Unicode {unicodedata.unidata_version}, {len(classes)} classes, {size} bytes")


if __name__ == "__main__":
    main()
