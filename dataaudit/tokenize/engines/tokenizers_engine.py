"""The reference engine: tokenizers."""

import os
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from dataaudit.errors import TokenizerError
from dataaudit.tokenize.engines import EncodeError, SpecialText, is_panic
from dataaudit.tokenize.tokenizer_file import stamp
from dataaudit.tokenize.tokens import TokenBatch


class TokenizersEngine:
    """A tokenizer loaded by tokenizers."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def encode(self, texts: list[str], *, add_special_tokens: bool) -> TokenBatch:
        """See ``Engine.encode``."""
        try:
            encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=add_special_tokens)
        except BaseException as error:
            # tokenizers raises bare Exception for its own errors, and its regex engine panics on some texts
            if type(error) is not Exception and not is_panic(error):
                raise
            raise EncodeError(str(error)) from error
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(encoding) for encoding in encodings], out=offsets[1:])
        ids = np.fromiter(chain.from_iterable(encoding.ids for encoding in encodings), np.uint32, int(offsets[-1]))
        return TokenBatch(ids, offsets)


def load(path: Path, special_text: SpecialText) -> TokenizersEngine:
    """Returns the tokenizer at *path*; one thread, since every worker process has one core."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = load_tokenizer(path)
    tokenizer.encode_special_tokens = special_text == "text"
    return TokenizersEngine(tokenizer)


def plain_tokenizer(path: Path) -> Tokenizer:
    """Returns the library's own tokenizer at *path* to look things up in; every caller has the same one."""
    return _plain(path, stamp(path))


@lru_cache(maxsize=1)
def _plain(path: Path, _stamp: tuple[int, int, int]) -> Tokenizer:
    return load_tokenizer(path)


def release_plain_tokenizer() -> None:
    """Lets go of the tokenizer that ``plain_tokenizer`` keeps."""
    _plain.cache_clear()


def load_tokenizer(path: Path) -> Tokenizer:
    """Returns the library's own tokenizer at *path*, without truncation and padding."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except BaseException as error:
        if type(error) is not Exception and not is_panic(error):
            raise
        raise TokenizerError(
            f"{path}: tokenizers cannot load this file: {error}. Expected a tokenizer.json of a version that the "
            "installed tokenizers knows; upgrade tokenizers, or save the file again with it."
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
