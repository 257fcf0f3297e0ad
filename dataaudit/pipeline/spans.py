"""Where in a text a rule found what it counts: for one document, to be shown; in plain Python, so it may be slow."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from dataaudit.config.schema import WELL_KNOWN_SPECIAL_STRINGS

SEARCHED = 100_000
"""Characters at the start of a document that are searched."""
_WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")
_SPECIAL = re.compile(r"[^\w\s]+")
_MOJIBAKE = re.compile(
    "[\u00c2-\u00df][\u0080-\u00bf€-™]|[\u00e0-\u00ef][\u0080-\u00bf€-™]{2}|[\u00f0-\u00f4][\u0080-\u00bf€-™]{3}|锟斤拷|[烫屯]{3,}"
)
_NGRAM = re.compile(r"(top|dup)_(\d+)gram_char_ratio|word_(\d+)gram_rep_ratio")


class Span(NamedTuple):
    """A part of a text in characters, the end not included."""

    start: int
    stop: int


Finder = Callable[[str], Span | None]


def span_of(signal: str, text: str, special_strings: tuple[str, ...] = WELL_KNOWN_SPECIAL_STRINGS) -> Span | None:
    """Returns the first or the longest place that a signal counts; None for signals of the text as a whole."""
    text = text[:SEARCHED]
    if signal == "special_token_count":
        places = [Span(at, at + len(each)) for each in special_strings if (at := text.find(each)) >= 0]
        return min(places, default=None)
    if ngram := _NGRAM.fullmatch(signal):
        kind, size = ngram[1] or "dup", int(ngram[2] or ngram[3])
        return _top_ngram(text, size) if kind == "top" else _repeated_ngram(text, size)
    finder = _FINDERS.get(signal)
    return finder(text) if finder else None


def _first(pattern: str | re.Pattern[str]) -> Finder:
    compiled = re.compile(pattern)

    def find(text: str) -> Span | None:
        found = compiled.search(text)
        return Span(*found.span()) if found else None

    return find


def _longest(pattern: str | re.Pattern[str]) -> Finder:
    compiled = re.compile(pattern)

    def find(text: str) -> Span | None:
        spans = [Span(*found.span()) for found in compiled.finditer(text)]
        return max(spans, key=lambda span: (span.stop - span.start, -span.start), default=None)

    return find


def _longest_run(text: str) -> Span | None:
    best, at = None, 0
    for _, run in groupby(text):
        length = sum(1 for _ in run)
        if best is None or length > best.stop - best.start:
            best = Span(at, at + length)
        at += length
    return best


def _repeated(parts: Iterator[tuple[str, Span]]) -> Span | None:
    """Returns the first part that stood before, white space at its ends apart."""
    seen: set[str] = set()
    for part, span in parts:
        if part.strip() in seen:
            return span
        if part.strip():
            seen.add(part.strip())
    return None


def _split(pattern: str) -> Finder:
    compiled = re.compile(pattern)

    def parts(text: str) -> Iterator[tuple[str, Span]]:
        start = 0
        for found in compiled.finditer(text):
            yield text[start : found.start()], Span(start, found.start())
            start = found.end()
        yield text[start:], Span(start, len(text))

    return lambda text: _repeated(parts(text))


def _ngrams(text: str, size: int) -> Iterator[tuple[tuple[str, ...], Span]]:
    words = list(_WORD.finditer(text))
    for at in range(len(words) - size + 1):
        chosen = words[at : at + size]
        yield tuple(word[0] for word in chosen), Span(chosen[0].start(), chosen[-1].end())


def _top_ngram(text: str, size: int) -> Span | None:
    counts = Counter(ngram for ngram, _ in _ngrams(text, size))
    if not counts:
        return None
    top = max(counts.values())
    best = max((ngram for ngram, count in counts.items() if count == top), key=lambda words: sum(map(len, words)))
    return next(span for ngram, span in _ngrams(text, size) if ngram == best)


def _repeated_ngram(text: str, size: int) -> Span | None:
    seen: set[tuple[str, ...]] = set()
    for ngram, span in _ngrams(text, size):
        if ngram in seen:
            return span
        seen.add(ngram)
    return None


_FINDERS: dict[str, Finder] = {
    "special_char_ratio": _longest(_SPECIAL),
    "non_alnum_char_ratio": _longest(_SPECIAL),
    "symbol_char_ratio": _longest(_SPECIAL),
    "punct_char_ratio": _longest(_SPECIAL),
    "digit_char_ratio": _longest(r"\d+"),
    "whitespace_char_ratio": _longest(r"\s+"),
    "control_char_ratio": _first("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"),
    "format_char_ratio": _first("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+"),
    "replacement_char_ratio": _first("\ufffd+"),
    "private_use_char_ratio": _first("[\ue000-\uf8ff\U000f0000-\U0010ffff]+"),
    "mojibake_char_ratio": _first(_MOJIBAKE),
    "longest_char_run": _longest_run,
    "longest_word_char_count": _longest(r"\S+"),
    "longest_line_char_count": _longest(r"[^\n]+"),
    "dup_line_ratio": _split(r"\n"),
    "dup_line_char_ratio": _split(r"\n"),
    "dup_line_char_ratio_fineweb": _split(r"\n"),
    "dup_paragraph_ratio": _split(r"\n{2,}"),
    "dup_paragraph_char_ratio": _split(r"\n{2,}"),
    "lorem_ipsum_count": _first(r"(?i)lorem ipsum"),
    "javascript_line_ratio": _first(r"(?i)javascript"),
    "curly_bracket_ratio": _first(r"[{}]+"),
}
