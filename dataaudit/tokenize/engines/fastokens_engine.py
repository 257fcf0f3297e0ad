"""The fast engine: fastokens, which gives one flat buffer of ids."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from dataaudit.errors import TokenizerError
from dataaudit.tokenize.engines import EncodeError, SpecialText, is_panic
from dataaudit.tokenize.tokens import TokenBatch


class FastokensEngine:
    """A tokenizer loaded by fastokens."""

    def __init__(self, tokenizer: Any, special_text: SpecialText) -> None:
        self._tokenizer = tokenizer
        self._split = special_text == "text"

    def encode(self, texts: list[str], *, add_special_tokens: bool) -> TokenBatch:
        """See ``Engine.encode``; the arrays are views of the library's buffers."""
        try:
            ids, offsets = self._tokenizer.encode_batch_flat(
                texts, add_special_tokens=add_special_tokens, split_special_tokens=self._split
            )
        except ValueError as error:
            raise EncodeError(str(error)) from error
        except BaseException as error:
            if not is_panic(error):
                raise
            raise EncodeError(str(error)) from error
        return TokenBatch(np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.int64))


def load(path: Path, special_text: SpecialText) -> FastokensEngine:
    """Returns the tokenizer at *path*; one thread, since every worker process has one core."""
    os.environ.setdefault("FASTOKENS_BPE_THREADS", "1")
    try:
        import fastokens  # type: ignore[import-untyped]

        tokenizer = fastokens.Tokenizer.from_file(str(path))
    except ImportError as error:
        raise TokenizerError(f"fastokens is not installed: {error}") from error
    except ValueError as error:
        raise TokenizerError(f"fastokens cannot load {path}: {error}") from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise TokenizerError(f"fastokens cannot load {path}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return FastokensEngine(tokenizer, special_text)
