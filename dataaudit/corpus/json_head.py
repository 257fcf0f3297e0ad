"""The columns of JSON records, from the first of them."""

from collections.abc import Iterable, Iterator
from typing import Any

from dataaudit.corpus.columns import Column, columns_of_records
from dataaudit.corpus.json_record import FaultyRecordError, load_object

_SAMPLED_BYTES = 1 << 20
_SAMPLED_RECORDS = 500


def columns_of_json(records: Iterable[bytes]) -> list[Column]:
    """Returns the columns of about the first MiB of records; those that are no objects are left out."""
    return columns_of_records(_objects(records))


def _objects(records: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    size = 0
    for number, data in enumerate(records):
        if number >= _SAMPLED_RECORDS or size > _SAMPLED_BYTES:
            return
        size += len(data)
        try:
            yield load_object(data)
        except FaultyRecordError:
            continue
