"""The plan: which pieces make which shard, and the settings that measuring depends on.

Shards are cut from the sorted file list alone, so the plan does not depend on workers, engine or chance.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from dataaudit.corpus import CorpusFile, Piece, ReadOptions
from dataaudit.signals import SpecialIds

EngineName = Literal["fastokens", "tokenizers"]
EngineWish = Literal["auto", "fastokens", "tokenizers"]

PLAN_FORMAT = 1
ROW_BITS = 32
"""doc_id = shard << ROW_BITS | row of the shard."""


class TokenizerSettings(msgspec.Struct, frozen=True):
    """How texts are tokenized in this run; *path* is where the file is now, the rest says what it is."""

    path: str
    sha256: str
    model_type: str
    id_space: int
    asked: EngineWish
    engine: EngineName
    engine_reason: str
    special_text: Literal["text", "token"]
    add_special_tokens: bool


class ModelIds(msgspec.Struct, frozen=True):
    """The ids that the model gives a meaning; None where the config does not say."""

    bos: int | None
    eos: int | None
    pad: int | None

    def special(self) -> SpecialIds | None:
        """Returns them as signals take them; None when there are none."""
        ids = (self.bos, self.eos, self.pad)
        return None if ids == (None, None, None) else SpecialIds(*(-1 if each is None else each for each in ids))


class MapSettings(msgspec.Struct, frozen=True):
    """Everything that a map task's output depends on besides its pieces.

    Attributes:
        model_ids: of a corpus of token ids, for labels, masks and padding; None for texts.
    """

    read: ReadOptions
    tokenizer: TokenizerSettings | None
    special_strings: tuple[str, ...]
    signals: dict[str, int]
    block_documents: int
    drift_unit: Literal["tokens", "words"]
    shingle_units: int | None
    versions: dict[str, str]
    model_ids: ModelIds | None = None


class PoolSettings(msgspec.Struct, frozen=True):
    """Everything that a pool task's output depends on besides the map's outputs."""

    embedding_rows: int | None
    max_length: int | None
    bos_id: int | None
    eos_id: int | None
    signals: dict[str, int]
    pad_id: int | None = None

    def special(self) -> SpecialIds | None:
        """Returns the model's special ids as signals take them; None when there are none."""
        return ModelIds(self.bos_id, self.eos_id, self.pad_id).special()


class DuplicateSettings(msgspec.Struct, frozen=True):
    """Everything that the search for duplicates depends on besides the map's outputs.

    Attributes:
        threshold: the least Jaccard similarity of near duplicates, in ten-thousandths.
        sample: how many documents are looked at to estimate the share of near duplicates; null finds all of them.
        signals: the version of each signal of duplicates.
    """

    threshold: int
    sample: int | None
    signals: dict[str, int]


class TextBeside(msgspec.Struct, frozen=True):
    """The text that the token ids are said to come from.

    Attributes:
        given: the column or the path, as it was given.
        pieces: of a corpus of texts, in order; None when *given* is a column of the same records.
        read: how the pieces, or the records with the column, are read.
    """

    given: str
    pieces: list[Piece] | None
    read: ReadOptions


class DamagedFile(msgspec.Struct, frozen=True):
    """A file that could not be opened at all."""

    file: CorpusFile
    reason: str


class Plan(msgspec.Struct, frozen=True):
    """What a run does.

    Attributes:
        format: PLAN_FORMAT.
        inputs: the INPUT arguments, as they were given.
        config_name: the preset or file that the run was judged with last.
        shards: the pieces of each shard, in order.
        damaged: files that gave no piece.
        map, pool, duplicates: the settings.
        text_beside: the text that token ids are compared with, or None.
    """

    format: int
    inputs: list[str]
    config_name: str
    shards: list[list[Piece]]
    damaged: list[DamagedFile]
    map: MapSettings
    pool: PoolSettings
    duplicates: DuplicateSettings
    text_beside: TextBeside | None = None


def pack(pieces: Sequence[Piece], shard_bytes: int) -> list[list[Piece]]:
    """Packs pieces into shards of up to *shard_bytes*, in order; a larger piece is a shard of its own.

    Texts and token ids are in shards of their own: they do not have the same signals.
    """
    shards: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        if not shards or piece.size > room or piece.kind != shards[-1][-1].kind:
            shards.append([])
            room = shard_bytes
        shards[-1].append(piece)
        room -= piece.size
    return shards


@lru_cache(maxsize=1)
def _decode(path: Path, stamp: tuple[int, int]) -> Plan:  # noqa: ARG001 - the stamp is there for the cache
    return msgspec.json.decode(path.read_bytes(), type=Plan)


def load_plan(run: Path) -> Plan:
    """Reads the plan of a run folder; a process reads it once.

    Raises:
        OSError, msgspec.DecodeError: there is none, or it is of another version.
    """
    path = run / "plan.json"
    facts = path.stat()
    return _decode(path, (facts.st_mtime_ns, facts.st_ino))
