"""Finds the part of a document that a signal counts, for a reader's eye; the signal itself is not measured again."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice

SEARCHED = 200_000
"""Characters of a document that are looked at."""
NGRAM_WORDS = 40_000
Span = tuple[int, int]

_SEQUENCES = {
    "control_char_ratio": r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+",
    "replacement_char_ratio": r"\ufffd+",
    "repaired": r"\ufffd+",
    "private_use_char_ratio": "[\ue000-\uf8ff\U000f0000-\U0010fffd]+",
    "format_char_ratio": r"[\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+",
    "mojibake_char_ratio": r"(?:[\xc2-\xdf][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
    r"|[\xe0-\xef][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2}|锟斤拷|[烫屯]{3,})+",
    "special_char_ratio": r"[^\w\s]{2,}",
    "punct_char_ratio": r"[^\w\s]{2,}",
    "digit_char_ratio": r"\d{2,}",
    "digit_token_ratio": r"\d{2,}",
    "special_token_count": r"<\|[^|<>\n]{1,40}\|>|</?s>|<pad>|<unk>|\[(?:CLS|SEP|PAD|MASK|UNK)\]",
    "ellipsis_line_ratio": r"(?:\.\.\.|…)",
    "lorem_ipsum_count": r"(?i:lorem ipsum)",
}
_LONGEST = {"longest_char_run": r"(.)\1+", "longest_word_char_count": r"\S+", "longest_line_char_count": r"[^\n]+"}
_NGRAM = re.compile(r"(?:top|dup)_(\d+)gram_char_ratio")
_WORD = re.compile(r"[^\W_]+")
_PERIODIC = re.compile(r"(.{1,24}?)\1{11,}", re.DOTALL)


def matched(signal: str, text: str) -> Span | None:
    """Returns where the document first shows what *signal* counts, in characters; None when no one part does."""
    head = text[:SEARCHED]
    if signal in _SEQUENCES:
        return _first(_SEQUENCES[signal], head)
    if signal in _LONGEST:
        return _longest(_LONGEST[signal], head)
    ngram = _NGRAM.fullmatch(signal)
    if ngram is not None:
        return _ngram(head, int(ngram[1]), most_frequent=signal.startswith("top"))
    known = _BY_SIGNAL.get(signal)
    return known(head) if known is not None else None


def _first(pattern: str, text: str) -> Span | None:
    found = re.search(pattern, text)
    return None if found is None else found.span()


def _longest(pattern: str, text: str) -> Span | None:
    spans = (found.span() for found in re.finditer(pattern, text, re.DOTALL))
    return max(spans, key=lambda span: span[1] - span[0], default=None)


def _ngram(text: str, size: int, *, most_frequent: bool) -> Span | None:
    """Returns the most frequent sequence of words, or the first that stands a second time."""
    words = [found.span() for found in islice(_WORD.finditer(text), NGRAM_WORDS)]
    texts = [text[start:stop] for start, stop in words]
    grams = zip(*(texts[first:] for first in range(size)), strict=False)
    at = _most_frequent(grams) if most_frequent else _first_repeat(grams)
    return None if at is None else (words[at][0], words[at + size - 1][1])


def _most_frequent(grams: Iterable[tuple[str, ...]]) -> int | None:
    """Returns where the most frequent stands first; None when each stands once."""
    every = list(grams)
    best = Counter(every).most_common(1)
    return every.index(best[0][0]) if best and best[0][1] > 1 else None


def _first_repeat(grams: Iterable[tuple[str, ...]]) -> int | None:
    """Returns the place of the first that stands a second time; None when each stands once."""
    seen: set[tuple[str, ...]] = set()
    for at, gram in enumerate(grams):
        if gram in seen:
            return at
        seen.add(gram)
    return None


def _repeated_line(text: str, separator: str = r"\n") -> Span | None:
    """Returns the first line that stands a second time."""
    seen: set[str] = set()
    at = 0
    for part in re.split(f"({separator})", text):
        line = part.strip()
        if line and line in seen:
            start = at + part.index(line)
            return start, start + len(line)
        seen.add(line)
        at += len(part)
    return None


def _repeated_paragraph(text: str) -> Span | None:
    return _repeated_line(text, r"\n{2,}")


def _periodic(text: str) -> Span | None:
    found = _PERIODIC.search(text[:20_000])
    return None if found is None else found.span()


_BY_SIGNAL: dict[str, Callable[[str], Span | None]] = {
    "dup_line_ratio": _repeated_line,
    "dup_line_char_ratio": _repeated_line,
    "dup_paragraph_ratio": _repeated_paragraph,
    "dup_paragraph_char_ratio": _repeated_paragraph,
    "periodic_token_repeat": _periodic,
}
