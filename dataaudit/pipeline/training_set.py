"""The documents that a training run reads, in its order, with what is known of each: from stored signals alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dataaudit.config.schema import Rule
from dataaudit.errors import NoDocumentsError, UsageError
from dataaudit.filter_result import Restored
from dataaudit.pipeline.batch_families import SIGNALS
from dataaudit.pipeline.filter_plan import load_filter_plan
from dataaudit.pipeline.filter_shard import pieces_of
from dataaudit.pipeline.plan import ROW_BITS, load_plan
from dataaudit.pipeline.rule_examples import judged
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.verdicts import columns_of, verdicts_of

Which = Literal["all", "clean", "records"]
NO_SOURCE = "(no source)"


class TrainingSet(NamedTuple):
    """Documents in the order of the training set; about 80 bytes each.

    Attributes:
        run: the run folder.
        which: all documents, the clean ones (no rule takes them out), or all records, also those without a document.
        unit: what *lengths* count.
        doc_ids: uint64.
        lengths: int64; 0 for a record without a document.
        sources: int32, places in *source_names*.
        clusters: int64, the first document of those that are like it, else its own doc_id.
        signals: names of the columns of *values*.
        values: float32[documents, signals], NaN where undefined.
    """

    run: Path
    which: Which
    unit: Literal["tokens", "characters"]
    doc_ids: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    sources: NDArray[np.int32]
    source_names: list[str]
    clusters: NDArray[np.int64]
    signals: list[str]
    values: NDArray[np.float32]

    def numbering(self, column: str, keys: NDArray[np.object_]) -> NDArray[np.int64]:
        """Returns the places of documents by ``doc_id`` or the user's ``id``, -1 for unknown ones."""
        if column == "doc_id":
            wanted = np.array([_doc_id(key) for key in keys], np.int64).astype(np.uint64)
        else:
            known = _by_id(RunFolder(self.run), {str(key) for key in keys})
            wanted = np.array([known.get(str(key), (1 << 64) - 1) for key in keys], np.uint64)
        at = np.minimum(np.searchsorted(self.doc_ids, wanted), len(self.doc_ids) - 1)
        return np.where(self.doc_ids[at] == wanted, at, -1)


def load_training_set(place: Path, which: str | None, *, with_signals: bool = True) -> TrainingSet:
    """Reads the documents of a run, or of a filter's output (then the clean ones, unless *which* says otherwise).

    Raises:
        UsageError: there is no such choice.
        RunError: the run cannot be used.
        NoDocumentsError: no document is left.
    """
    plan = load_filter_plan(place)
    chosen = which or ("clean" if plan is not None else "all")
    if chosen not in get_args(Which):
        raise UsageError(f"--documents {chosen}: it is one of {', '.join(get_args(Which))}.")
    about = judged(place)
    restored = tuple(plan.restored) if plan is not None else ()
    run = RunFolder(about.run)
    return read_training_set(run, cast("Which", chosen), about.rules, restored, with_signals=with_signals)


def read_training_set(
    run: RunFolder,
    which: Which,
    rules: Sequence[Rule],
    restored: tuple[Restored, ...] = (),
    *,
    with_signals: bool = True,
) -> TrainingSet:
    """Reads the documents of a run; *rules* say which are clean, but for those that were restored.

    Raises:
        NoDocumentsError: no document is left.
    """
    unit, signals = _columns(run)
    loader = _Loader(run, which, rules, restored, unit, signals if with_signals else [])
    parts = [part for shard in range(len(load_plan(run.path).shards)) for part in loader.parts(shard)]
    if not sum(len(part.doc_ids) for part in parts):
        raise NoDocumentsError(f"{run.path}: no document is left to train on.")
    joined = [np.concatenate([part[at] for part in parts]) for at in range(len(_Part._fields))]
    return TrainingSet(
        run.path,
        which,
        unit,
        joined[0],
        joined[1],
        joined[2],
        list(loader.names),
        joined[3],
        loader.signals,
        np.ascontiguousarray(joined[4]),
    )


class _Part(NamedTuple):
    doc_ids: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    sources: NDArray[np.int32]
    clusters: NDArray[np.int64]
    values: NDArray[np.float32]


class _Loader:
    """Reads shard by shard; source names are numbered as they come."""

    def __init__(
        self,
        run: RunFolder,
        which: Which,
        rules: Sequence[Rule],
        restored: tuple[Restored, ...],
        unit: Literal["tokens", "characters"],
        signals: list[str],
    ) -> None:
        self.run, self.which, self.signals = run, which, signals
        self.names: dict[str, int] = {}
        self._length = "token_count" if unit == "tokens" else "char_count"
        self._rules, self._restored = list(rules), restored

    def parts(self, shard: int) -> Iterator[_Part]:
        """Gives the documents of a shard."""
        wanted = {"doc_id", "source", self._length, "duplicate_cluster", *self.signals}
        if self.which == "clean":
            wanted |= columns_of(self._rules)
        found = [self._part(table) for table in signal_tables(self.run, shard, wanted)]
        yield from found if self.which != "records" else [self._with_lost(shard, found)]

    def _part(self, table: pa.Table) -> _Part:
        if self.which == "clean":
            table = table.filter(pa.array(~verdicts_of(self._rules, table, self._restored).out))
        doc_ids = table.column("doc_id").to_numpy()
        clusters = doc_ids.astype(np.int64)
        if "duplicate_cluster" in table.column_names:
            found = table.column("duplicate_cluster").cast(pa.int64())
            clusters = np.where(found.is_null().to_numpy(), clusters, found.fill_null(0).to_numpy())
        values = np.empty((table.num_rows, len(self.signals)), np.float32)
        for at, name in enumerate(self.signals):
            values[:, at] = table.column(name).cast(pa.float64(), safe=False).to_numpy()
        lengths = table.column(self._length).cast(pa.int64()).fill_null(0).to_numpy()
        return _Part(doc_ids, lengths, self._numbered(table.column("source")), clusters, values)

    def _numbered(self, sources: pa.ChunkedArray) -> NDArray[np.int32]:
        encoded = sources.cast(pa.large_string()).fill_null(NO_SOURCE).combine_chunks().dictionary_encode()
        names = encoded.dictionary.to_pylist()
        numbers = np.array([self.names.setdefault(name, len(self.names)) for name in names], np.int32)
        return np.asarray(numbers[encoded.indices.to_numpy(zero_copy_only=False)])

    def _with_lost(self, shard: int, found: list[_Part]) -> _Part:
        """Returns every record of a shard; those that gave no document are empty."""
        records = sum(each.records for each in pieces_of(self.run, shard))
        doc_ids = np.arange(records, dtype=np.uint64) + np.uint64(shard << ROW_BITS)
        lengths, values = np.zeros(records, np.int64), np.full((records, len(self.signals)), np.nan, np.float32)
        sources = np.full(records, self.names.setdefault(NO_SOURCE, len(self.names)), np.int32)
        clusters = doc_ids.astype(np.int64)
        for part in found:
            rows = (part.doc_ids & np.uint64((1 << ROW_BITS) - 1)).astype(np.int64)
            lengths[rows], sources[rows], clusters[rows] = part.lengths, part.sources, part.clusters
            values[rows] = part.values
        return _Part(doc_ids, lengths, sources, clusters, values)


def _columns(run: RunFolder) -> tuple[Literal["tokens", "characters"], list[str]]:
    """Returns the unit of lengths, and the signals of SIGNALS that the run has."""
    shards = range(len(load_plan(run.path).shards))
    first = next((table for shard in shards for table in signal_tables(run, shard, None)), None)
    names = first.column_names if first is not None else []
    return ("tokens" if "token_count" in names else "characters"), [name for name in SIGNALS if name in names]


def _doc_id(key: object) -> int:
    return key if isinstance(key, int) and 0 <= key < 1 << 63 else -1


def _by_id(run: RunFolder, wanted: set[str]) -> dict[str, int]:
    """Returns the first document of each of the user's own ids."""
    known: dict[str, int] = {}
    ids = pa.array(sorted(wanted), pa.large_string())
    for shard in range(len(load_plan(run.path).shards)):
        for table in signal_tables(run, shard, ("doc_id", "id")):
            own = table.column("id").cast(pa.large_string())
            hits = table.filter(pc.is_in(own, value_set=ids))
            for doc_id, each in zip(hits.column("doc_id").to_pylist(), hits.column("id").to_pylist(), strict=True):
                known.setdefault(str(each), doc_id)
    return known
