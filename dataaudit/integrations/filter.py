"""The rules of a preset or a config as functions for ``datasets``: ``map`` with reasons, ``filter`` by verdict."""

import warnings
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.config.load import LoadedConfig, check_names, load_config
from dataaudit.config.override import override
from dataaudit.config.ranges import Range, check_limits
from dataaudit.config.schema import Moving, Rule
from dataaudit.errors import UsageError
from dataaudit.integrations.columns import Batch, TypedColumn, numbers_of, put_columns, take_rows, texts_of
from dataaudit.integrations.measuring import Measuring, measuring_of
from dataaudit.integrations.run_signals import CHECKED, RunSignals, run_signals
from dataaudit.integrations.token_columns import side_lists, token_lists
from dataaudit.rules import REASONS, WITHOUT_TEXT, admission, at_step, empty_documents, evaluate, reasons
from dataaudit.signals import all_signals

REASONS_COLUMN = "dataaudit_reasons"
EMPTINESS = {"text": "whitespace_char_ratio", "ids": "token_count"}
"""The signal that tells an empty document."""


@dataclass(frozen=True)
class Filter:
    """The rules of a preset or a config file, for ``ds.map(f.annotate, batched=True)`` and ``ds.filter(f.keep, ...)``.

    Its state is plain data, with the version of every signal that the rules look at, so that ``datasets`` finds its
    cached results again in another process, and never takes those of other rules or of another version.

    Attributes:
        name: the preset or the file.
        rules: the rules that are judged, in order.
        skipped: ids of the rules that are not, because of what they need; ``Filter.load`` warns of them.
        versions: version by signal, of all signals that are measured.
        content_column: the dataset's column with the text or the token ids; names may be dotted for nested fields.
        side_columns: which of the dataset's columns are ``labels`` and ``attention_mask`` beside token ids.
        number_columns: the dataset's columns that rules use like signals.
        measuring: what signals depend on besides the text.
        run: where signals of the whole corpus are looked up, or None.
    """

    name: str
    rules: tuple[Rule, ...]
    skipped: tuple[str, ...]
    versions: tuple[tuple[str, int], ...]
    content_column: str
    side_columns: tuple[tuple[str, str], ...]
    number_columns: tuple[str, ...]
    measuring: Measuring
    run: RunSignals | None

    @classmethod
    def load(
        cls,
        preset_or_path: str | PathLike[str] | None = None,
        *,
        tokenizer: str | PathLike[str] | None = None,
        run: str | PathLike[str] | None = None,
        at_step: int | None = None,
        text_column: str | None = None,
        ids_column: str | None = None,
        labels_column: str | None = None,
        attention_mask_column: str | None = None,
    ) -> "Filter":
        """Returns the filter of a preset or a YAML file; the preset ``default`` when None.

        Args:
            preset_or_path: such as ``gopher``, or ``my.yaml``.
            tokenizer: a tokenizer.json, for rules on tokens; the config's when None.
            run: the run folder of an audit of the same documents, for rules that need the whole corpus.
            at_step: the training step whose limits hold, where limits move; the final ones when None.
            text_column: the column with the text; the config's, or ``text``, when None.
            ids_column: the column with the token ids, of a dataset that has no text, such as ``input_ids``.
            labels_column: the column with the labels beside it, for rules that look at them.
            attention_mask_column: the column with the attention mask, likewise.

        Raises:
            DataAuditError: the config, the tokenizer or the run cannot be used; the message says what to do.
        """
        loaded = override(
            load_config(None if preset_or_path is None else str(preset_or_path)),
            tokenizer=None if tokenizer is None else str(tokenizer),
        )
        checks = {name: levels.options for name, levels in loaded.config.checks.items()}
        check_names(loaded, all_signals(), checks)
        check_limits(loaded, {name: Range(*each.limits) for name, each in all_signals().items()}, {})
        sides = {"labels": labels_column, "attention_mask": attention_mask_column}
        named = tuple((name, column) for name, column in sides.items() if column is not None)
        if text_column is not None and (ids_column is not None or named):
            raise UsageError("text_column names texts, and the other columns token ids. Give the one or the others.")
        if named and ids_column is None:
            raise UsageError(f"{named[0][1]!r} stands beside token ids. Name their column too: ids_column=NAME.")
        content = ids_column or text_column or loaded.config.read.text_column or "text"
        measuring = measuring_of(loaded, "text" if ids_column is None else "ids", tuple(name for name, _ in named))
        return _load(loaded, None if run is None else str(run), at_step, content, named, measuring)

    def annotate(self, batch: Batch) -> dict[str, TypedColumn] | pa.Table:
        """Adds the signals that the rules look at, and ``dataaudit_reasons``: every rule that a document fails.

        With limits that move in training also ``admit_from_step`` and ``admit_until_step``.
        """
        table, without = self._table(batch)
        columns = {name: table.column(name).combine_chunks() for name in self._shown(table)}
        if any(isinstance(limit, Moving) for rule in self.rules for limit in (rule.min, rule.max)):
            columns |= admission(self.rules, table)._asdict()
        columns[REASONS_COLUMN] = _with_missing_text(reasons(self.rules, table), without)
        return put_columns(batch, columns)

    def keep(self, batch: Batch) -> list[bool]:
        """Says of each document whether no rule takes it out."""
        table, without = self._table(batch)
        out = empty_documents(table) | without
        for rule, mask in zip(self.rules, evaluate(self.rules, table), strict=True):
            if mask is not None and rule.action == "quarantine":
                out |= mask.fails
        kept: list[bool] = (~out).tolist()
        return kept

    def select(self, batch: Batch) -> dict[str, list[Any]] | pa.Table:
        """Returns the rows of a batch that are kept, for ``ds.map(f.select, batched=True)``; there may be none."""
        return take_rows(batch, np.flatnonzero(self.keep(batch)))

    def _table(self, batch: Batch) -> tuple[pa.Table, NDArray[np.bool_]]:
        """Returns the signals of a batch, and which documents have no text and no token ids."""
        names = tuple(name for name, _ in self.versions if self.run is None or name not in self.run.names)
        if self.measuring.kind == "ids":
            ids = token_lists(batch, self.content_column, "the token ids; name it with ids_column=NAME")
            sides = {side: side_lists(batch, name, side) for side, name in self.side_columns}
            without, table = ids.missing, self.measuring.measure_ids(ids, sides, names)
        else:
            text, without = texts_of(batch, self.content_column)
            table = self.measuring.measure(text, names)
        for name in self.number_columns:
            table = table.append_column(name, numbers_of(batch, name))
        if self.run is not None:
            table = self.run.look_up(batch, table, without)
        return table, without

    def _shown(self, table: pa.Table) -> list[str]:
        used = {name for rule in self.rules for name in _signals_of(rule)}
        return [name for name in table.column_names if name in used and name not in self.number_columns]


def _load(
    loaded: LoadedConfig,
    run: str | None,
    step: int | None,
    content: str,
    sides: tuple[tuple[str, str], ...],
    measuring: Measuring,
) -> Filter:
    known, columns = all_signals(), loaded.config.read.number_columns
    judged, skipped = [], {}
    for rule in loaded.config.rules:
        lacking = [
            (name, reason)
            for name in _signals_of(rule)
            if name in known
            and (reason := measuring.missing(known[name])) is not None
            and not (run is not None and _needs_corpus(name))
        ]
        if lacking:
            skipped[rule.id] = f"{lacking[0][0]}: {lacking[0][1]}"
        else:
            judged.append(rule)
    used = {name for rule in judged for name in _signals_of(rule)}
    corpus = tuple(sorted(name for name in used if name in known and _needs_corpus(name)))
    checked = CHECKED[measuring.kind]
    always = {EMPTINESS[measuring.kind], *([checked] if corpus else [])}
    measured = {*always, *(name for name in used if name in known)}
    if skipped:
        _warn(loaded.name, skipped)
    return Filter(
        name=loaded.name,
        rules=tuple(judged) if step is None else at_step(judged, step),
        skipped=tuple(skipped),
        versions=tuple((name, known[name].version) for name in known if name in measured),
        content_column=content,
        side_columns=sides,
        number_columns=tuple(name for name in columns if name in used),
        measuring=measuring,
        run=run_signals(run, loaded.config.read.id_column, corpus, checked) if run is not None and corpus else None,
    )


def _signals_of(rule: Rule) -> list[str]:
    return [rule.signal, *(condition.signal for condition in rule.applies_when)]


def _needs_corpus(name: str) -> bool:
    signal = all_signals()[name]
    return signal.needs in ("duplicates", "drift") or "pooled_counts" in signal.requires


def _warn(name: str, skipped: dict[str, str]) -> None:
    rules = "; ".join(f"{rule} ({reason})" for rule, reason in skipped.items())
    advice = "For tokens give tokenizer=FILE, for the whole corpus run=RUN."
    warnings.warn(f"{name}: {len(skipped)} rules are skipped: {rules}. {advice}", stacklevel=4)


def _with_missing_text(found: pa.ListArray, without: NDArray[np.bool_]) -> pa.ListArray:
    """Returns the reasons, with the one reason ``without-text`` where there was no text."""
    if not without.any():
        return found
    nothing = dict.fromkeys(REASONS.value_type.names) | {"rule": WITHOUT_TEXT, "action": "quarantine"}
    told = found.to_pylist()
    return pa.array([[nothing] if missing else told[row] for row, missing in enumerate(without)], REASONS)
