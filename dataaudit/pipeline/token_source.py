"""The token ids of a finished run, or of the output of a filter, document by document in their order."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.token_writers import Origin, Sequences
from dataaudit.errors import RunError
from dataaudit.pipeline.filter_plan import RESULT_NAME, load_filter_plan
from dataaudit.pipeline.plan import ROW_BITS, Plan, PoolSettings, load_plan
from dataaudit.pipeline.signal_tables import signal_tables
from dataaudit.pipeline.store import MARKERS, Marker, Output, RunFolder, key_of
from dataaudit.tokenize import read_token_shard

_ORIGIN = ("doc_id", "id", "file", "record")


@dataclass(frozen=True, slots=True)
class TokenSource:
    """Where token ids come from.

    Attributes:
        folder: holds the token shards: a run, or the output of a filter.
        run: the run.
        parts: the token shards with their sizes and digests, in order.
        documents: documents in them, as the audit or the filter has counted.
        tokenizer: name of the run's tokenizer, or None.
        id_space: ids of the run's tokenizer, or None.
        model: the run's settings of the model.
    """

    folder: Path
    run: Path
    parts: dict[str, Output]
    documents: int
    tokenizer: str | None
    id_space: int | None
    model: PoolSettings

    @property
    def key(self) -> str:
        """A digest of the documents and their ids."""
        return key_of([self.parts, self.documents])

    def batches(self, *, origins: bool = False) -> Iterator[Sequences]:
        """Yields the documents, with where they came from if that is asked for; the ids are views of the files.

        Raises:
            RunError: a shard is missing or damaged.
        """
        for name, output in self.parts.items():
            path = self.folder / name
            if not path.is_file() or path.stat().st_size != output.bytes:
                raise RunError(
                    f"{path}: this token shard is missing or was changed. Run the command again that made it."
                )
            known: _Origins | None = None
            for doc_ids, ids, offsets in read_token_shard(path):
                if origins and len(doc_ids):
                    known = known or _Origins(RunFolder(self.run), int(doc_ids[0]) >> ROW_BITS)
                yield Sequences(ids, offsets, doc_ids, known.of(doc_ids) if known else None)


class _Origins:
    """Where the documents of one shard of a run came from."""

    def __init__(self, run: RunFolder, shard: int) -> None:
        doc_ids: list[NDArray[np.uint64]] = []
        self._found: list[Origin] = []
        for table in signal_tables(run, shard, _ORIGIN):
            numbers = table.column("doc_id").to_numpy()
            doc_ids.append(numbers)
            rows = zip(numbers.tolist(), *(table.column(name).to_pylist() for name in _ORIGIN[1:]), strict=True)
            self._found += [Origin(str(number) if own is None else own, *place) for number, own, *place in rows]
        self._doc_ids = np.concatenate(doc_ids) if doc_ids else np.zeros(0, np.uint64)

    def of(self, doc_ids: NDArray[np.uint64]) -> list[Origin]:
        return [self._found[at] for at in np.searchsorted(self._doc_ids, doc_ids).tolist()]


def token_source(path: Path) -> TokenSource:
    """Returns the token ids of a run folder, or of the output of a filter.

    Raises:
        RunError: it is neither, is not finished, or has no token ids.
    """
    if (path / "filter_plan.json").exists():
        return _of_filter(path)
    plan = _plan(path)
    if not (path / "report.json").exists():
        raise RunError(f"{path}: the run was never finished. Run the same dataaudit audit command again.")
    markers = _markers(path, "map", plan)
    documents = sum(piece["documents"] for marker in markers for piece in marker.result["pieces"])
    return _source(path, path, plan, markers, documents)


def _of_filter(out: Path) -> TokenSource:
    filter_plan = load_filter_plan(out)
    if filter_plan is None or not (out / RESULT_NAME).exists():
        raise RunError(f"{out}: the filter was never finished. Run the same dataaudit filter command again.")
    return tokens_of_filter(out, Path(filter_plan.run))


def tokens_of_filter(out: Path, run: Path) -> TokenSource:
    """Returns the token ids that a filter of *run* keeps, when all its tasks are finished."""
    plan = _plan(run)
    markers = _markers(out, "filter", plan)
    documents = sum(piece["records"]["clean"] for marker in markers for piece in marker.result["pieces"])
    return _source(out, run, plan, markers, documents)


def _plan(run: Path) -> Plan:
    try:
        return load_plan(run)
    except (OSError, msgspec.DecodeError) as error:
        raise RunError(f"{run} is not a run folder: plan.json cannot be read ({error}).") from error


def _markers(folder: Path, kind: str, plan: Plan) -> list[Marker]:
    names = [f"{kind}-{shard:05d}" for shard in range(len(plan.shards))]
    found = [RunFolder(folder).any_marker(name) for name in names]
    missing = [name for name, marker in zip(names, found, strict=True) if marker is None]
    if missing:
        raise RunError(
            f"{folder / MARKERS / missing[0]}.json is missing or damaged. Run the command again that made {folder}."
        )
    return [marker for marker in found if marker is not None]


def _source(folder: Path, run: Path, plan: Plan, markers: list[Marker], documents: int) -> TokenSource:
    parts = {
        name: output
        for marker in markers
        for name, output in sorted(marker.outputs.items())
        if name.startswith("tokens/")
    }
    tokenizer = plan.map.tokenizer
    has_ids = tokenizer is not None or all(piece.kind == "ids" for shard in plan.shards for piece in shard)
    if documents and (not parts or not has_ids):
        raise RunError(
            f"{folder} has no token ids for all of its documents: it was audited without a tokenizer. Run dataaudit "
            "audit with --tokenizer FILE."
        )
    name = None if tokenizer is None else Path(tokenizer.path).name
    id_space = None if tokenizer is None else tokenizer.id_space
    return TokenSource(folder, run, parts, documents, name, id_space, plan.pool)
