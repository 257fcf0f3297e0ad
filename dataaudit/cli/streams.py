"""Standard streams whose reader may leave, as ``head`` does."""

import io
import os
import sys
from typing import Any, TextIO


class _Pipe(io.FileIO):
    """A stream that goes on into nothing when its reader has left: what was asked for is done, the exit code stays."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            # What is buffered has nowhere to go: without this, Python would try again at its end, and complain.
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)
            if isinstance(error, BrokenPipeError):
                return super().write(data)
            name = {1: "stdout", 2: "stderr"}.get(self.fileno())
            raise OSError(error.errno, error.strerror, name) from error


def outlive_readers() -> None:
    """Makes stdout and stderr raise no error when whoever reads them has gone."""
    sys.stdout, sys.stderr = _outliving(sys.stdout), _outliving(sys.stderr)


def _outliving(stream: TextIO) -> TextIO:
    below = getattr(stream, "buffer", None)
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(getattr(below, "raw", below), io.FileIO):
        return stream  # closed, or replaced by whoever embeds the command line
    stream.flush()
    # Under PYTHONUNBUFFERED there is no buffer; one of a byte holds nothing back.
    size = 1 if isinstance(below, io.FileIO) else io.DEFAULT_BUFFER_SIZE
    return io.TextIOWrapper(
        io.BufferedWriter(_Pipe(stream.fileno(), "w", closefd=False), size),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
