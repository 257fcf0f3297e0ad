"""Measures the ids of a piece, each once and in the order of the file, whatever its index says."""

from typing import Any

import xxhash
from numpy.typing import NDArray

from dataaudit.corpus.documents import Piece, Tally
from dataaudit.corpus.token_array import native
from dataaudit.corpus.token_arrays.source import BLOCK, TokenSource
from dataaudit.corpus.token_facts import TokenFacts
from dataaudit.corpus.token_layout import TokenLayout


def layout_of(piece: Piece) -> TokenLayout:
    """Returns the layout of a piece of a token array."""
    assert piece.layout is not None
    return piece.layout


class Measuring:
    """Fills ``tally.token_facts``, ``bytes_read`` and, at the end, the digest.

    Attributes:
        digest: of the bytes of the piece's ids and of what was added.
    """

    def __init__(self, source: TokenSource, piece: Piece, tally: Tally) -> None:
        self._source, self._tally = source, tally
        self._at, self._stop = piece.start, source.tokens if piece.stop is None else min(piece.stop, source.tokens)
        self.digest = xxhash.xxh3_128()
        tally.token_facts = first_facts(source, piece)

    def ids(self, position: int, ids: NDArray[Any]) -> None:
        """Measures ids that were read at a position; those before them are read and measured first."""
        if position > self._at:
            self.up_to(position)
        fresh = ids[max(0, self._at - position) : max(0, self._stop - position)]
        if len(fresh):
            self._measure(fresh)

    def up_to(self, position: int) -> None:
        """Measures what stands before a position and was not measured yet."""
        while self._at < min(position, self._stop):
            ids = self._source.ids(self._at, min(BLOCK, position - self._at, self._stop - self._at))
            if not len(ids):
                break
            self._measure(ids)

    def finish(self) -> None:
        """Measures the rest and sets the digest."""
        self.up_to(self._stop)
        self._tally.digest = self.digest.hexdigest()

    def _measure(self, ids: NDArray[Any]) -> None:
        assert self._tally.token_facts is not None
        self._tally.token_facts = self._tally.token_facts.with_tokens(ids, self._at)
        self.digest.update(ids.data)
        self._tally.bytes_read += ids.nbytes
        self._at += len(ids)


def first_facts(source: TokenSource, piece: Piece) -> TokenFacts:
    """Returns the facts of a piece before its ids are measured; what concerns the file stands on its first piece."""
    layout = layout_of(piece)
    is_first = piece.start == 0 and piece.first_record == 0
    kind = native(layout.dtype)
    facts = TokenFacts(
        dtype=kind.name,
        itemsize=kind.itemsize,
        dtype_from=layout.dtype_from,
        delimited_by=layout.delimited_by,
        extra_bytes=source.extra_bytes if is_first else 0,
        declared_tokens=layout.declared if is_first else None,
        declared_by=layout.declared_by if is_first else None,
    )
    if is_first and layout.missing is not None:
        message = (
            f"id {layout.missing}, which is to delimit documents, does not occur at the beginning of the file: it is "
            f"read in sequences of {layout.length:,} tokens"
        )
        facts = facts.with_problem("delimiter", message, position=0)
    return facts
