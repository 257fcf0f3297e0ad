"""TensorBoard event files: TFRecord frames around protocol buffers, of which only scalars are read.

A frame is a length (uint64), a masked CRC-32C of it, the record, and a masked CRC-32C of the record. A record is an
``Event`` (step in field 2, summary in 5); a summary has values (field 1) with a tag (1) and a float (2), or a tensor
(8) of one number: its type in field 1, its shape in 2, and the number in 4 (bytes), 5 (floats) or 6 (doubles).
"""

import struct
from collections.abc import Iterator
from pathlib import Path

from dataaudit.errors import ReadError
from dataaudit.losses.points import Point, Points, step_of

CODES = {1: "<f", 2: "<d"}
"""How the types of tensors that are read, float and double, are stored."""
LONGEST = 1 << 28
"""Bytes of a record; larger ones are images or graphs of a damaged length."""


def is_mine(path: Path, head: bytes) -> bool:
    """Says whether the file is of this format: by its name, or by the checksum of its first length."""
    return "tfevents" in path.name or (len(head) >= 12 and _is_length(head[:12]))


def read(path: Path, into: Points) -> str:
    """Reads the scalars; a last frame that is cut off is left out, as in the log of a run that is not over."""
    note = ""
    with path.open("rb") as file:
        while head := file.read(12):
            at = file.tell() - len(head)
            if len(head) == 12 and not _is_length(head):
                raise ReadError(f"{path}: no TensorBoard record at byte {at:,} (its checksum is wrong): damaged file.")
            size = struct.unpack("<Q", head[:8])[0] if len(head) == 12 else LONGEST + 1
            record = file.read(size + 4) if size <= LONGEST else b""
            if len(record) < size + 4:
                note = f"{path}: the last record, at byte {at:,}, is cut off and was left out."
                break
            try:
                for point in _event(record[:size]):
                    into.add(*point)
            except (IndexError, struct.error, ValueError) as error:
                raise ReadError(f"{path}: the record at byte {at:,} is no TensorBoard event: {error}.") from error
    return note


def _event(record: bytes) -> Iterator[Point]:
    step: int | None = 0
    summaries: list[bytes] = []
    for field, value in _fields(record):
        if field == 2 and isinstance(value, int):
            step = step_of(value)
        elif field == 5 and isinstance(value, bytes):
            summaries.append(value)
    for summary in summaries:
        for field, value in _fields(summary):
            if field == 1 and isinstance(value, bytes) and (scalar := _scalar(value)) and step is not None:
                yield Point(scalar[0], step, scalar[1])


def _scalar(record: bytes) -> tuple[str, float] | None:
    tag, number = "", None
    for field, value in _fields(record):
        if isinstance(value, int):
            continue
        if field == 1:
            tag = value.decode()
        elif field == 2:
            number = struct.unpack("<f", value)[0]
        elif field == 8:
            number = _tensor(value)
    return None if number is None else (tag, number)


def _tensor(record: bytes) -> float | None:
    """Returns the number of a tensor that holds one; None for others."""
    code: str | None = None
    content = b""
    for field, value in _fields(record):
        if field == 1 and isinstance(value, int):
            code = CODES.get(value)
        elif field == 2 and isinstance(value, bytes) and any(True for _ in _fields(value)):
            return None
        elif field in (4, 5, 6) and isinstance(value, bytes):
            content = value
    if code is None or len(content) != struct.calcsize(code):
        return None
    number: float = struct.unpack(code, content)[0]
    return number


def _fields(record: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Gives the fields of a message: numbers for integers, bytes for everything else."""
    at = 0
    while at < len(record):
        key, at = _varint(record, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(record, at)
            yield key >> 3, value
            continue
        if wire == 2:
            size, at = _varint(record, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError(f"wire type {wire}")
        if at + size > len(record):
            raise ValueError("a field that is longer than its record")
        yield key >> 3, record[at : at + size]
        at += size


def _varint(record: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = record[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _is_length(head: bytes) -> bool:
    """Says whether a frame's length has its checksum."""
    crc = _crc32c(head[:8])
    masked = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
    return masked == int.from_bytes(head[8:12], "little")


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
