"""Decodes token ids and encodes the text again: whether a tokenizer is the one that made them."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import TokenizerError
from dataaudit.tokenize.engines import is_panic
from dataaudit.tokenize.engines.tokenizers_engine import load_tokenizer
from dataaudit.tokenize.tokenizer_file import locate

PREFIX = 1024
"""Ids of a document that are compared: those of its beginning."""
EDGE = 16
"""Ids at either end that may differ where a document was cut out of a longer text."""
SHOWN = 8
"""Ids that a difference shows."""

Ids = NDArray[np.int64]


class Difference(NamedTuple):
    """Where the ids of a document first differ from those of the tokenizer.

    Attributes:
        position: index of the id in the document.
        given, encoded: the ids from there on, at most SHOWN of each.
    """

    position: int
    given: list[int]
    encoded: list[int]


class Returned(NamedTuple):
    """What came back of the beginning of one document.

    Attributes:
        difference: the first one, or None when every id is the same.
        is_same_inside: whether they are the same apart from at most EDGE ids at either end.
        tokens, encoded_tokens: ids that are not special, of the document and of the tokenizer.
        characters: of the text between them.
    """

    difference: Difference | None
    is_same_inside: bool
    tokens: int
    encoded_tokens: int
    characters: int


class Reencoder:
    """A tokenizer that takes ids back to text and to ids; special ids stay what they are."""

    def __init__(
        self, path: str | Path, special: Iterable[int] = (), special_text: Literal["text", "token"] = "text"
    ) -> None:
        """Loads the tokenizer.json at *path*.

        Args:
            path: the file or its folder.
            special: ids that count as special beside the tokenizer's own.
            special_text: whether the text of a special token is encoded as ordinary text or as the token.

        Raises:
            TokenizerError: it cannot be loaded.
        """
        self._tokenizer = load_tokenizer(locate(path))
        self._tokenizer.encode_special_tokens = special_text == "text"
        own = [number for number, token in self._tokenizer.get_added_tokens_decoder().items() if token.special]
        self._special = np.array([*own, *special], np.int64)

    @property
    def has_decoder(self) -> bool:
        """Whether the file says how ids become text; without that, the tokens are only put in a row."""
        return self._tokenizer.decoder is not None

    def is_special(self, ids: Ids) -> NDArray[np.bool_]:
        """Returns of each id whether it is special."""
        return np.isin(ids, self._special)

    def send_back(self, ids: Ids) -> Returned:
        """Returns what becomes of the first PREFIX ids of a document when they are decoded and encoded."""
        given = ids[:PREFIX]
        texts, encoded = [], []
        for start, stop in pairwise([0, *self._cuts(given), len(given)]):
            part = given[start:stop]
            if len(part) == 1 and part[0] in self._special:
                encoded.append(part)
                continue
            texts.append(self._decode(part))
            encoded.append(self._encode(texts[-1]))
        return self._returned(given, np.concatenate([np.empty(0, np.int64), *encoded]), sum(map(len, texts)))

    def compare(self, ids: Ids, text: str) -> Returned:
        """Returns how the ids of a document compare with those of the text that they are said to come from.

        Special ids before and after the text are left out.
        """
        ordinary = np.flatnonzero(~np.isin(ids, self._special))
        first, last = (int(ordinary[0]), int(ordinary[-1]) + 1) if len(ordinary) else (0, 0)
        given, shown = ids[first:last], text[: 16 * PREFIX]
        encoded = self._encode(shown)
        if len(given) > PREFIX or len(shown) < len(text):
            length = min(PREFIX, max(0, len(encoded) - EDGE) if len(shown) < len(text) else PREFIX)
            given, encoded = given[:length], encoded[:length]
        found = self._returned(given, encoded, len(shown))
        if found.difference is None:
            return found
        return found._replace(difference=found.difference._replace(position=found.difference.position + first))

    def _cuts(self, ids: Ids) -> list[int]:
        """Returns where the ids are cut so that every special one stands alone."""
        at = np.flatnonzero(np.isin(ids, self._special))
        cuts: list[int] = np.unique(np.concatenate([at, at + 1])).tolist()
        return [each for each in cuts if 0 < each < len(ids)]

    def _decode(self, ids: Ids) -> str:
        """Returns the text of ids; those that no tokenizer can have are left out, so that they do not come back."""
        known = ids[(ids >= 0) & (ids < 1 << 32)]
        text: str = self._tokenizer.decode(known.tolist(), skip_special_tokens=False)
        return text

    def _encode(self, text: str) -> Ids:
        try:
            encoding = self._tokenizer.encode(text, add_special_tokens=False)
        except BaseException as error:
            if type(error) is not Exception and not is_panic(error):
                raise
            raise TokenizerError(f"the tokenizer could not encode the text of a document: {error}.") from error
        return np.array(encoding.ids, np.int64)

    def _returned(self, given: Ids, encoded: Ids, characters: int) -> Returned:
        tokens, encoded_tokens = (int((~np.isin(ids, self._special)).sum()) for ids in (given, encoded))
        at = _first_difference(given, encoded)
        if at is None:
            return Returned(None, True, tokens, encoded_tokens, characters)
        difference = Difference(at, given[at : at + SHOWN].tolist(), encoded[at : at + SHOWN].tolist())
        return Returned(difference, _is_same_inside(given, encoded), tokens, encoded_tokens, characters)


def _first_difference(left: Ids, right: Ids) -> int | None:
    shorter = min(len(left), len(right))
    unequal = np.flatnonzero(left[:shorter] != right[:shorter])
    if len(unequal):
        return int(unequal[0])
    return None if len(left) == len(right) else shorter


def _is_same_inside(given: Ids, encoded: Ids) -> bool:
    core = given[EDGE:-EDGE]
    if len(core) < EDGE:
        return False
    last = min(4 * EDGE, len(encoded) - len(core))
    return any(np.array_equal(core, encoded[at : at + len(core)]) for at in range(last + 1))
