"""Documents with one planted fault each. The name of the fault is the key."""

import random
from typing import NamedTuple

from sample_text import chinese, english


class Faulty(NamedTuple):
    """A document and what shows its fault.

    Attributes:
        text: the document.
        signal: the signal that shows the fault, or None where a reader or a check does.
        also: other faults that come with it, and their signals.
    """

    text: str
    signal: str | None
    also: tuple[tuple[str, str], ...] = ()


INVISIBLE = "\u200b\u200d\u202e\u2066"
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
RARE = "ᚠᛇᚻ ༄ཨོཾ ꙮ ⲁⲃⲅ 𐌰𐌱𐌲 𓀀𓁐 ꦲꦤ ᯀᯂ ⴰⵣ 𝄞 ⠓⠑ ᠮᠣ ꠇ ᥐ ꩀ 𖥶 ߒߞߏ ꔀ 𐒀 ᬅ ᱛ ꯑ 𑄌 𞤀 ლმ 𠀋𠂢 㐂 ꌠ ᐊ".split()
FRENCH = (
    "L'été dernier, la rivière a débordé près du vieux moulin et l'école a fermé pendant trois journées entières. "
    "Le maire a décidé de réparer la digue côté forêt, là où la tempête avait déraciné les hêtres. "
    "Dès février, les élèves ont mesuré la température de la rosée et noté les résultats à la craie. "
    "Même le boulanger, très méfiant, s'est mêlé à la fête après le dîner, un gâteau préparé à la hâte à la main."
)


def documents(rng: random.Random) -> dict[str, Faulty]:
    """Returns the faulty documents by the name of their fault."""
    prose = english.document(rng)
    return {
        "empty": Faulty("", None),
        "white_space_only": Faulty(" \n\t \n\u3000\u00a0\n  ", None),
        "punctuation_only": Faulty(
            "... !!! --- ??? «» ;;; ::: (...) ... *** --- !? ... --- *** ;;; ...", "alnum_char_count"
        ),
        "repeated_character": Faulty(
            "a" * 2000,
            "longest_char_run",
            (("periodic_tokens", "periodic_token_repeat"), ("too_long", "token_count")),
        ),
        "repeated_lines": Faulty(_repeated_lines(prose), "dup_line_ratio"),
        "repeated_ngram": Faulty(_repeated_ngram(rng), "top_4gram_char_ratio"),
        "repeated_paragraph": Faulty(_repeated_paragraph(rng), "dup_paragraph_ratio"),
        "periodic_tokens": Faulty(f"{english.document(rng, paragraphs=3)}\n\n{'-=' * 48}", "periodic_token_repeat"),
        "special_characters": Faulty(_special(rng), "special_char_ratio"),
        "control_characters": Faulty(
            _sprinkle(rng, english.document(rng), "\x02\x07\x0b\x1b", 12), "control_char_ratio"
        ),
        "nul_characters": Faulty(_sprinkle(rng, english.document(rng, paragraphs=2), "\x00", 8), "control_char_ratio"),
        "replacement_characters": Faulty(_sprinkle(rng, english.document(rng), "\ufffd", 20), "replacement_char_ratio"),
        "invisible_characters": Faulty(
            _sprinkle(rng, english.document(rng, paragraphs=1), INVISIBLE, 4), "format_char_ratio"
        ),
        "private_use_characters": Faulty(
            _sprinkle(rng, english.document(rng), "\ue000\uf0b7\uf8ff", 20), "private_use_char_ratio"
        ),
        "mojibake_utf8_as_latin1": Faulty(FRENCH.encode().decode("latin-1"), "mojibake_char_ratio"),
        "mojibake_gbk": Faulty(
            _sprinkle(rng, chinese.document(rng), ["锟斤拷", "锟斤拷锟斤拷", "烫烫烫"], 25), "mojibake_char_ratio"
        ),
        "rare_tokens": Faulty(" ".join(rng.choices(RARE, k=70)), "byte_fallback_token_ratio"),
        "digit_table": Faulty(_table(rng), "digit_token_ratio"),
        "too_long": Faulty(english.long_document(rng), "token_count"),
        "special_token_text": Faulty(_special_tokens(rng), "special_token_count"),
        "line_separator": Faulty(english.document(rng).replace("\n\n", "\u2028"), None),
    }


def near_copy(rng: random.Random, text: str, count: int) -> str:
    """Returns *text* with some digits changed and one closing remark more: the same document to a reader."""
    changed = list(text)
    places = [at for at, character in enumerate(text) if character.isdigit()]
    for at in rng.sample(places, min(count, len(places))):
        changed[at] = str((int(text[at]) + 1) % 10)
    return "".join(changed) + ("（转载）" if "。" in text else "\n\n(Updated)")


def _repeated_lines(prose: str) -> str:
    first = prose.split("\n\n")[1]
    return "\n".join([first, *["Read the full story in our weekly letter, free for the first month."] * 18])


def _repeated_ngram(rng: random.Random) -> str:
    endings = ["today", "in spring", "by the river", "for less", "with a friend", "at noon", "before winter", "again"]
    rng.shuffle(endings)
    return " ".join(f"Buy the best garden tools in town {ending}." for ending in endings * 2)


def _repeated_paragraph(rng: random.Random) -> str:
    parts = english.document(rng).split("\n\n")
    return "\n\n".join([parts[0], *[parts[1]] * 4, parts[2]])


def _special(rng: random.Random) -> str:
    marks = "@#$%^&*~|<>{}[]_+=/\\§¤°±"
    words = ["".join(rng.choices(marks, k=rng.randint(3, 7))) + rng.choice(LETTERS) for _ in range(110)]
    return " ".join(words)


def _sprinkle(rng: random.Random, text: str, marks: str | list[str], every: int) -> str:
    """Returns *text* with one of *marks* after about every *every* characters."""
    return "".join(
        character + (rng.choice(marks) if number % every == every - 1 else "") for number, character in enumerate(text)
    )


def _table(rng: random.Random) -> str:
    return "\n".join(" ".join(str(rng.randint(10, 99_999)) for _ in range(8)) for _ in range(24))


def _special_tokens(rng: random.Random) -> str:
    parts = english.document(rng, paragraphs=3).split("\n\n")
    return "<|endoftext|>".join(parts)
