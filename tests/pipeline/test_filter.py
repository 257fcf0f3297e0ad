"""Clean and quarantine: every record in one of the two, as it stood in the input, with every reason."""

import csv
import gzip
import io
import json
import os
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from conftest import chinese, prose
from tests_support import contents
from tokenizers import Tokenizer

import dataaudit
from dataaudit.config.load import load_config
from dataaudit.config.settings import apply_settings
from dataaudit.errors import ConfigError, RunError, UsageError
from dataaudit.pipeline.filter_run import run_dry, run_filter, run_restore
from dataaudit.pipeline.listener import Silent

BAD = {"punct": "!!! ??? ... !!!", "empty": " \n", "special": "#$%& a " * 40, "run": "x" * 3000}
"""Texts by the rule that takes them out, as far as the id tells it."""


def record(name: str, text: object, **more: object) -> dict[str, object]:
    return {"id": name, "text": text, "meta": {"n": len(name), "tags": ["a", "中"]}, **more}


def records(rng: random.Random, prefix: str, count: int) -> list[dict[str, object]]:
    rows = [record(f"{prefix}-{row}", (prose if row % 2 else chinese)(rng)) for row in range(count)]
    for at, (kind, text) in enumerate(BAD.items()):
        rows.insert(3 * at + 1, record(f"{prefix}-bad-{kind}", text))
    return rows


def jsonl(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def make_mixed(root: Path) -> Path:
    """Every format, each with documents to take out, some damaged."""
    rng = random.Random(3)
    for folder in ("lines", "tables", "texts"):
        (root / folder).mkdir(parents=True)
    crlf = jsonl(records(rng, "a", 30)).replace(b"\n", b"\r\n")
    broken = b'{"id": "cut", "text": "never closed\n["no object"]\n{"id": "bytes", "text": "\xff"}\n'
    without = b'{"id": "a-none", "text": null, "k": 1}\n{ }\n'
    (root / "lines" / "a.jsonl").write_bytes(crlf + broken + without)
    (root / "lines" / "b.jsonl.gz").write_bytes(gzip.compress(jsonl(records(rng, "b", 12)), mtime=0))
    cut = gzip.compress(jsonl(records(rng, "cut", 40)), mtime=0)
    (root / "lines" / "cut.jsonl.gz").write_bytes(cut[: len(cut) // 2])
    (root / "lines" / "c.jsonl.zst").write_bytes(zstandard.compress(jsonl(records(rng, "c", 12))))
    (root / "lines" / "d.json").write_text(json.dumps(records(rng, "d", 12), indent=1, ensure_ascii=False))
    table = pa.Table.from_pylist(records(rng, "p", 12)).replace_schema_metadata({"mine": "kept"})
    pq.write_table(table, root / "tables" / "p.parquet", row_group_size=5)
    with pa.ipc.new_stream(root / "tables" / "s.arrow", table.schema) as writer:
        writer.write_table(pa.Table.from_pylist(records(rng, "s", 12), table.schema), max_chunksize=5)
    sink = io.StringIO()
    writer = csv.writer(sink)
    writer.writerow(["id", "text", "note"])
    writer.writerows([row["id"], row["text"], 'a "note"\nof two lines'] for row in records(rng, "v", 12))
    (root / "texts" / "v.csv").write_text(sink.getvalue() + "too,few\n", newline="")
    (root / "texts" / "good.txt").write_text(prose(rng))
    (root / "texts" / "bad.txt").write_text("!!! ???")
    return root


def silent_filter(run: Path, out: Path, **options: object):
    return run_filter(run, out, Silent(), workers=1, **options)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_mixed(tmp_path_factory.mktemp("mixed") / "in")


@pytest.fixture(scope="module")
def run(mixed: Path, tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("filter") / "run"
    dataaudit.audit(mixed, out, tokenizer=tokenizer_file, workers=1)
    return out


@pytest.fixture(scope="module")
def out(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("filtered") / "out"
    silent_filter(run, place)
    return place


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    return zstandard.ZstdDecompressor().decompressobj().decompress(data) if path.suffix == ".zst" else data


def rows_of(path: Path) -> list[dict[str, object]]:
    """Reads a file of either folder without any help of the tool."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".arrow":
        with pa.ipc.open_stream(path) as reader:
            return reader.read_all().to_pylist()
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".txt":
        return [{"text": path.read_text()}]
    return [json.loads(line) for line in unpacked(path).split(b"\n") if line.strip()]


def all_rows(folder: Path) -> list[dict[str, object]]:
    return [row for path in sorted(folder.rglob("*")) if path.is_file() for row in rows_of(path)]


def test_every_record_is_in_one_place(out: Path, run: Path) -> None:
    result = json.loads((out / "filter.json").read_text())
    corpus = dataaudit.load_result(run).corpus
    counts = result["records"]
    assert result["conserved"]
    assert counts["total"] == corpus.records
    assert counts["clean"] + counts["quarantine"] == corpus.documents
    assert (counts["unreadable"], counts["without_text"]) == (corpus.unreadable, corpus.without_text)
    for balance in [counts, result["bytes"], *(file["records"] for file in result["files"])]:
        parts = balance["clean"] + balance["quarantine"] + balance["without_text"] + balance["unreadable"]
        assert balance["total"] == parts
    clean, quarantine = all_rows(out / "clean"), all_rows(out / "quarantine")
    assert len(clean) == counts["clean"]
    assert len(quarantine) == counts["total"] - counts["clean"]


def test_ids_are_kept_or_quarantined_and_never_both(out: Path) -> None:
    clean = [row["id"] for row in all_rows(out / "clean") if "id" in row]
    quarantined = [row["id"] for row in all_rows(out / "quarantine") if "id" in row]
    assert len(set(clean)) == len(clean)
    assert not set(clean) & set(quarantined)
    assert not [name for name in clean if "bad" in str(name)]
    assert {f"{prefix}-bad-{kind}" for prefix in "abcdpsv" for kind in BAD} <= set(quarantined)


def test_kept_lines_are_the_bytes_of_the_input(out: Path, mixed: Path) -> None:
    for name in ("lines/a.jsonl", "lines/b.jsonl.gz", "lines/c.jsonl.zst"):
        kept = unpacked(out / "clean" / name).split(b"\n")
        before = unpacked(mixed / name).split(b"\n")
        assert kept == [line for line in before if line in set(kept)]
        assert len(kept) > 10


def test_tables_keep_their_schema_and_columns(out: Path, mixed: Path) -> None:
    before = pq.read_table(mixed / "tables" / "p.parquet")
    kept = pq.read_table(out / "clean" / "tables" / "p.parquet")
    assert kept.schema.equals(before.schema, check_metadata=True)
    ids = set(kept["id"].to_pylist())
    assert kept.to_pylist() == [row for row in before.to_pylist() if row["id"] in ids]


def test_json_arrays_and_csv_keep_their_form(out: Path, mixed: Path) -> None:
    before = json.loads((mixed / "lines" / "d.json").read_text())
    kept = json.loads((out / "clean" / "lines" / "d.json").read_text())
    assert kept == [row for row in before if "bad" not in row["id"]]
    rows = rows_of(out / "clean" / "texts" / "v.csv")
    assert rows[0]["note"] == 'a "note"\nof two lines'
    header, first = (out / "clean" / "texts" / "v.csv").read_bytes().split(b"\r\n")[:2]
    before = (mixed / "texts" / "v.csv").read_bytes()
    assert before.startswith(header + b"\r\n" + first)


def test_a_quarantined_record_is_whole_and_has_its_reasons(out: Path) -> None:
    rows = {row.get("id"): row for row in all_rows(out / "quarantine")}
    punct = rows["a-bad-punct"]
    assert punct["meta"] == {"n": 11, "tags": ["a", "中"]}
    reasons = {reason["rule"]: reason for reason in punct["dataaudit_reasons"]}
    assert reasons["punctuation-only"]["value"] == 0
    assert (reasons["punctuation-only"]["min"], reasons["punctuation-only"]["margin"]) == (1, 1)
    assert [reason["rule"] for reason in rows["p-bad-empty"]["dataaudit_reasons"]] == ["empty"]
    assert rows["v-bad-run"]["note"] == 'a "note"\nof two lines'
    assert [reason["rule"] for reason in rows["a-none"]["dataaudit_reasons"]] == ["without-text"]
    for row in rows.values():
        for reason in row["dataaudit_reasons"]:
            assert reason["message"]
    assert reasons["punctuation-only"]["message"] == "alnum_char_count is 0, below 1"


def test_what_could_not_be_read_is_kept_byte_for_byte(out: Path) -> None:
    lines = rows_of(out / "quarantine" / "lines" / "a.jsonl.unreadable.jsonl")
    assert [line.get("raw") for line in lines] == ['{"id": "cut", "text": "never closed', '["no object"]', None]
    import base64

    assert base64.b64decode(lines[2]["raw_base64"]) == b'{"id": "bytes", "text": "\xff"}'
    assert [line["record"] for line in lines] == [35, 36, 37]
    assert "not valid JSON" in lines[0]["dataaudit_reasons"][0]["message"]


def test_tokens_are_those_of_the_clean_texts(out: Path, run: Path, tokenizer_file: Path) -> None:
    reference = Tokenizer.from_file(str(tokenizer_file))
    ids = []
    for part in sorted((out / "tokens").iterdir()):
        with pa.ipc.open_stream(part) as reader:
            ids += reader.read_all()["input_ids"].to_pylist()
    plan = json.loads((out / "filter.json").read_text())
    texts = [
        row["text"]
        for file in plan["files"]
        for name in file["outputs"]
        if name.startswith("clean/")
        for row in rows_of(out / name)
    ]
    assert ids == [reference.encode(str(text)).ids for text in texts]


def test_filtering_what_is_clean_removes_nothing(out: Path, tokenizer_file: Path, tmp_path: Path) -> None:
    dataaudit.audit(out / "clean", tmp_path / "run", tokenizer=tokenizer_file, workers=1)
    again = silent_filter(tmp_path / "run", tmp_path / "again")
    assert again.records.clean == again.records.total
    assert not (tmp_path / "again" / "quarantine").exists()
    first, second = contents(out / "clean"), contents(tmp_path / "again" / "clean")
    assert first.keys() == second.keys()
    assert {name for name in first if first[name] != second[name]} == set()


def test_workers_do_not_change_a_byte(mixed: Path, small_shards: str, tokenizer_file: Path, tmp_path: Path) -> None:
    dataaudit.audit(mixed, tmp_path / "run", config=small_shards, tokenizer=tokenizer_file, workers=1)
    for workers in (1, 2, 4):
        run_filter(tmp_path / "run", tmp_path / str(workers), Silent(), workers=workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(tmp_path / "4")
    assert len(list((tmp_path / "1" / "tasks").glob("filter-*.json"))) > 3


def test_a_file_that_is_cut_comes_out_in_parts_in_its_order(tmp_path: Path) -> None:
    rng = random.Random(4)
    rows = [record(str(row), prose(rng, 20)) for row in range(60)]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "big.jsonl").write_bytes(jsonl(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in" / "table.parquet", row_group_size=5)
    config = tmp_path / "small.yaml"
    config.write_text(
        "extends: default\nread: {shard_bytes: 20000}\n"
        "rules: [{id: exact-duplicate, skip: true}, {id: near-duplicate, skip: true}]\n"
    )
    dataaudit.audit(tmp_path / "in", tmp_path / "run", config=str(config), workers=1)
    result = silent_filter(tmp_path / "run", tmp_path / "out")
    for stem in ("big", "table"):
        parts = sorted((tmp_path / "out" / "clean" / stem).iterdir())
        assert len(parts) > 2
        assert parts[0].name.startswith("part-00000-of-0000")
        assert [row for part in parts for row in rows_of(part)] == rows
    outputs = [name for file in result.files for name in file.outputs]
    assert outputs == sorted(outputs)


def texts_by_file(out: Path) -> list[list[object]]:
    result = json.loads((out / "filter.json").read_text())
    kept = [[name for name in file["outputs"] if name.startswith("clean/")] for file in result["files"]]
    return [[row["text"] for row in rows_of(out / name)] for names in kept for name in names]


@pytest.mark.parametrize("output", ["jsonl.zst", "parquet"])
def test_clean_can_be_all_of_one_format(run: Path, out: Path, tmp_path: Path, output: str) -> None:
    result = silent_filter(run, tmp_path / "out", output=output)
    assert result.conserved
    files = [path for path in (tmp_path / "out" / "clean").rglob("*") if path.is_file()]
    assert {path.name.partition(".")[2] for path in files} == {output}
    assert texts_by_file(tmp_path / "out") == texts_by_file(out)
    by_id = {row["id"]: row for path in files for row in rows_of(path) if "id" in row}
    assert by_id["a-1"]["meta"] == {"n": 3, "tags": ["a", "中"]}
    assert contents(tmp_path / "out" / "quarantine") == contents(out / "quarantine")


def test_parquet_takes_what_json_gives(tmp_path: Path) -> None:
    rng = random.Random(6)
    odd = [
        {"x": 1},
        {"x": "one"},
        {"x": None, "e": {}},
        {"big": 2**70, "n": 1},
        {"n": 1.5, "s": {"a": 1}},
        {"s": {"b": []}},
    ]
    rows = [{"text": prose(rng), **more} for more in odd]
    half = json.dumps({"text": prose(rng) + "\ud800"}).encode() + b"\n"
    (tmp_path / "in.jsonl").write_bytes(jsonl(rows) + half)
    dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run", workers=1)
    result = silent_filter(tmp_path / "run", tmp_path / "out", output="parquet")
    assert result.records.clean == 7
    table = pq.read_table(tmp_path / "out" / "clean" / "in.parquet")
    assert table["x"].to_pylist() == ["1", '"one"', None, None, None, None, None]
    assert table["e"].to_pylist()[2] == "{}"
    assert json.loads(table["big"].to_pylist()[3]) == 2**70
    assert table["n"].to_pylist()[3:5] == [1.0, 1.5]
    assert table["text"].to_pylist()[6].endswith(".\ufffd")


def test_a_finished_filter_is_left_alone(run: Path, out: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file() and path.name != ".lock"}
    silent_filter(run, out)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_drift_judged_again_makes_another_run_only_of_filters_that_use_it(tmp_path: Path) -> None:
    rng = random.Random(5)
    for name, write in (("a", prose), ("b", prose), ("c", chinese)):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.jsonl").write_bytes(
            jsonl([record(f"{name}-{row}", write(rng)) for row in range(40)])
        )
    few = "extends: default\nread: {shard_bytes: 4096}\n"
    few += "drift: {min_tokens: 10, min_documents: 2, min_effective_documents: 2}\n"
    uses = f"{few}rules:\n  - {{id: drift, signal: shard_kl_excess, max: 0, if_null: keep, source: ours}}\n"
    for name, text in (("few", few), ("uses", uses)):
        (tmp_path / f"{name}.yaml").write_text(text)
    run = tmp_path / "run"
    dataaudit.audit(tmp_path / "in", run, config=str(tmp_path / "few.yaml"), workers=1)

    def filtered(name: str) -> int:
        loaded = load_config(str(tmp_path / f"{name}.yaml"))
        return silent_filter(run, tmp_path / name, loaded=loaded).records.quarantine

    assert filtered("few") < filtered("uses")
    dataaudit.check(run, config="default", workers=1)
    filtered("few")
    with pytest.raises(RunError, match="output of another run"):
        filtered("uses")


def test_places_that_are_refused(run: Path, out: Path, mixed: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="inside the run folder"):
        silent_filter(run, run / "out")
    with pytest.raises(UsageError, match="inside the input"):
        silent_filter(run, mixed / "out")
    with pytest.raises(UsageError, match="holds the run folder"):
        silent_filter(run, run.parent)
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RunError, match="not empty"):
        silent_filter(run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(RunError, match="other rules"):
        silent_filter(run, out, loaded=apply_settings(load_config("default"), ["special-characters.max=0.9"]))
    other = tmp_path / "sub"
    (tmp_path / "in.jsonl").write_bytes(jsonl(records(random.Random(8), "o", 9)))
    dataaudit.audit(tmp_path / "in.jsonl", other / "run", workers=1)
    with pytest.raises(RunError, match="output of another run"):
        silent_filter(other / "run", out)
    with pytest.raises(RunError, match="is a run folder"):
        silent_filter(run, other / "run")


def test_a_corpus_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(jsonl(records(random.Random(8), "o", 9)))
    dataaudit.audit(path, tmp_path / "run", workers=1)
    facts = path.stat()
    data = path.read_bytes()
    path.write_bytes(data + b'{"text": "new"}\n')
    with pytest.raises(RunError, match="has changed since the audit"):
        silent_filter(tmp_path / "run", tmp_path / "out")
    path.write_bytes(data.replace(b'"o-1"', b'"o-X"'))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    with pytest.raises(RunError, match="has changed since the audit: its bytes are others"):
        silent_filter(tmp_path / "run", tmp_path / "out")
    assert not (tmp_path / "out" / "clean").exists()
    path.write_bytes(data)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert silent_filter(tmp_path / "run", tmp_path / "out").conserved


SETTINGS = ["special-characters.max=0.02", "punctuation-only.min=0", "longest-run.skip=true"]


def test_what_if_says_what_a_real_filter_does(run: Path, tmp_path: Path) -> None:
    loaded = apply_settings(load_config("default"), SETTINGS)
    foreseen = run_dry(run, workers=2, loaded=loaded)
    assert foreseen == silent_filter(run, tmp_path / "out", loaded=loaded).funnel
    assert foreseen.removed.documents != run_dry(run, workers=1).removed.documents


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("punctuation-onli.min=1", "Did you mean 'punctuation-only'"),
        ("punctuation-only.mim=1", "Did you mean 'min'"),
        ("punctuation-only.min=lots", "does not fit"),
        ("special-characters.min=0.9", "above max"),
        ("punctuation-only.min=null", "no limit any more"),
        ("punctuation-only", "expected RULE.KEY=VALUE"),
    ],
)
def test_settings_that_are_wrong_say_why(setting: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        apply_settings(load_config("default"), [setting])


def test_restoring_a_rule_is_filtering_without_it(run: Path, out: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path / "out")
    result = run_restore(tmp_path / "out", ["special-characters"], None, Silent(), workers=1)
    without = apply_settings(load_config("default"), ["special-characters.skip=true"])
    silent_filter(run, tmp_path / "wanted", loaded=without)
    assert result.conserved
    assert contents(tmp_path / "out" / "clean") == contents(tmp_path / "wanted" / "clean")
    assert contents(tmp_path / "out" / "tokens") == contents(tmp_path / "wanted" / "tokens")
    assert json.loads((tmp_path / "out" / "filter.json").read_text())["restored"]


def test_restoring_everything_brings_every_document_back(run: Path, out: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path / "out")
    hit = [rule.id for rule in run_dry(run, workers=1).rules if rule.removed.documents and rule.action == "quarantine"]
    result = run_restore(tmp_path / "out", hit, None, Silent(), workers=1)
    assert (result.records.quarantine, result.funnel.removed.documents) == (0, 0)


def test_one_document_comes_back_to_its_place(out: Path, mixed: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path / "out")
    rows = {row.get("id"): row for row in all_rows(out / "quarantine")}
    special = rows["a-bad-special"]
    rules = [reason["rule"] for reason in special["dataaudit_reasons"] if reason["action"] == "quarantine"]
    before = json.loads((out / "filter.json").read_text())["records"]["clean"]
    result = run_restore(tmp_path / "out", rules, special["dataaudit_doc_id"], Silent(), workers=1)
    assert result.records.clean == before + 1
    kept = (tmp_path / "out" / "clean" / "lines" / "a.jsonl").read_bytes().split(b"\n")
    assert kept == [line for line in (mixed / "lines" / "a.jsonl").read_bytes().split(b"\n") if line in set(kept)]
    assert any(b"a-bad-special" in line for line in kept)
    with pytest.raises(UsageError, match="does not fail"):
        run_restore(tmp_path / "out", ["mojibake"], special["dataaudit_doc_id"], Silent(), workers=1)
    with pytest.raises(UsageError, match="Did you mean"):
        run_restore(tmp_path / "out", ["mojibakes"], None, Silent(), workers=1)
    with pytest.raises(UsageError, match="gave no document"):
        run_restore(tmp_path / "out", ["without-text"], None, Silent(), workers=1)


def test_the_funnel_adds_up(run: Path) -> None:
    funnel = run_dry(run, workers=1)
    left = funnel.all.documents
    for rule in funnel.rules:
        assert rule.left.documents <= left
        assert rule.alone.documents <= rule.removed.documents
        left = rule.left.documents
    assert left == funnel.kept.documents == funnel.all.documents - funnel.removed.documents
    for groups in (funnel.sources, funnel.languages, funnel.lengths):
        assert sum(group.all.documents for group in groups) == funnel.all.documents
        assert sum(group.removed.documents for group in groups) == funnel.removed.documents
    assert "mojibake" in funnel.matched_nothing


def test_a_source_that_would_go_is_an_alarm(tmp_path: Path) -> None:
    rng = random.Random(5)
    rows = [record(str(row), prose(rng), source="good") for row in range(9)]
    rows += [record(f"b{row}", "!?" * (row + 1), source="marks") for row in range(3)]
    (tmp_path / "in.jsonl").write_bytes(jsonl(rows))
    dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run", workers=1)
    assert run_dry(tmp_path / "run", workers=1).alarms == ["marks"]
