"""Turns batches of documents into token ids with one engine."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.errors import TokenizerError
from dataaudit.tokenize.engines import EncodeError, Engine, EngineName, SpecialText, load_engine
from dataaudit.tokenize.engines.tokenizers_engine import release_plain_tokenizer
from dataaudit.tokenize.long_documents import PIECE, encode_long
from dataaudit.tokenize.tokenizer_file import locate, read_settings, stamp
from dataaudit.tokenize.tokens import TokenBatch, Unencoded

LONG = 2 * PIECE
"""Bytes from which a document is encoded in pieces."""
_SLICE = PIECE
"""Bytes that are given to the engine at once; it needs up to 150 times as much while it works."""

_Ids = NDArray[np.uint32]


class _Around(NamedTuple):
    """The ids that the tokenizer puts before and after every document."""

    before: _Ids
    after: _Ids


class Encoder:
    """A loaded tokenizer.

    Attributes:
        engine: the library that encodes.
    """

    def __init__(self, engine: EngineName, loaded: Engine, *, add_special_tokens: bool) -> None:
        self.engine = engine
        self._loaded = loaded
        self._add = add_special_tokens
        self._around = (
            _around(loaded) if add_special_tokens else _Around(np.zeros(0, np.uint32), np.zeros(0, np.uint32))
        )

    def encode(self, text: pa.LargeStringArray) -> TokenBatch:
        """Returns the ids of every document, the same whatever else is in the batch.

        A document longer than LONG is encoded in pieces (see ``long_documents``). A document that the library gives up
        on is named in ``unencoded``.
        """
        parts = [self._encode_range(text, first, last) for first, last in _slices(text)]
        ids = [each for part in parts for each in part.ids]
        lengths = np.concatenate([np.zeros(1, np.int64), *(part.lengths for part in parts)])
        failed = tuple(each for part in parts for each in part.failed)
        return TokenBatch(np.concatenate(ids) if ids else np.zeros(0, np.uint32), np.cumsum(lengths), failed)

    def _encode_range(self, text: pa.LargeStringArray, first: int, last: int) -> "_Part":
        if last == first + 1:
            return self._encode_one(text, first)
        try:
            batch = self._loaded.encode(text[first:last].to_pylist(), add_special_tokens=self._add)
        except EncodeError:
            parts = [self._encode_one(text, document) for document in range(first, last)]
            return _Part(
                [each for part in parts for each in part.ids],
                np.concatenate([part.lengths for part in parts]),
                [each for part in parts for each in part.failed],
            )
        return _Part([batch.ids], np.diff(batch.offsets), [])

    def _encode_one(self, text: pa.LargeStringArray, document: int) -> "_Part":
        data = memoryview(text[document].as_buffer())
        try:
            if len(data) > LONG:
                ids = [self._around.before, *encode_long(self._loaded, data), self._around.after]
            else:
                ids = [self._loaded.encode([str(data, "utf-8")], add_special_tokens=self._add).ids]
        except EncodeError as error:
            reason = f"{self.engine} could not encode this document of {len(data):,} bytes: {error}"
            return _Part([], np.zeros(1, np.int64), [Unencoded(document, reason)])
        return _Part(ids, np.array([sum(map(len, ids))], np.int64), [])


class _Part(NamedTuple):
    """Ids of some documents, their lengths, and those that failed."""

    ids: list[_Ids]
    lengths: NDArray[np.int64]
    failed: list[Unencoded]


def _slices(text: pa.LargeStringArray) -> Iterator[tuple[int, int]]:
    """Yields ranges of documents of together at most _SLICE bytes; a larger document is alone."""
    sizes = pc.fill_null(pc.binary_length(text), 0).to_numpy()
    first = size = 0
    for document, each in enumerate(sizes.tolist()):
        if size + each > _SLICE and document > first:
            yield first, document
            first, size = document, 0
        size += each
    if first < len(text):
        yield first, len(text)


def _around(engine: Engine) -> _Around:
    """Returns what the post-processor adds, found by encoding one letter with and without it."""
    plain = engine.encode(["a"], add_special_tokens=False).ids
    full = engine.encode(["a"], add_special_tokens=True).ids
    for at in range(len(full) - len(plain) + 1):
        if np.array_equal(full[at : at + len(plain)], plain):
            return _Around(full[:at], full[at + len(plain) :])
    raise TokenizerError("the tokenizer's post-processor changes the ids of the text itself; that is not supported.")


def load_encoder(
    path: str | Path,
    *,
    engine: Literal["auto", "fastokens", "tokenizers"] = "auto",
    special_text: SpecialText = "text",
    add_special_tokens: bool = False,
) -> Encoder:
    """Returns the tokenizer.json at *path*, ready to encode on one core.

    ``auto`` decides by the built-in texts alone; a run decides once with ``compare_engines`` and then names the engine.
    With *special_text* ``text``, the text of a special token inside a document is encoded as ordinary text.

    Raises:
        TokenizerError: The file cannot be loaded, or not by the engine that was named.
    """
    found = locate(path)
    read_settings(found)
    if engine == "auto":
        from dataaudit.tokenize.compare import compare_engines

        none = pa.array([], pa.large_string())
        engine = compare_engines(found, none, special_text=special_text, add_special_tokens=add_special_tokens).engine
    return _encoder(found, stamp(found), engine, special_text, add_special_tokens)


def release_encoder() -> None:
    """Lets go of the encoder that was loaded last; a large vocabulary takes some 300 MB."""
    _encoder.cache_clear()
    release_plain_tokenizer()


@lru_cache(maxsize=1)
def _encoder(
    path: Path,
    _stamp: tuple[int, int, int],
    engine: EngineName,
    special_text: SpecialText,
    add_special_tokens: bool,
) -> Encoder:
    """Keeps the last encoder: a run compares engines and then measures with one, and loading it takes over a second."""
    return Encoder(engine, load_engine(engine, path, special_text), add_special_tokens=add_special_tokens)
