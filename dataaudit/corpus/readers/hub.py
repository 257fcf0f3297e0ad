"""Datasets by name, read as a stream with ``datasets``: ``hub:NAME[:CONFIG[:SPLIT]]``."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import xxhash

from dataaudit.corpus.columns import Column, columns_of_schema
from dataaudit.corpus.documents import CorpusFile, Piece, RawBatch, ReadOptions, Tally
from dataaudit.corpus.location import DamageError, why
from dataaudit.corpus.naming import Candidate
from dataaudit.corpus.readers import Span
from dataaudit.corpus.spans import whole
from dataaudit.corpus.tables import Rows, documents
from dataaudit.errors import ReadError

_STEP_ROWS = 256


class _Address(NamedTuple):
    name: str
    config: str | None
    split: str | None


def _parse(address: str) -> _Address:
    name, config, split, *more = [*address.removeprefix("hub:").split(":"), "", ""]
    if not name or any(more):
        raise ReadError(f"{address}: expected hub:NAME, hub:NAME:CONFIG or hub:NAME:CONFIG:SPLIT.")
    return _Address(name, config or None, split or None)


def find_splits(address: str) -> list[Candidate]:
    """Returns each split of a dataset as one file.

    Raises:
        ReadError: the dataset cannot be found, or has several configs and none was named.
    """
    from datasets import get_dataset_split_names  # slow to import

    wanted = _parse(address)
    try:
        splits = [wanted.split] if wanted.split else get_dataset_split_names(wanted.name, wanted.config)
    except (OSError, ValueError, ImportError) as error:
        raise ReadError(f"{address}: cannot be read: {why(error)}.") from error
    source = wanted.name.rstrip("/").rpartition("/")[2]
    found: list[Candidate] = []
    for split in splits:
        parts = [part for part in (source, wanted.config, split) if part]
        full = [part for part in (*wanted.name.split("/"), wanted.config, split) if part]
        path = f"hub:{wanted.name}:{wanted.config or ''}:{split}"
        found.append(Candidate(path, tuple(parts), tuple(full), None, "", source))
    return found


def _load(path: str) -> Any:
    from datasets import load_dataset  # slow to import

    if not path.startswith("hub:"):
        raise DamageError("the format 'hub' is for inputs like hub:NAME only")
    wanted = _parse(path)
    try:
        return load_dataset(wanted.name, wanted.config, split=wanted.split, streaming=True)
    except ValueError as error:
        raise DamageError(why(error)) from error


def columns(file: CorpusFile, _compression: str | None) -> list[Column]:
    """Returns the features of the dataset, or the columns of its first row."""
    dataset = _load(file.path)
    if dataset.features is not None:
        return columns_of_schema(dataset.features.arrow_schema)
    for table in dataset.with_format("arrow").iter(1):
        return columns_of_schema(table.schema)
    return []


def cut(file: CorpusFile, _compression: str | None, _options: ReadOptions, _target_bytes: int) -> list[Span]:
    """Returns the split as one part."""
    return whole(file, first_record=0)


def read(piece: Piece, options: ReadOptions, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yields the documents of a split. The digest is that of the texts or ids, for the stored bytes are not seen."""
    digest = xxhash.xxh3_128()
    for batch in documents(_rows(_load(piece.file.path), tally), piece, options, tally):
        for buffer in batch.column(6).buffers():
            digest.update(buffer or b"")
        yield batch
    tally.digest = digest.hexdigest()


def records(piece: Piece, _options: ReadOptions, tally: Tally) -> Iterator[RawBatch]:
    """Yields the rows with all their columns; there is no digest, for the stored bytes are not seen."""
    for rows in _rows(_load(piece.file.path), tally):
        tally.records += rows.length
        yield RawBatch("parquet", rows.length, rows.batch, rows.reason)


def _rows(dataset: Any, tally: Tally) -> Iterator[Rows]:
    first = 0
    try:
        for table in dataset.with_format("arrow").iter(_STEP_ROWS):
            tally.bytes_read += table.nbytes
            for batch in table.combine_chunks().to_batches():
                yield Rows(first, batch.num_rows, batch)
                first += batch.num_rows
    except (OSError, ValueError, pa.ArrowException) as error:
        tally.damage = f"the stream ends early, after row {first}: {why(error)}"
