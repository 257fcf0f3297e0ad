"""Reads the tokens of documents that came as ids, decoded, around the token that a finding names."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import DataAuditError
from dataaudit.pipeline.plan import ROW_BITS, Plan
from dataaudit.pipeline.store import RunFolder
from dataaudit.tokenize import read_token_shard, token_texts

LEAD, MOST = 40, 120
"""Tokens before the named one, and in all."""
Place = tuple[int, int | None]
"""A document by its doc_id, and the index of a token in it, or None."""


class Decoded(NamedTuple):
    """A part of a document, and the named token in it, in characters; None when no token is named."""

    text: str
    start: int | None
    stop: int | None


def decoded(run: RunFolder, plan: Plan, wanted: Collection[Place]) -> dict[Place, Decoded]:
    """Returns the text of the tokens around each place, or of the document's first ones where it names no token.

    An id without a token is written as its number in brackets. There is nothing without a tokenizer, and of texts.
    """
    if plan.map.tokenizer is None:
        return {}
    parts = dict(_parts(run, plan, wanted))
    try:
        texts = iter(token_texts(plan.map.tokenizer.path, [id_ for ids, _ in parts.values() for id_ in ids]))
    except (DataAuditError, OSError):
        return {}  # The file has gone since the audit; places tell enough.
    return {place: _joined(ids, list(islice(texts, len(ids))), at) for place, (ids, at) in parts.items()}


def _joined(ids: list[int], texts: list[str | None], at: int | None) -> Decoded:
    pieces = [f"⟨{id_}⟩" if text is None else text for id_, text in zip(ids, texts, strict=True)]
    if at is None:
        return Decoded("".join(pieces), None, None)
    start = sum(map(len, pieces[:at]))
    return Decoded("".join(pieces), start, start + len(pieces[at]))


def _parts(
    run: RunFolder, plan: Plan, wanted: Collection[Place]
) -> Iterator[tuple[Place, tuple[list[int], int | None]]]:
    """Yields the ids around each place, and where the named one is among them."""
    for shard in sorted({doc_id >> ROW_BITS for doc_id, _ in wanted}):
        path = run.part("tokens", shard, "arrow")
        if not path.exists() or not any(piece.kind == "ids" for piece in plan.shards[shard]):
            continue
        here = sorted({doc_id for doc_id, _ in wanted if doc_id >> ROW_BITS == shard})
        for doc_ids, ids, offsets in read_token_shard(path):
            for row in np.flatnonzero(np.isin(doc_ids, np.array(here, np.uint64))).tolist():
                document = ids[offsets[row] : offsets[row + 1]]
                for place in wanted:
                    if place[0] == int(doc_ids[row]):
                        yield place, _around(document, place[1])


def _around(ids: NDArray[Any], position: int | None) -> tuple[list[int], int | None]:
    at = position if position is not None and position < len(ids) else None
    first = max(0, (at or 0) - LEAD)
    return ids[first : first + MOST].tolist(), None if at is None else at - first
