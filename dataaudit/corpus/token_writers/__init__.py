"""Token ids out, in the formats that trainers read: one module a format, and its name is the name of the format.

Every module holds ``FORMAT``. A shard is a main file and its sidecars; ids come already narrowed (``narrowed``), so a
writer never changes a number.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import UsageError, suggestion

IdType = Literal["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


class Origin(NamedTuple):
    """Where a document came from: the user's id or else its doc_id, its file, and its record there."""

    id: str
    file: str
    record: int | str


class Sequences(NamedTuple):
    """Documents as token ids.

    Attributes:
        ids: the ids of all documents one after the other.
        offsets: int64[n + 1], where each document starts in *ids*.
        doc_ids: uint64[n].
        origins: one a document where the format asks for them, else None.
        losses: bool, one for each of *ids*: whether it gives a loss; None where nothing says.
    """

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    doc_ids: NDArray[np.uint64]
    origins: list[Origin] | None = None
    losses: NDArray[np.bool_] | None = None


class ShardFacts(NamedTuple):
    """What a shard says about itself.

    Attributes:
        dtype: type of the ids.
        tokenizer: name of the tokenizer, if it is known.
        losses: whether it says which ids give a loss, where the format can.
        row_length: ids of each document where all have as many and the format has tables for them; else None.
    """

    dtype: IdType
    tokenizer: str | None
    losses: bool = False
    row_length: int | None = None


class ShardWriter(Protocol):
    """Writes a shard. After ``close`` its files are whole; without it they are not."""

    def write(self, batch: Sequences, /) -> None:
        """Appends documents; their ids have the type of the shard."""
        ...

    def close(self) -> None:
        """Writes what stands at the end, in the header and in sidecars."""
        ...


def _no_sidecars(_main: str) -> tuple[str, ...]:
    return ()


def _no_files(_shards: Sequence[str], _facts: ShardFacts, _digest: str) -> dict[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True)
class TokenFormat:
    """A format of tokenised corpora.

    Attributes:
        open: begins a shard at a path that has the suffix of *name*.
        name: the name of the main file of a shard, from its number and the number of shards.
        dtypes: the types of ids that the format has, narrowest first.
        usual: the type that its own tools take for ids below a number.
        delimited: where its readers look for the id between documents; None where documents stand in an index.
        sidecars: the names of the files beside a main file.
        losses: what the name of a further sidecar with losses has behind that of the main file; None for none.
        shard_bytes: bytes of token ids in a shard when nobody says; None for all in one.
        most_bytes: bytes of token ids that a shard can hold at all; a longer document is cut.
        folder_files: further files of the folder by name, from the shards, what they say, and a digest of the content.
        origins: whether it says where documents came from.
    """

    open: Callable[[Path, ShardFacts], ShardWriter]
    name: Callable[[int, int], str]
    dtypes: tuple[IdType, ...]
    usual: Callable[[int], IdType]
    delimited: Literal["start", "end"] | None = None
    sidecars: Callable[[str], tuple[str, ...]] = _no_sidecars
    losses: str | None = None
    shard_bytes: int | None = None
    most_bytes: int | None = None
    folder_files: Callable[[Sequence[str], ShardFacts, str], dict[str, bytes]] = _no_files
    origins: bool = False


@cache
def token_formats() -> tuple[str, ...]:
    """Returns the names of all formats, as a user writes them (``hf-arrow``)."""
    return tuple(sorted(info.name.replace("_", "-") for info in pkgutil.iter_modules(__path__)))


def token_format(name: str) -> TokenFormat:
    """Returns a format by the name that a user writes.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in token_formats():
        formats = ", ".join(token_formats())
        raise UsageError(f"no token format {name!r}.{suggestion(name, token_formats())} There are: {formats}.")
    found: TokenFormat = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found
