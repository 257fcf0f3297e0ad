"""What the monitor needs to know of a tokenizer: its ids, what they spell, and how texts become ids."""

import re
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import TokenizerError
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.tokenize import (
    Encoder,
    TokenizerIdentity,
    identify,
    load_encoder,
    special_ids,
    token_bytes,
    token_texts,
    vocabulary,
)

CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")
"""Unicode Cc without tab, LF and CR, in UTF-8."""
CONTINUATIONS = bytes(range(0x80, 0xC0))


class Spelling(NamedTuple):
    """What ids stand for, so that characters are counted without decoding.

    Attributes:
        characters: int64[id_space], characters that begin in the token; 0 for added tokens.
        controls: int64[id_space], those of them that are controls. One that is cut in two by a byte-level tokenizer,
            which only U+0080 to U+009F can be, is missed.
    """

    characters: NDArray[np.int64]
    controls: NDArray[np.int64]


class MonitorTokenizer:
    """A tokenizer.json, or the tokenizer object of a library that can write one.

    Attributes:
        is_object: whether it was given as an object, whose file may be written otherwise than the one it came from.
        path: of the file.
        vocabulary: facts by id.
        spelling: what each id stands for.
        pad_id: the id that fills rows up; None when it is also the end of a document, or unknown.
        identity: which tokenizer it is.
    """

    def __init__(self, tokenizer: Any, *, add_special_tokens: bool = False) -> None:
        self.is_object = not isinstance(tokenizer, str | PathLike)
        self.path = self._file(tokenizer)
        self._add = add_special_tokens
        self._encoder: Encoder | None = None
        self.identity: TokenizerIdentity = identify(self.path)
        self.vocabulary: Vocabulary = vocabulary(self.path)
        self.spelling = _spelling(self.path, self.vocabulary.id_space)
        named = special_ids(self.path)
        self.pad_id = None if named.pad_id == named.eos_id else named.pad_id

    def _file(self, tokenizer: Any) -> Path:
        if not self.is_object:
            return Path(tokenizer)
        inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if not hasattr(inner, "to_str"):
            raise TokenizerError(
                f"tokenizer is a {type(tokenizer).__name__}. Expected the path of a tokenizer.json, a "
                "tokenizers.Tokenizer, or a fast tokenizer of transformers."
            )
        folder = mkdtemp(prefix="dataaudit-tokenizer-")
        finalize(self, rmtree, folder, ignore_errors=True)
        path = Path(folder, "tokenizer.json")
        path.write_text(inner.to_str(), encoding="utf-8")
        return path

    @property
    def encoder(self) -> Encoder:
        """Turns texts into ids; loaded when it is first asked for."""
        if self._encoder is None:
            self._encoder = load_encoder(self.path, add_special_tokens=self._add)
        return self._encoder

    def texts(self, ids: list[int]) -> list[str | None]:
        """Returns what ids stand for; None for an id without a token."""
        return token_texts(self.path, ids)


def _spelling(path: Path, id_space: int) -> Spelling:
    characters, controls = np.zeros(id_space, np.int64), np.zeros(id_space, np.int64)
    for number, raw in token_bytes(path).items():
        characters[number] = len(raw.translate(None, CONTINUATIONS))
        controls[number] = len(CONTROLS.findall(raw))
    return Spelling(characters, controls)
