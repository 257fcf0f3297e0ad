"""The export: token ids of a run, or of what a filter kept, as files that trainers read."""

from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dataaudit import __version__
from dataaudit.corpus.token_array import narrowed
from dataaudit.corpus.token_writers import Sequences, ShardFacts, ShardWriter, token_format
from dataaudit.errors import RunError
from dataaudit.export_result import EXPORT_SCHEMA, Added, ExportResult, Shard
from dataaudit.pipeline.export_folder import facts_of, finished, open_export, put, writing_export
from dataaudit.pipeline.export_plan import ExportPlan, ExportSettings, Facts, candidates, plan_export, survey
from dataaudit.pipeline.filter_plan import reading, refuse_place
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.plan import load_plan
from dataaudit.pipeline.store import RunFolder, key_of
from dataaudit.pipeline.token_source import TokenSource, token_source


def run_export(path: Path, out: Path, settings: ExportSettings, listener: Listener) -> ExportResult:
    """Writes the token ids of a run, or of the output of a filter, into the folder *out*.

    Order is kept, every document is written, and no id changes. The folder is written whole or not at all; a finished
    export of the same ids with the same settings is left alone.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    token_format(settings.format)
    source = token_source(path)
    refuse_place(out, path, [str(source.run), *load_plan(source.run).inputs], option="--out")
    with reading(source.run):
        return export_tokens(source, out, settings, listener)


def export_tokens(
    source: TokenSource, out: Path, settings: ExportSettings, listener: Listener, *, again: bool = False
) -> ExportResult:
    """Writes token ids into a folder; over an earlier export of other ids only if *again*."""
    key = key_of([source.key, settings, [source.id_space, source.tokenizer, source.model], __version__])
    with open_export(out) as folder:
        earlier = finished(out)
        if earlier is not None and earlier.key == key:
            listener.note(f"{out}: the export is there already, nothing to do.")
            return earlier
        if earlier is not None and not again:
            raise RunError(
                f"{out} holds an export of other documents or with other settings ({earlier.format}, from "
                f"{earlier.source}). Give --out a new folder."
            )
        facts = survey(source, candidates(settings, source), listener)
        plan = plan_export(settings, source, facts)
        with writing_export(out):
            return _write(folder, source, settings.format, plan, facts, key, listener)


def _write(
    folder: RunFolder,
    source: TokenSource,
    name: str,
    plan: ExportPlan,
    facts: Facts,
    key: str,
    listener: Listener,
) -> ExportResult:
    with folder.workspace() as temporary:
        work = _Export(temporary, plan, source.tokenizer)
        size = facts.tokens * np.dtype(plan.dtype).itemsize
        with work, listener.stage("exporting", size) as progress:
            for batch in source.batches(origins=plan.form.origins):
                work.add(batch)
                progress(len(batch.ids) * np.dtype(plan.dtype).itemsize)
            files, shards = work.finish(key)
        if (work.documents, work.tokens) != (facts.documents, facts.tokens):
            raise RunError(f"{source.folder}/tokens has changed while it was exported. Run the command again.")
        added = [(plan.prepend, "start", work.added_start), (plan.append, "end", work.added_end)]
        used = [each for each, _, count in added if each is not None and count]
        lowest = [each for each in (facts.smallest, *used) if each is not None]
        highest = [each for each in (facts.largest, *used) if each is not None]
        result = ExportResult(
            schema_version=EXPORT_SCHEMA,
            dataaudit_version=__version__,
            source=str(source.folder.resolve()),
            key=key,
            format=name,
            dtype=plan.dtype,
            documents=work.documents,
            tokens=work.tokens,
            tokens_written=sum(shard.tokens for shard in shards),
            smallest_id=min(lowest, default=None),
            largest_id=max(highest, default=None),
            empty_documents=facts.empty,
            added=[Added(each, where, count) for each, where, count in added if each is not None],  # type: ignore[arg-type]
            notes=plan.notes,
            shards=shards,
            files={each: facts_of(path) for each, path in files.items()},
        )
        put(folder, files, result)
        return result


class _Export:
    """Writes shards one after the other into a temporary folder; use it as a context manager."""

    def __init__(self, folder: Path, plan: ExportPlan, tokenizer: str | None) -> None:
        self.folder, self.plan = folder, plan
        self.facts = ShardFacts(plan.dtype, tokenizer)
        self.itemsize = np.dtype(plan.dtype).itemsize
        self.documents = self.tokens = self.added_start = self.added_end = 0
        self._shards: list[Shard] = []
        self._writer: ShardWriter | None = None
        self._in_shard = (0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:  # an error: its files count for nothing, but are not to stay open
            with suppress(Exception):
                self._writer.close()

    def add(self, batch: Sequences) -> None:
        """Appends documents, in as many shards as they need."""
        self.documents += len(batch.doc_ids)
        self.tokens += len(batch.ids)
        batch = batch._replace(ids=narrowed(batch.ids, self.plan.dtype))
        batch, count = _with(batch, self.plan.append, at_end=True)
        self.added_end += count
        batch, count = _with(batch, self.plan.prepend, at_end=False)
        self.added_start += count
        first = 0
        while first < len(batch.doc_ids):
            stop = first + self._fitting(batch.offsets[first:])
            if stop > first:
                self._put(_part(batch, first, stop))
            elif self._in_shard[1]:
                self._end()
            else:
                stop = first + 1
                self._put_large(_part(batch, first, stop))
            first = stop

    def _fitting(self, offsets: NDArray[np.int64]) -> int:
        """Returns how many of the next documents the shard has room for."""
        if self.plan.shard_bytes is None:
            return len(offsets) - 1
        room = self.plan.shard_bytes // self.itemsize - self._in_shard[1]
        return int(np.searchsorted(offsets, offsets[0] + room, "right")) - 1

    def _put_large(self, document: Sequences) -> None:
        """Writes a document that is larger than a shard: whole, unless the format cannot hold it."""
        most = self.plan.form.most_bytes
        if most is None or len(document.ids) * self.itemsize <= most:
            self._put(document)
            return
        step = (self.plan.shard_bytes or most) // self.itemsize
        for start in range(0, len(document.ids), step):
            ids = document.ids[start : start + step]
            self._put(document._replace(ids=ids, offsets=np.array([0, len(ids)])), documents=int(start == 0))
            if start + step < len(document.ids):
                self._end()

    def _put(self, batch: Sequences, documents: int | None = None) -> None:
        if self._writer is None:
            self._writer = self.plan.form.open(self.folder / self._name(len(self._shards)), self.facts)
        self._writer.write(batch)
        count = len(batch.doc_ids) if documents is None else documents
        self._in_shard = (self._in_shard[0] + count, self._in_shard[1] + len(batch.ids))

    def _name(self, number: int) -> str:
        """Returns the name of a shard while the number of shards is not known."""
        return f"{number}-{self.plan.form.name(0, 1)}"

    def _end(self) -> None:
        assert self._writer is not None
        self._writer.close()
        main = self._name(len(self._shards))
        self._shards.append(Shard([main, *self.plan.form.sidecars(main)], *self._in_shard))
        self._writer, self._in_shard = None, (0, 0)

    def finish(self, key: str) -> tuple[dict[str, Path], list[Shard]]:
        """Ends the last shard and returns the files (temporary path by name) and the shards under their names."""
        if self._writer is None and not self._shards:
            self._put(Sequences(np.zeros(0, self.plan.dtype), np.zeros(1, np.int64), np.zeros(0, np.uint64)))
        if self._writer is not None:
            self._end()
        files: dict[str, Path] = {}
        shards: list[Shard] = []
        for number, shard in enumerate(self._shards):
            main = self.plan.form.name(number, len(self._shards))
            names = [main, *self.plan.form.sidecars(main)]
            files |= {name: self.folder / each for name, each in zip(names, shard.files, strict=True)}
            shards.append(Shard(names, shard.documents, shard.tokens))
        more = self.plan.form.folder_files([shard.files[0] for shard in shards], self.facts, key)
        for name, content in more.items():
            files[name] = self.folder / name
            files[name].write_bytes(content)
        return files, shards


def _part(batch: Sequences, first: int, stop: int) -> Sequences:
    bounds = batch.offsets[first : stop + 1]
    origins = None if batch.origins is None else batch.origins[first:stop]
    return Sequences(batch.ids[bounds[0] : bounds[-1]], bounds - bounds[0], batch.doc_ids[first:stop], origins)


def _with(batch: Sequences, wanted: int | None, *, at_end: bool) -> tuple[Sequences, int]:
    """Returns the documents with an id at one end of those that do not have it there, and how many got it."""
    if wanted is None:
        return batch, 0
    starts, ends = batch.offsets[:-1], batch.offsets[1:]
    lacking = np.ones(len(starts), np.bool_)
    full = ends > starts
    at = (ends[full] - 1) if at_end else starts[full]
    lacking[full] = batch.ids[at] != wanted
    places = (ends if at_end else starts)[lacking]
    ids: NDArray[Any] = np.insert(batch.ids, places, batch.ids.dtype.type(wanted))
    offsets = batch.offsets.copy()
    offsets[1:] += np.cumsum(lacking)
    return batch._replace(ids=ids, offsets=offsets), int(lacking.sum())
