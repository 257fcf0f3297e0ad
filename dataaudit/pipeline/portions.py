"""Portions: what drift calls a shard. A file, a piece of a large file, or a group of small files."""

from collections.abc import Sequence

from dataaudit.corpus import Piece

MOST_PORTIONS = 64
"""Portions of one shard of the plan."""


def portions(pieces: Sequence[Piece]) -> list[int]:
    """Returns the portion that each piece of a shard belongs to, from 0 on without gaps.

    Up to 64 pieces are a portion each; more are grouped in order into 64 of about the same size.
    """
    if len(pieces) <= MOST_PORTIONS:
        return list(range(len(pieces)))
    # One byte more each, so that empty files do not all end up together.
    whole = sum(piece.size + 1 for piece in pieces)
    found, before, number, last = [], 0, -1, -1
    for piece in pieces:
        group = before * MOST_PORTIONS // whole
        number += group != last
        found.append(number)
        last = group
        before += piece.size + 1
    return found


def portion_names(pieces: Sequence[Piece]) -> list[str]:
    """Returns a name for each portion of a shard: its file, with the byte or row it starts at when the file is cut."""
    grouped: dict[int, list[Piece]] = {}
    for portion, piece in zip(portions(pieces), pieces, strict=True):
        grouped.setdefault(portion, []).append(piece)
    return [_name(group) for group in grouped.values()]


def _name(pieces: list[Piece]) -> str:
    first = pieces[0]
    name = first.file.name if first.start == 0 else f"{first.file.name} from {first.start:,}"
    return name if len(pieces) == 1 else f"{name} and {len(pieces) - 1:,} more files"
