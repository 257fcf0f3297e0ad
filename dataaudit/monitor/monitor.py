"""``DataMonitor``: sees the batches of a training run go by and says when they are not what they were."""

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

import msgspec

from dataaudit.errors import UsageError
from dataaudit.monitor.batches import read_batch
from dataaudit.monitor.judging import Seen
from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.measures import all_measures
from dataaudit.monitor.measuring import Measuring, space_of, unit_of
from dataaudit.monitor.reference import FIRST_WINDOW, RunReference, of_run, of_window
from dataaudit.monitor.result import MonitorResult
from dataaudit.monitor.state import MonitorState, ReferenceState, decoded_state, reference_of, reference_state
from dataaudit.monitor.units import Unit
from dataaudit.monitor.vocabulary import MonitorTokenizer
from dataaudit.monitor.watch import Watched
from dataaudit.monitor.window import Window

T = TypeVar("T")


class DataMonitor:
    """Watches batches for duplicates, drift, ids out of range, controls, shifts of length, and faults of labels.

    Every method may be called from several threads. What is kept is bounded: see ``Window``.

    Args:
        reference: the run folder of an audit of the training corpus; without one, the first window is it.
        tokenizer: a tokenizer.json, or the tokenizer object of ``tokenizers`` or ``transformers``; that of the
            reference when None. Texts are counted in its tokens, ids are judged by its vocabulary.
        window_size: samples that are looked at together, the last ones.
        vocab_size: rows of the model's embedding table; else what the reference or the tokenizer says.
        max_length: tokens at which samples are cut, so that the reference's lengths are cut there too; else what the
            reference was audited with.
        text_column: where batches that are mappings have their texts.
        pad_id: the id that fills rows up, for batches without an attention mask; else what the tokenizer says.
        levels: from which on a measure is an anomaly.

    Raises:
        DataAuditError: the reference or the tokenizer cannot be used, or they do not belong together.
    """

    def __init__(
        self,
        reference: str | PathLike[str] | None = None,
        tokenizer: Any = None,
        window_size: int = 10_000,
        *,
        vocab_size: int | None = None,
        max_length: int | None = None,
        text_column: str = "text",
        pad_id: int | None = None,
        levels: MonitorLevels | None = None,
    ) -> None:
        for name, number, least in (("window_size", window_size, 10), ("vocab_size", vocab_size, 1)):
            if number is not None and (not isinstance(number, int) or number < least):
                raise UsageError(f"{name} is {number!r}. Expected a whole number from {least} on.")
        given = None if tokenizer is None else MonitorTokenizer(tokenizer)
        run = RunReference(None, given, None, None, None) if reference is None else of_run(Path(reference), given)
        known = run.tokenizer
        self.levels = levels or MonitorLevels()
        id_space = None if known is None else known.vocabulary.id_space
        self._measuring = Measuring(known, vocab_size or run.vocab_size or id_space)
        self._max_length = max_length or run.max_length
        self._text_column = text_column
        known_pad = run.pad_id if run.pad_id is not None or known is None else known.pad_id
        self._pad_id = known_pad if pad_id is None else pad_id
        self._window = Window(window_size)
        self._reference = run.reference
        self._is_run = run.reference is not None
        self._run = None if reference is None else str(reference)
        self._unit: Unit | None = None
        self._compared_from = 0
        self._lock = RLock()

    @property
    def run(self) -> str | None:
        """The run folder that is the reference, as it was given; None without one."""
        return self._run

    @property
    def seen_samples(self) -> int:
        """Samples seen since the start; the number of the next one."""
        return self._window.seen_samples

    @property
    def seen_batches(self) -> int:
        """Batches seen since the start."""
        return self._window.seen_batches

    def update(self, batch: Any) -> None:
        """Looks at a batch: texts or token ids, with labels and attention mask where there are any.

        Raises:
            UsageError: it has none of the forms that are known; the message lists them.
        """
        samples = read_batch(batch, text_column=self._text_column, pad_id=self._pad_id)
        if not samples.rows:
            return
        with self._lock:
            unit = unit_of(samples, self._measuring.tokenizer, self._unit)
            measured = self._measuring.measure(samples)
            self._unit = unit
            self._window.add(measured, samples.names, space_of(unit, self._measuring))
            if self._reference is None and self._window.seen_samples >= self._window.size:
                self._reference = of_window(self._window, unit)
                self._compared_from = self._window.seen_samples
                self._window.begin_pane()

    def check_anomaly(self) -> MonitorResult:
        """Measures and judges the window: the last ``window_size`` samples, or those that there are."""
        with self._lock:
            seen = Seen(
                self._window,
                self._unit,
                self._measuring,
                self._reference,
                self._compared_from,
                self._max_length,
            )
            return MonitorResult(
                first_sample=self._window.first_sample,
                samples=self._window.samples,
                tokens=self._window.sum("tokens") if self._unit == "tokens" else None,
                seen_samples=self._window.seen_samples,
                seen_batches=self._window.seen_batches,
                reference=self._reference.name if self._reference else FIRST_WINDOW,
                measures=tuple(each for measures in all_measures() for each in measures(seen, self.levels)),
            )

    def new_epoch(self) -> None:
        """Forgets which samples were seen: from here on they may come again without being duplicates."""
        with self._lock:
            self._window.forget_samples()

    def watch(self, loader: Iterable[T]) -> Watched[T]:
        """Returns an iterable that gives the loader's batches unchanged and shows each to the monitor first."""
        return Watched(self, loader)

    def state_dict(self) -> dict[str, Any]:
        """Returns everything that was seen as plain data, which JSON and ``torch.save`` can hold."""
        with self._lock:
            kept: ReferenceState | None = None
            if self._reference is not None and not self._is_run:
                kept = reference_state(self._reference)
            state = MonitorState(
                window_size=self._window.size,
                unit=self._unit,
                vocab_size=self._measuring.vocab_size,
                seen_samples=self._window.seen_samples,
                seen_batches=self._window.seen_batches,
                compared_from=self._compared_from,
                reference=kept,
                panes=self._window.state(),
            )
            found: dict[str, Any] = msgspec.to_builtins(state)
            return found

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over what ``state_dict`` gave, so that the next checks are those of an uninterrupted run.

        Raises:
            UsageError: it is damaged, or of a monitor with other settings.
        """
        found = decoded_state(state)
        for name, mine, its in (
            ("window_size", self._window.size, found.window_size),
            ("vocab_size", self._measuring.vocab_size, found.vocab_size),
        ):
            if mine != its:
                raise UsageError(f"the state is of a monitor with {name} {its}, this one has {mine}. Make them equal.")
        reference = None if found.reference is None else reference_of(found.reference)
        window = Window(self._window.size)
        window.seen_samples, window.seen_batches = found.seen_samples, found.seen_batches
        window.restore(found.panes, space_of(found.unit or "tokens", self._measuring))
        with self._lock:
            self._window, self._unit, self._compared_from = window, found.unit, found.compared_from
            self._reference = self._reference if self._is_run else reference
