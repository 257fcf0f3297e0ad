"""The committed sample data is what its script makes, and its faults are where planted.json says, and nowhere else."""

import csv
import gzip
import io
import json
import re
import subprocess
import sys
import unicodedata
import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tokenizers import Tokenizer

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_data"
CORPUS = SAMPLE / "corpus"
Place = tuple[str, int | None]


class Found(NamedTuple):
    """A record that was read, its id and its text; None where there is none."""

    id: str | None
    text: str | None


def content(path: Path) -> bytes:
    """The decompressed bytes of a file, as far as they go."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        return zlib.decompressobj(31).decompress(data)
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return data


def read(path: Path) -> dict[int, Found]:
    """Every record of a file by its number, read in the plainest way."""
    name = path.name
    if ".jsonl" in name:
        return {
            n: json_record(line)
            for n, line in enumerate(content(path).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
            if line
        }
    if name.endswith(".json"):
        return {n: Found(each["id"], each["text"]) for n, each in enumerate(json.loads(content(path)))}
    if name.endswith(".csv"):
        return csv_records(content(path).decode())
    if name.endswith((".parquet", ".arrow")):
        table = pq.read_table(path) if name.endswith(".parquet") else pa.ipc.open_file(path).read_all()
        return {n: Found(row["id"], row["text"]) for n, row in enumerate(table.to_pylist())}
    return {1: Found(None, content(path).decode("utf-8-sig"))}


def json_record(line: bytes) -> Found:
    try:
        record = json.loads(line)
    except ValueError:
        return Found(None, None)
    return Found(record["id"], record.get("text")) if isinstance(record, dict) else Found(None, None)


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(re.sub("[\ud800-\udfff]", "\ufffd", text)).ids


def csv_records(text: str) -> dict[int, Found]:
    records = {}
    rows = csv.reader(io.StringIO(text, newline=""))
    start = 1
    for cells in rows:
        if start > 1:
            records[start] = Found(*cells)
        start = rows.line_num + 1
    return records


@pytest.fixture(scope="module")
def records() -> dict[Place, Found]:
    files = sorted(path for path in CORPUS.rglob("*") if path.is_file())
    names = [(path.relative_to(CORPUS).as_posix(), path) for path in files]
    return {(name, number): record for name, path in names for number, record in read(path).items()}


@pytest.fixture(scope="module")
def planted() -> list[dict]:
    return json.loads((SAMPLE / "planted.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(SAMPLE / "tokenizer.json"))


def places(planted: list[dict], *faults: str) -> set[Place]:
    return {(row["file"], row["record"]) for row in planted if row["fault"] in faults}


def test_the_script_makes_the_committed_files(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "stray.txt").write_text("left over from an earlier version")
    subprocess.run([sys.executable, str(ROOT / "scripts" / "make_sample_data.py"), str(tmp_path)], check=True)
    made, kept = (
        {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path, SAMPLE)
    )
    assert made.keys() == kept.keys()
    for name, path in made.items():
        if name.endswith((".parquet", ".arrow")):
            assert read(path) == read(kept[name]), name
        else:
            assert content(path) == content(kept[name]), name


def test_it_is_small_and_varied(records):
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 1_500_000
    assert {name.partition("/")[0] for name, _ in records} == {"code", "forum", "library", "news", "notes", "pages"}
    texts = [found.text for found in records.values() if found.text]
    chinese = [text for text in texts if len(re.findall("[一-鿿]", text)) > len(text) / 2]
    assert len(texts) > 400
    assert len(chinese) > 150
    assert len([name for name, _ in records if name.startswith("code/")]) == 60


def test_planted_rows_name_real_records(records, planted):
    assert len({json.dumps(row) for row in planted}) == len(planted)
    for row in planted:
        assert (CORPUS / row["file"]).is_file()
        assert row.keys() <= {"file", "record", "id", "fault", "signal", "group"}
        if row["record"] is not None:
            found = records[row["file"], row["record"]]
            assert found.id == row["id"], row
    assert set(re.findall(r"^\| ([a-z]\w+) \|", (SAMPLE / "PLANTED.md").read_text("utf-8"), re.M)) - {"fault"} == {
        row["fault"] for row in planted
    }


def share(text: str, wanted: str) -> float:
    return len(re.findall(wanted, text)) / len(text)


def category_share(text: str, categories: tuple[str, ...]) -> float:
    return sum(unicodedata.category(character).startswith(categories) for character in text) / len(text)


def most_repeats(ids: list[int]) -> int:
    """The most times that a span of 1 to 13 tokens stands in a row."""
    best = 1
    for period in range(1, 14):
        run = 0
        for at in range(period, len(ids)):
            run = run + 1 if ids[at] == ids[at - period] else 0
            best = max(best, run // period + 1)
    return best


def repeated_share(parts: list[str]) -> float:
    return 1 - len(set(parts)) / max(1, len(parts))


def repeated_ngram_share(text: str) -> float:
    words = text.split()
    grams = Counter(tuple(words[at : at + 5]) for at in range(len(words) - 4))
    return sum(count for count in grams.values() if count > 1) / max(1, sum(grams.values()))


MEASURES = {
    "empty": lambda text: text == "",
    "white_space_only": lambda text: text != "" and not text.strip(),
    "punctuation_only": lambda text: text.strip() != "" and not any(map(str.isalnum, text)),
    "repeated_character": lambda text: re.search(r"(.)\1{255}", text) is not None,
    "repeated_lines": lambda text: "\n\n" not in text and repeated_share([*filter(None, text.splitlines())]) > 0.3,
    "repeated_paragraph": lambda text: "\n\n" in text and repeated_share(text.split("\n\n")) > 0.3,
    "repeated_ngram": lambda text: "\n" not in text and repeated_ngram_share(text) > 0.15,
    "special_characters": lambda text: any(map(str.isalnum, text)) and category_share(text, ("P", "S")) > 0.5,
    "control_characters": lambda text: share(text, "[\x01-\x08\x0b\x0e-\x1f]") > 0.01,
    "nul_characters": lambda text: share(text, "\x00") > 0.01,
    "replacement_characters": lambda text: share(text, "\ufffd") > 0.01,
    "invisible_characters": lambda text: category_share(text, ("Cf",)) > 0.1,
    "private_use_characters": lambda text: category_share(text, ("Co",)) > 0.01,
    "mojibake_utf8_as_latin1": lambda text: share(text, "[ÂÃ][\x80-\xbf]") > 0.03,
    "mojibake_gbk": lambda text: share(text, "锟斤拷|烫烫烫") > 0.02,
    "digit_table": lambda text: share(text, "[0-9]") > 0.5,
    "special_token_text": lambda text: "<|" in text,
    "line_separator": lambda text: "\u2028" in text,
}


@pytest.mark.parametrize("fault", MEASURES)
def test_a_fault_is_where_it_is_planted_and_nowhere_else(records, planted, fault):
    found = {
        place
        for place, record in records.items()
        if record.text is not None and (record.text or fault == "empty") and MEASURES[fault](record.text)
    }
    assert found == places(planted, fault)
    assert found


def test_faults_of_tokens(records, planted, tokenizer):
    ids = {place: encode(tokenizer, record.text) for place, record in records.items() if record.text}
    assert {place for place, each in ids.items() if len(each) > 1024} == places(planted, "too_long")
    assert {place for place, each in ids.items() if most_repeats(each) >= 32} == places(planted, "periodic_tokens")
    parts = {number for number in range(4096) if tokenizer.decode([number]) == "\ufffd"}  # of a character
    [rare] = places(planted, "rare_tokens")
    shares = {
        place: sum(each in parts for each in found) / len(found) for place, found in ids.items() if len(found) > 50
    }
    assert shares[rare] > 0.8
    others = [
        value for place, value in shares.items() if place not in places(planted, *(row["fault"] for row in planted))
    ]
    assert max(others) < 0.4


def test_the_tokenizer(records, tokenizer):
    assert tokenizer.get_vocab_size() == 4096
    assert sorted(tokenizer.get_vocab().values()) == list(range(4096))
    for record in records.values():
        if record.text and not re.search("[\ud800-\udfff]", record.text):
            assert tokenizer.decode(encode(tokenizer, record.text), skip_special_tokens=False) == record.text


def shingles(text: str) -> frozenset[str]:
    words = text.split() if text.count(" ") > len(text) / 20 else list(text)
    return frozenset(" ".join(words[at : at + 5]) for at in range(len(words) - 4))


def test_copies(records, planted):
    groups: dict[str, set[Place]] = {}
    for row in planted:
        if "group" in row:
            groups.setdefault(row["group"], set()).add((row["file"], row["record"]))
    exact = {name: places for name, places in groups.items() if name.startswith(("exact", "across"))}
    by_text: dict[str, set[Place]] = {}
    for place, record in records.items():
        if record.text:
            by_text.setdefault(record.text, set()).add(place)
    assert sorted(map(sorted, exact.values())) == sorted(sorted(each) for each in by_text.values() if len(each) > 1)
    assert sorted(map(len, exact.values())) == [2, 2, 3]
    assert len({name.partition("/")[0] for name, _ in groups["across-1"]}) == 2
    # near copies: alike, not equal, and no other two documents are alike
    near = {frozenset(groups[name]) for name in ("near-1", "near-2")}
    prints = [(place, shingles(text)) for text, (place, *_) in ((text, sorted(each)) for text, each in by_text.items())]
    alike = {}
    for number, (place, left) in enumerate(prints):
        for other, right in prints[:number]:
            shared = len(left & right)
            if shared > 0.3 * (len(left) + len(right) - shared):
                alike[frozenset([place, other])] = shared / (len(left) + len(right) - shared)
    assert {pair for pair, value in alike.items() if value > 0.55} == near
    assert all(0.8 < alike[pair] < 1 for pair in near)


def test_repeated_ids(records, planted):
    by_id: dict[str, list[Place]] = {}
    for place, record in records.items():
        if record.id is not None:
            by_id.setdefault(record.id, []).append(place)
    [repeated] = [each for each in by_id.values() if len(each) > 1]
    assert set(repeated) == places(planted, "repeated_id")
    assert len({records[place].text for place in repeated}) == 2


def test_records_without_a_document(records, planted):
    without = {place for place, record in records.items() if record.text is None}
    kinds = ["broken_json", "not_an_object", "without_text", "text_is_null", "invalid_utf8"]
    assert without == places(planted, *kinds)
    lines = {
        kind: content(CORPUS / name).split(b"\n")[number - 1]
        for kind in [*kinds, "lone_surrogate"]
        for name, number in places(planted, kind)
    }
    with pytest.raises(json.JSONDecodeError):
        json.loads(lines["broken_json"])
    assert isinstance(json.loads(lines["not_an_object"]), list)
    assert "text" not in json.loads(lines["without_text"])
    assert json.loads(lines["text_is_null"])["text"] is None
    with pytest.raises(UnicodeDecodeError):
        lines["invalid_utf8"].decode()
    surrogate = {
        place for place, record in records.items() if record.text and re.search("[\ud800-\udfff]", record.text)
    }
    assert surrogate == places(planted, "lone_surrogate")


def test_faults_of_files(planted):
    files = {path.relative_to(CORPUS).as_posix(): path.read_bytes() for path in CORPUS.rglob("*") if path.is_file()}
    expected = {
        kind: {name for name, _ in places(planted, kind)} for kind in ("byte_order_mark", "crlf_lines", "empty_file")
    }
    assert {name for name, data in files.items() if data.startswith(b"\xef\xbb\xbf")} == expected["byte_order_mark"]
    assert {name for name, data in files.items() if name.endswith(("l", "t", "v")) and b"\r\n" in data} == expected[
        "crlf_lines"
    ]
    assert {name for name, data in files.items() if not data} == expected["empty_file"]
    [(truncated, _)] = places(planted, "truncated_gzip")
    for name, data in files.items():
        if name.endswith(".gz") and name != truncated:
            gzip.decompress(data)
    with pytest.raises(EOFError):
        gzip.decompress(files[truncated])
    assert len(read(CORPUS / truncated)) == 6
