"""Sequences of a token array in, a file of the same format with its sidecars out."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.corpus.documents import Piece, RawBatch
from dataaudit.corpus.token_array import narrowed, native
from dataaudit.corpus.token_arrays.losses import IGNORED
from dataaudit.corpus.token_arrays.measuring import layout_of
from dataaudit.corpus.token_readers import names as array_formats
from dataaudit.corpus.token_writers import IdType, Origin, Sequences, ShardFacts, ShardWriter, TokenFormat, token_format
from dataaudit.corpus.token_writers import token_formats as written_formats


def own_format(piece: Piece) -> TokenFormat | None:
    """Returns the format of a token array that can be written too; None for records, and for formats only read."""
    if piece.format not in array_formats() or piece.format not in written_formats():
        return None
    return token_format(piece.format)


def sequence_file(name: str, form: TokenFormat) -> str:
    """Returns the name of a file of a format, with the ending by which its reader knows it."""
    ending = Path(form.name(0, 1)).suffix
    return name[: -len(ending)] + ending if name.lower().endswith(ending) and name.lower() != ending else name + ending


def files_of(name: str, form: TokenFormat, *, losses: bool) -> list[str]:
    """Returns the names of a file and its sidecars."""
    more = [name + form.losses] if losses and form.losses is not None else []
    return [name, *form.sidecars(name), *more]


class SequenceFiles:
    """Writes sequences as they stand in a piece: the same format, type and sidecars; made with the first of them.

    Ids are the same numbers: what does not fit the type of the piece ends the work (``narrowed``).

    Attributes:
        tokens, sequences: written so far.
    """

    def __init__(self, path: Path, piece: Piece, form: TokenFormat) -> None:
        layout = layout_of(piece)
        self._main = path.with_name(sequence_file(path.name, form))
        self._form, self._file = form, piece.file.name
        self._dtype = native(layout.dtype).name
        self._losses = "labels" in piece.side_columns and form.losses is not None
        self._facts = ShardFacts(
            cast("IdType", self._dtype),
            layout.tokenizer,
            self._losses,
            layout.length if layout.delimited_by == "row" else None,
        )
        self._writer: ShardWriter | None = None
        self.tokens = self.sequences = 0

    def write(self, batch: RawBatch) -> None:
        """Writes the sequences of a batch, rows of a table with ``input_ids``."""
        if not batch.length:
            return
        if self._writer is None:
            self._writer = self._form.open(self._main, self._facts)
        found = self._sequences(batch)
        self._writer.write(found)
        self.sequences += batch.length
        self.tokens += len(found.ids)

    @property
    def is_written(self) -> bool:
        """Whether there is a file."""
        return self._writer is not None

    def files(self, name: str) -> dict[Path, str]:
        """Returns the final name of each file that was written, by its path; *name* is that of the main one."""
        if self._writer is None:
            return {}
        written = files_of(self._main.name, self._form, losses=self._losses)
        final = files_of(name, self._form, losses=self._losses)
        return {self._main.with_name(each): own for each, own in zip(written, final, strict=True)}

    def close(self) -> None:
        """Writes what stands at the end of the files."""
        if self._writer is not None:
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._writer is not None:  # its files count for nothing, but are not to stay open
            try:
                self._writer.close()
            except (OSError, ValueError):
                return

    def _sequences(self, batch: RawBatch) -> Sequences:
        rows = batch.records
        assert isinstance(rows, pa.RecordBatch)
        ids, offsets = _flat(rows.column("input_ids"))
        return Sequences(
            narrowed(ids, self._dtype),
            offsets,
            np.zeros(batch.length, np.uint64),
            self._origins(batch, rows) if self._form.origins else None,
            self._losses_of(rows) if self._losses else None,
        )

    def _losses_of(self, rows: pa.RecordBatch) -> NDArray[np.bool_] | None:
        """Returns which ids give a loss; None where the input does not say it for all of them."""
        labels = rows.column("labels")
        if labels.null_count:
            return None
        return np.asarray(_flat(labels)[0] != IGNORED)

    def _origins(self, batch: RawBatch, rows: pa.RecordBatch) -> list[Origin]:
        assert batch.places is not None
        records = batch.places.records.tolist()
        own = rows.column("id").to_pylist() if "id" in rows.schema.names else records
        return [Origin(str(name), self._file, record) for name, record in zip(own, records, strict=True)]


def _flat(column: pa.Array) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Returns the values of lists one after the other, and where each list starts."""
    offsets = column.offsets.to_numpy().astype(np.int64)
    return column.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]], offsets - offsets[0]
