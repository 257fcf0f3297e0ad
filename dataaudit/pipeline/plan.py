"""The plan: which pieces make which shard, and the settings that measuring depends on.

Shards are cut from the sorted file list alone, so the plan does not depend on workers, engine or chance. The settings
are ``plan.json``; the shards are the lines of ``shards.jsonl``, of which a task reads its own: with a million files all
of them together take a gigabyte.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal

import msgspec

from dataaudit.corpus import CorpusFile, Piece, ReadOptions
from dataaudit.pipeline.store import Output, RunFolder, digest, key_of, pretty_json
from dataaudit.signals import SpecialIds

EngineName = Literal["fastokens", "tokenizers"]
EngineWish = Literal["auto", "fastokens", "tokenizers"]

PLAN_FORMAT = 2
SETTINGS, SHARDS = "plan.json", "shards.jsonl"
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


class PlanSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a run does, but for its shards.

    Attributes:
        format: PLAN_FORMAT.
        inputs: the INPUT arguments, as they were given.
        config_name: the preset or file that the run was judged with last.
        damaged: files that gave no piece.
        map, pool, duplicates: the settings.
        text_beside: the text that token ids are compared with, or None.
    """

    format: int
    inputs: list[str]
    config_name: str
    damaged: list[DamagedFile]
    map: MapSettings
    pool: PoolSettings
    duplicates: DuplicateSettings
    text_beside: TextBeside | None = None


class Plan(PlanSettings, frozen=True, kw_only=True):
    """What a run does; *shards* are the pieces of each shard, in order."""

    shards: list[list[Piece]]


class _Written(PlanSettings, frozen=True, kw_only=True):
    """``plan.json``; *shards* is what ``shards.jsonl`` has to be."""

    shards: Output


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


def map_key(shard: int, pieces: list[Piece], settings: MapSettings) -> str:
    """Returns the key of a map task; where the tokenizer's file lies is no part of it."""
    if settings.tokenizer is not None:
        settings = msgspec.structs.replace(
            settings, tokenizer=msgspec.structs.replace(settings.tokenizer, path="", engine_reason="")
        )
    return key_of([shard, pieces, settings])


def write_plan(run: RunFolder, plan: Plan) -> None:
    """Writes the plan into a run folder."""
    with run.workspace() as folder:
        path = folder / SHARDS
        with path.open("wb") as file:
            for pieces in plan.shards:
                file.write(msgspec.json.encode(pieces) + b"\n")
        shards = run.place(path, SHARDS)
    settings = {name: getattr(plan, name) for name in PlanSettings.__struct_fields__}
    run.write(SETTINGS, pretty_json(_Written(**settings, shards=shards)))


def load_plan(run: Path) -> Plan:
    """Reads the plan of a run folder; a process reads it once.

    Raises:
        OSError, msgspec.DecodeError: there is none, or it is damaged or of another version.
    """
    return _plan(run, _stamp(run))


def load_settings(run: Path) -> PlanSettings:
    """Reads the plan of a run folder without its shards; a process reads it once.

    Raises:
        OSError, msgspec.DecodeError: there is none, or it is damaged or of another version.
    """
    return _settings(run, _stamp(run))


def load_shard(run: Path, shard: int) -> list[Piece]:
    """Reads the pieces of one shard.

    Raises:
        OSError, msgspec.DecodeError: the plan is damaged or of another version.
        IndexError: it has no such shard.
    """
    start = _line_starts(run, _stamp(run))[shard]
    with (run / SHARDS).open("rb") as file:
        file.seek(start)
        return msgspec.json.decode(file.readline(), type=list[Piece])


def _stamp(run: Path) -> tuple[int, int]:
    """Returns what differs when a plan was written anew."""
    facts = (run / SETTINGS).stat()
    return facts.st_mtime_ns, facts.st_ino


@lru_cache(maxsize=1)
def _settings(run: Path, stamp: tuple[int, int]) -> _Written:  # noqa: ARG001 - the stamp is there for the cache
    return msgspec.json.decode((run / SETTINGS).read_bytes(), type=_Written)


@lru_cache(maxsize=1)
def _plan(run: Path, stamp: tuple[int, int]) -> Plan:
    settings = _settings(run, stamp)
    path = run / SHARDS
    if path.stat().st_size != settings.shards.bytes or digest(path) != settings.shards.digest:
        raise msgspec.DecodeError(f"{path} is not the one that {SETTINGS} was written with")
    decode = msgspec.json.Decoder(list[Piece]).decode
    with path.open("rb") as file:
        shards = [decode(line) for line in file]
    fields = {name: getattr(settings, name) for name in PlanSettings.__struct_fields__}
    return Plan(**fields, shards=shards)


@lru_cache(maxsize=1)
def _line_starts(run: Path, stamp: tuple[int, int]) -> list[int]:  # noqa: ARG001 - the stamp is there for the cache
    with (run / SHARDS).open("rb") as file:
        return [0, *accumulate(len(line) for line in file)][:-1]
