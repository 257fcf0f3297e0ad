"""The state of a monitor as plain data."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from dataaudit.errors import UsageError
from dataaudit.monitor.packed import packed, unpacked
from dataaudit.monitor.reference import FIRST_WINDOW, Reference
from dataaudit.monitor.units import Unit
from dataaudit.monitor.window import PaneState


class ReferenceState(msgspec.Struct, frozen=True):
    """The first window; arrays are packed."""

    unit: Unit
    ids: str
    counts: str
    lengths: str
    documents: str


class MonitorState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a monitor has seen.

    Attributes:
        window_size, vocab_size: settings, which must be the same where it is loaded.
        unit, seen_samples, seen_batches, compared_from: as in ``DataMonitor``.
        reference: the first window; None for a run, and while it is being seen.
        panes: of the window.
    """

    format: Literal[1] = 1
    window_size: int
    vocab_size: int | None
    unit: Unit | None
    seen_samples: int
    seen_batches: int
    compared_from: int
    reference: ReferenceState | None
    panes: list[PaneState]


def decoded_state(state: Mapping[str, Any]) -> MonitorState:
    """Returns a state from plain data.

    Raises:
        UsageError: it is none, or of another version.
    """
    try:
        return msgspec.convert(dict(state), MonitorState)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise UsageError(f"this is no state of a monitor of this version: {error}. Start without it.") from error


def reference_state(reference: Reference) -> ReferenceState:
    """Returns a reference as plain data."""
    arrays = (reference.ids, reference.counts, reference.lengths, reference.documents)
    return ReferenceState(reference.unit, *(packed(each) for each in arrays))


def reference_of(state: ReferenceState) -> Reference:
    """Returns the reference that ``reference_state`` was given."""
    ids, counts, lengths, documents = map(unpacked, (state.ids, state.counts, state.lengths, state.documents))
    return Reference(FIRST_WINDOW, state.unit, ids, counts, lengths, documents, is_run=False)
