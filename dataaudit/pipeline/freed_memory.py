"""Gives memory that was freed back to the system."""

import ctypes

import pyarrow as pa


def give_back() -> None:
    """Returns what the allocators of Arrow and of the C library keep for later.

    glibc keeps the room of large arrays: shard after shard a process would grow to twice what any of them needs.
    Where the C library has no call for it, as on macOS, only Arrow's is returned.
    """
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
