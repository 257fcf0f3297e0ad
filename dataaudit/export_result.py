"""What an export wrote, as ``export.json`` holds it."""

from typing import Literal

import msgspec

EXPORT_SCHEMA = 1


class Shard(msgspec.Struct, frozen=True):
    """A main file of the export with its sidecars: *files* are names in the folder, the main file first."""

    files: list[str]
    documents: int
    tokens: int


class FileFacts(msgspec.Struct, frozen=True):
    """A file: its size in bytes and the xxh3-128 digest of its content."""

    bytes: int
    digest: str


class Added(msgspec.Struct, frozen=True):
    """An id that was put at one end of documents that did not have it there; *documents* got it."""

    id: int
    where: Literal["start", "end"]
    documents: int


class ExportResult(msgspec.Struct, frozen=True):
    """``export.json``.

    Attributes:
        source: the run folder, or the output of a filter, that the token ids come from.
        key: digest of those token ids and of the settings.
        format, dtype: what was written.
        documents: of the source, each of them written once and in its order.
        tokens: ids of the documents, without those that were added.
        tokens_written: with them.
        smallest_id, largest_id: of all that was written; None when there is no token.
        empty_documents: documents without a token of their own.
        added: ids that were put between documents.
        notes: what a person should know before training on the files.
        shards: in order.
        files: by name, sidecars and files of the whole folder too.
    """

    schema_version: int
    dataaudit_version: str
    source: str
    key: str
    format: str
    dtype: str
    documents: int
    tokens: int
    tokens_written: int
    smallest_id: int | None
    largest_id: int | None
    empty_documents: int
    added: list[Added]
    notes: list[str]
    shards: list[Shard]
    files: dict[str, FileFacts]


def to_json(value: ExportResult) -> str:
    """Returns a result as one line of JSON, the same for the same result."""
    return msgspec.json.encode(value, order="deterministic").decode()
