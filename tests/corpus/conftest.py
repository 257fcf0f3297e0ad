"""Helpers that read inputs the way the pipeline does."""

from dataclasses import dataclass, field

import pytest

from dataaudit.corpus import Fault, PieceList, ReadOptions, Tally, cut_pieces, find_files, read_piece


@dataclass
class Result:
    documents: list[dict] = field(default_factory=list)
    faults: list[tuple[str, Fault]] = field(default_factory=list)
    damage: dict[str, str] = field(default_factory=dict)
    tallies: list[Tally] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    plan: PieceList | None = None

    @property
    def texts(self):
        return [each["text"] for each in self.documents]

    @property
    def places(self):
        """File, record and offset of every document."""
        return [(each["file"], each["record"], each["offset"]) for each in self.documents]

    @property
    def fault_places(self):
        return [(name, fault.kind, fault.record, fault.offset) for name, fault in self.faults]


def read_all(*inputs, options=None, target_bytes=128 << 20) -> Result:
    options = options or ReadOptions()
    result = Result()
    result.plan = cut_pieces(find_files([str(each) for each in inputs]).files, options, target_bytes)
    for piece in result.plan.pieces:
        tally = Tally()
        rows = []
        for batch in read_piece(piece, options, tally):
            batch.validate(full=True)
            result.batches.append(batch.num_rows)
            for document in batch.to_pylist():
                rows.append(document["row"])
                result.documents.append({"file": piece.file.name, **document})
            rows += [fault.row for fault in tally.faults]
            result.faults += [(piece.file.name, fault) for fault in tally.faults]
            tally.faults.clear()
        assert not tally.faults
        assert sorted(rows) == list(range(tally.records)), "each record is a document or a fault, once"
        assert tally.digest is not None
        if tally.damage:
            result.damage[piece.file.name] = tally.damage
        result.tallies.append(tally)
    return result


@pytest.fixture(scope="session")
def read():
    return read_all
