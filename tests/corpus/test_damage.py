"""Files with bytes changed, lost or put in: never an exception, and every record is accounted for."""

import gzip
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from dataaudit.corpus import ReadOptions, Tally, cut_pieces, find_files, read_piece
from dataaudit.errors import ReadError

ROWS = [{"id": f"i{n}", "text": "é😀\0 " * (n % 7) + f"text {n}", "n": n} for n in range(40)]
LINES = "".join(json.dumps(each) + "\n" for each in ROWS).encode()


def table_bytes(write):
    file = io.BytesIO()
    write(file, pa.Table.from_pylist(ROWS))
    return file.getvalue()


def arrow(new):
    def write(file, table):
        with new(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=9)

    return write


GOOD = {
    "a.jsonl": LINES,
    "a.jsonl.gz": gzip.compress(LINES),
    "a.jsonl.zst": zstandard.compress(LINES),
    "a.json": json.dumps(ROWS).encode(),
    "a.csv": b"id,text,n\n" + b"".join(b'%d,"a\nb",1\n' % n for n in range(40)),
    "a.parquet": table_bytes(lambda file, table: pq.write_table(table, file, row_group_size=9)),
    "a.arrow": table_bytes(arrow(pa.ipc.new_file)),
    "b.arrow": table_bytes(arrow(pa.ipc.new_stream)),
}


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at : at + rng.randint(0, 9)] = rng.randbytes(rng.randint(0, 9))
        elif kind == 2:
            data[at : at + 4] = b"\xff\xff\xff\x7f"
        else:
            del data[max(at, 1) :]
    return bytes(data)


@pytest.mark.parametrize("name", GOOD)
def test_no_damage_is_an_exception(tmp_path, name):
    rng = random.Random(name)
    path = tmp_path / name
    options = ReadOptions(number_columns=("n",))
    whole = 0
    for _ in range(150):
        path.write_bytes(damaged(GOOD[name], rng))
        try:
            plan = cut_pieces(find_files([str(path)]).files, options, rng.choice([60, 1 << 27]))
        except ReadError as error:
            assert "no column with text" in str(error)
            continue
        whole += not plan.damaged
        for piece in plan.pieces:
            tally, records = Tally(), 0
            for batch in read_piece(piece, options, tally):
                batch.validate(full=True)
                records += batch.num_rows + len(tally.faults)
                tally.faults.clear()
            assert records == tally.records
            assert tally.digest or tally.damage
    assert whole > 3


def test_a_footer_that_claims_too_much_is_damage(tmp_path):
    good = GOOD["a.parquet"]
    length = int.from_bytes(good[-8:-4], "little")
    for footer in (
        b"\x15\x02\x19\x4c",
        b"\x49\x1c\x15\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0",
        b"\xff" * 40,
        b"",
    ):
        path = tmp_path / "a.parquet"
        path.write_bytes(good[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
        plan = cut_pieces(find_files([str(path)]).files)
        assert plan.damaged or not plan.pieces[0].size
