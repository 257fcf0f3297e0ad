"""Files of token ids for tests: written by the project's own writers, and read back piece by piece."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dataaudit.corpus import Fault, PieceList, ReadOptions, Tally, TokenHints, cut_pieces, find_files, read_piece
from dataaudit.corpus.token_array import narrowed
from dataaudit.corpus.token_facts import TokenFacts
from dataaudit.corpus.token_writers import Origin, Sequences, ShardFacts, token_format

Documents = list[list[int]]


@dataclass
class Arrays:
    """What a corpus of token arrays gave: rows of batches, faults, damage and the facts of each file by its name."""

    plan: PieceList
    rows: list[dict] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    facts: dict[str, TokenFacts] = field(default_factory=dict)
    digests: list[str | None] = field(default_factory=list)

    @property
    def documents(self) -> Documents:
        return [row["input_ids"] for row in self.rows]

    @property
    def only_facts(self) -> TokenFacts:
        (facts,) = self.facts.values()
        return facts

    @property
    def problems(self) -> dict[str, int]:
        return self.only_facts.problem_counts


def write_tokens(name: str, folder: Path, documents: Documents, dtype: str) -> Path:
    """Writes one shard and returns its main file."""
    folder.mkdir(parents=True, exist_ok=True)
    form = token_format(name)
    main = folder / form.name(0, 1)
    writer = form.open(main, ShardFacts(dtype, "tokenizer.json"))
    ids = np.array([each for document in documents for each in document], np.int64)
    offsets = np.concatenate(([0], np.cumsum([len(document) for document in documents], dtype=np.int64)))
    origins = [Origin(f"id-{at}", "a.jsonl", at) for at in range(len(documents))]
    numbers = np.arange(len(documents), dtype=np.uint64)
    writer.write(Sequences(narrowed(ids, dtype), offsets, numbers, origins))
    writer.close()
    return main


def read_tokens(
    *inputs: Path | str, target_bytes: int = 128 << 20, options: ReadOptions | None = None, **hints: object
) -> Arrays:
    """Reads files as the pipeline does; each record must be a document or a fault, once."""
    options = options or ReadOptions()
    files = find_files([str(each) for each in inputs]).files
    found = Arrays(cut_pieces(files, options, target_bytes, lambda: TokenHints(**hints)))
    for piece in found.plan.pieces:
        tally = Tally()
        numbers: list[int] = []
        for batch in read_piece(piece, options, tally):
            batch.validate(full=True)
            rows = batch.to_pylist()
            found.rows += rows
            numbers += [row["row"] for row in rows] + [fault.row for fault in tally.faults]
            found.faults += tally.faults
            tally.faults.clear()
        assert sorted(numbers) == list(range(tally.records))
        found.digests.append(tally.digest)
        found.damage += [tally.damage] if tally.damage else []
        before = found.facts.get(piece.file.name)
        if tally.token_facts is not None:
            found.facts[piece.file.name] = before.merge(tally.token_facts) if before else tally.token_facts
    return found
