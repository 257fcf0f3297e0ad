"""Best-fit-decreasing packing of documents into windows, from their lengths alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.jit import kernel


class Packed(NamedTuple):
    """A packing.

    Attributes:
        windows: windows used.
        padding: tokens of padding in them.
    """

    windows: int
    padding: int


def pack_best_fit(lengths: NDArray[np.int64], documents: NDArray[np.int64], context: int) -> Packed:
    """Packs documents into windows of *context* tokens: longest first, each into the fullest window with room.

    Documents longer than a window are first cut into full windows and a rest. Equal lengths are placed in bulk, so the
    work grows with the context, not with the number of documents, and the result is that of the plain algorithm.

    Args:
        lengths: int64[n], lengths in tokens; need not be sorted or distinct.
        documents: int64[n], how many documents have each length.
        context: tokens in a window.

    Raises:
        ValueError: if *context* is not positive.

    Source: Ding et al. 2024, arXiv 2404.10830.
    """
    if context < 1:
        raise ValueError(f"a window holds at least one token, not {context}")
    full = int((lengths // context * documents).sum())
    rest = np.zeros(context + 1, np.int64)
    np.add.at(rest, lengths % context, documents)
    windows = full + int(_pack(rest, context))
    return Packed(windows, windows * context - int((lengths * documents).sum()))


@kernel
def _pack(rest: NDArray[np.int64], context: int) -> int:
    """Returns the windows needed for ``rest[s]`` pieces of each size s below the context."""
    leaves = 1
    while leaves <= context:
        leaves *= 2
    free = np.zeros(context + 1, np.int64)  # windows by the room left in them
    tree = np.zeros(2 * leaves, np.bool_)  # whether any window below a node has room
    windows = 0
    for size in range(context - 1, 0, -1):
        pieces = rest[size]
        while pieces > 0:
            room = _least_room(tree, leaves, size)
            if room < 0:
                room = context
                opened = max(1, pieces // (context // size))
                windows += opened
                _add_windows(free, tree, leaves, room, opened)
            each = room // size
            filled = min(free[room], pieces // each)
            if filled > 0:
                _add_windows(free, tree, leaves, room, -filled)
                _add_windows(free, tree, leaves, room - each * size, filled)
                pieces -= filled * each
            else:
                _add_windows(free, tree, leaves, room, -1)
                _add_windows(free, tree, leaves, room - pieces * size, 1)
                pieces = 0
    return windows


@kernel
def _add_windows(free: NDArray[np.int64], tree: NDArray[np.bool_], leaves: int, room: int, number: int) -> None:
    free[room] += number
    node = leaves + room
    tree[node] = free[room] > 0
    while node > 1:
        node //= 2
        tree[node] = tree[2 * node] or tree[2 * node + 1]


@kernel
def _least_room(tree: NDArray[np.bool_], leaves: int, size: int) -> int:
    """Returns the least room of at least *size* that some window has, or -1."""
    node = leaves + size
    if tree[node]:
        return size
    while node > 1 and not (node % 2 == 0 and tree[node + 1]):
        node //= 2
    if node <= 1:
        return -1
    node += 1
    while node < leaves:
        node *= 2
        if not tree[node]:
            node += 1
    return node - leaves
