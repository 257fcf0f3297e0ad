"""Libraries that turn texts into token ids. One file an engine; each has ``NAME`` and ``load``."""

from pathlib import Path
from typing import Literal, Protocol

from dataaudit.tokenize.tokens import TokenBatch

EngineName = Literal["fastokens", "tokenizers"]
SpecialText = Literal["text", "token"]


class Engine(Protocol):
    """A loaded tokenizer."""

    def encode(self, texts: list[str], *, add_special_tokens: bool) -> TokenBatch:
        """Returns the ids of *texts*.

        Raises:
            EncodeError: The library gave up on one of the texts.
        """
        ...


class EncodeError(Exception):
    """A library gave up on a text; the message is the library's."""


def load_engine(name: EngineName, path: Path, special_text: SpecialText) -> Engine:
    """Returns the engine *name* with the tokenizer at *path*, without truncation and padding.

    Raises:
        TokenizerError: The library cannot load the file; the message is the library's.
    """
    if name == "fastokens":
        from dataaudit.tokenize.engines import fastokens_engine

        return fastokens_engine.load(path, special_text)
    from dataaudit.tokenize.engines import tokenizers_engine

    return tokenizers_engine.load(path, special_text)


def is_panic(error: BaseException) -> bool:
    """Returns whether *error* is a panic of a Rust library, which is no ``Exception`` and cannot be imported."""
    return type(error).__module__ == "pyo3_runtime"
