"""Records that are too long to be held: their beginning, and how long they are."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dataaudit.corpus.documents import RAW_LIMIT, CsvHeader, RawBatch, Shape
from dataaudit.corpus.json_record import FaultyRecordError

_RUN_BYTES, _RUN_RECORDS = 1 << 20, 8192


class LongRecord(NamedTuple):
    """A record of more bytes than ``read.max_record_bytes``: read past, and not kept.

    Attributes:
        head: its first bytes, at most RAW_LIMIT.
        size: its length in bytes.
    """

    head: bytes
    size: int

    @classmethod
    def of(cls, data: bytes) -> "LongRecord":
        """Returns a record that was read, but is too long."""
        return cls(data[:RAW_LIMIT], len(data))

    def error(self) -> FaultyRecordError:
        """Returns why the record gives no document."""
        return FaultyRecordError(
            "unreadable", f"the record has {self.size:,} bytes, more than are read of one (read.max_record_bytes)"
        )


def raw_batches(
    shape: Shape, records: Iterable[bytes | LongRecord], header: CsvHeader | None = None
) -> Iterator[RawBatch]:
    """Yields records in runs of about 1 MiB; a larger one is a run of its own, and one that is too long is lost."""
    run: list[bytes] = []
    size = 0
    for record in records:
        is_long = isinstance(record, LongRecord)
        if run and (is_long or size + len(record) > _RUN_BYTES or len(run) == _RUN_RECORDS):
            yield RawBatch(shape, len(run), run, header=header)
            run, size = [], 0
        if isinstance(record, LongRecord):
            yield RawBatch(shape, 1, None, record.error().reason, header)
        else:
            run.append(record)
            size += len(record)
    if run:
        yield RawBatch(shape, len(run), run, header=header)
