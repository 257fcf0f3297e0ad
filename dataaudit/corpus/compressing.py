"""Plain bytes in, a compressed file out; the bytes depend on the content alone, not on names or times."""

import bz2
import gzip
import lzma
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard


@contextmanager
def compressed_file(path: Path, compression: str | None) -> Iterator[IO[bytes]]:
    """Opens a new file for writing: "gzip", "zstd", "bz2", "xz", or None for plain bytes."""
    with ExitStack() as stack:
        file = stack.enter_context(path.open("wb"))
        match compression:
            case None:
                yield file
                return
            case "gzip":
                packed = cast("IO[bytes]", gzip.GzipFile("", "wb", 6, file, mtime=0))
            case "zstd":
                packed = cast("IO[bytes]", zstandard.ZstdCompressor(3).stream_writer(file, closefd=False))
            case "bz2":
                packed = cast("IO[bytes]", bz2.BZ2File(file, "wb"))
            case "xz":
                packed = cast("IO[bytes]", lzma.LZMAFile(file, "wb"))  # noqa: SIM115 - closed below
            case _:
                raise ValueError(f"no such compression: {compression}")
        with packed:
            yield packed
