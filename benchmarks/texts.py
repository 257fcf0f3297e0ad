"""Makes text that does not repeat: English, Chinese and code.

Tokenizers keep what they have seen, so repeated text encodes several times faster than new text. Code is real: the
Python files of the running interpreter, each content once. English and Chinese are words drawn by Zipf's law, from the
comments and docstrings of those files, and from a tokenizer's vocabulary.
"""

import hashlib
import re
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

LEAST_WORDS = 1000
LARGEST_FILE = 1 << 20
_PROSE = re.compile(r'^[ ]*r?"""(.*?)"""|#[ ]([^\n]*)', re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"(?<![\w.])[a-z]{1,18}(?![\w.(=])")
_CHINESE = re.compile("[\u4e00-\u9fff]+")

_Sentence = Callable[[list[str], np.random.Generator], str]


class TextError(Exception):
    """The text cannot be made here."""


def code() -> Iterator[str]:
    """Yields Python files of this interpreter, each content once, in an order that mixes the packages."""
    for path in _python_files():
        yield path.read_text(encoding="utf-8")


def english(seed: int = 0) -> Iterator[str]:
    """Yields documents of one to some twenty paragraphs, without end."""
    yield from _documents(english_words(), np.random.default_rng(seed), _english_sentence, (5, 28))


def chinese(tokenizer: Path, seed: int = 0) -> Iterator[str]:
    """Yields documents of one to some twenty paragraphs, without end."""
    yield from _documents(chinese_words(tokenizer), np.random.default_rng(seed), _chinese_sentence, (4, 20))


def take(documents: Iterable[str], size: int) -> Iterator[str]:
    """Yields documents until they have *size* bytes of UTF-8; fewer where there are no more."""
    for document in documents:
        if size <= 0:
            return
        size -= len(document.encode())
        yield document


@cache
def english_words() -> tuple[str, ...]:
    """Returns the words of the comments and docstrings of Python files, the most frequent first."""
    counts: Counter[str] = Counter()
    for path in _python_files():
        for match in _PROSE.finditer(path.read_text(encoding="utf-8")):
            counts.update(_WORD.findall(match[1] or match[2] or ""))
    words = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
    return _enough(words, "English", "the Python files of this interpreter", "--english")


@cache
def chinese_words(tokenizer: Path) -> tuple[str, ...]:
    """Returns the tokens that are all ideographs; a BPE vocabulary has the most frequent first."""
    vocabulary = Tokenizer.from_file(str(tokenizer))
    pieces = (vocabulary.decode([number]) for number in range(vocabulary.get_vocab_size()))
    words = [piece for piece in dict.fromkeys(pieces) if _CHINESE.fullmatch(piece) and len(piece) <= 4]
    return _enough(words, "Chinese", f"the vocabulary of {tokenizer}", "--chinese")


def _enough(words: Sequence[str], language: str, where: str, option: str) -> tuple[str, ...]:
    if len(words) < LEAST_WORDS:
        raise TextError(f"{where} has only {len(words)} {language} words. Give text of your own with {option} FILE.")
    return tuple(words)


@cache
def _python_files() -> tuple[Path, ...]:
    """Returns one path for each content, ordered by the content's digest."""
    roots = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
    found: dict[bytes, Path] = {}
    for path in sorted({path for root in roots for path in Path(root).rglob("*.py")}):
        content = path.read_bytes() if path.stat().st_size <= LARGEST_FILE else b""
        if content.strip() and _is_utf8(content):
            found.setdefault(hashlib.sha256(content).digest(), path)
    return tuple(path for _, path in sorted(found.items()))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _documents(
    words: Sequence[str], rng: np.random.Generator, sentence: _Sentence, sentence_words: tuple[int, int]
) -> Iterator[str]:
    drawn = _draw(words, rng)
    while True:
        paragraphs = []
        for _ in range(1 + min(int(rng.exponential(5)), 40)):
            sizes = rng.integers(*sentence_words, size=int(rng.integers(2, 9)))
            paragraphs.append([sentence(list(islice(drawn, size)), rng) for size in sizes.tolist()])
        yield "\n\n".join(_join(sentences) for sentences in paragraphs)


def _draw(words: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Yields words without end; the word at rank r comes as often as 1 / (r + 2.7)."""
    shares = 1 / (np.arange(len(words)) + 2.7)
    limits = np.cumsum(shares / shares.sum())
    while True:
        ranks = np.searchsorted(limits, rng.random(1 << 16))
        for rank in np.minimum(ranks, len(words) - 1).tolist():
            yield words[rank]


def _join(sentences: Sequence[str]) -> str:
    return (" " if sentences[0].isascii() else "").join(sentences)


def _english_sentence(words: list[str], rng: np.random.Generator) -> str:
    """Returns a sentence with a comma now and then, and a number in every fourth."""
    if rng.random() < 0.25:
        words[int(rng.integers(len(words)))] = f"{int(rng.integers(2000)):,}"
    for place in range(6, len(words) - 3, int(rng.integers(5, 12))):
        words[place] += ","
    sentence = " ".join(words)
    return sentence[0].upper() + sentence[1:] + ".?!."[int(rng.integers(4))]


def _chinese_sentence(words: list[str], rng: np.random.Generator) -> str:
    """Returns a sentence of clauses of three to eight words."""
    step = int(rng.integers(3, 9))
    clauses = ["".join(words[start : start + step]) for start in range(0, len(words), step)]
    return "，".join(clauses) + "。？！。"[int(rng.integers(4))]
