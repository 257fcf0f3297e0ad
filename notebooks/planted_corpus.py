"""Clean invented text with a few documents of the kind that a real training run broke on: long and strange."""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
from sample_text import english

SYMBOLS = "@#$%^&*~|<>{}[]_+=/\\§¤°±"
SCRIPTS = [(0x16A0, 0x16EA), (0x0F40, 0x0F68), (0x2C80, 0x2CB0), (0xA500, 0xA600), (0x1401, 0x1500), (0x12000, 0x12100)]
"""Runic, Tibetan, Coptic, Vai, Canadian syllabics and cuneiform: letters that the tokenizer has no tokens for."""


def characters(rng: random.Random) -> str:
    """One character, again and again."""
    return rng.choice("aeox0-=.") * 1500


def symbols(rng: random.Random) -> str:
    """Symbols without a word."""
    return " ".join("".join(rng.choices(SYMBOLS, k=rng.randint(3, 7))) for _ in range(200))


def digits(rng: random.Random) -> str:
    """A table of numbers."""
    return "\n".join(" ".join(str(rng.randint(10, 99_999)) for _ in range(8)) for _ in range(40))


def rare_tokens(rng: random.Random) -> str:
    """Letters that are nowhere else in the corpus."""
    return " ".join("".join(chr(rng.randrange(*rng.choice(SCRIPTS))) for _ in range(4)) for _ in range(60))


KINDS: dict[str, Callable[[random.Random], str]] = {
    "characters": characters,
    "symbols": symbols,
    "digits": digits,
    "rare": rare_tokens,
}


def write(file: Path, *, documents: int, of_each: int, seed: int) -> list[str]:
    """Writes a corpus of *documents* as JSON lines, *of_each* kind planted at random places; returns the texts."""
    rng = random.Random(seed)
    rows = [{"id": f"clean-{n}", "text": english.document(rng, paragraphs=1)} for n in range(documents)]
    places = iter(rng.sample(range(documents), of_each * len(KINDS)))
    for kind, make in KINDS.items():
        for number in range(of_each):
            rows[next(places)] = {"id": f"planted-{kind}-{number}", "text": make(rng)}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return [row["text"] for row in rows]
