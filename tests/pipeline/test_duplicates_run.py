"""Duplicates from corpus to report, signals, rules and the reader's own tools."""

import json
import random
import unicodedata
from fractions import Fraction
from pathlib import Path
from typing import Any

import datasketch
import duplicates_oracle as oracle
import numpy as np
import polars as pl
import pytest
from tests_support import contents

import dataaudit
from dataaudit.duplicates import partitions, shard_files
from dataaudit.errors import ConfigError
from dataaudit.result import AuditResult

WORDS = [f"word{number}" for number in range(5000)]
HAN = [chr(point) for point in range(0x4E00, 0x5A00)]
HIDDEN = ("exact", "form", "near", "far")
"""Kinds of planted documents: the same text; another normal form of it; 1 % and 5 % of the words changed."""


def changed(rng: random.Random, text: str, share: float) -> str:
    units = text.split(" ") if " " in text else list(text)
    for place in rng.sample(range(len(units)), max(1, round(len(units) * share))):
        units[place] = rng.choice(WORDS if " " in text else HAN)
    return (" " if " " in text else "").join(units)


def other_form(rng: random.Random, text: str) -> str:
    match rng.randrange(3):
        case 0:
            return text.upper()
        case 1:
            return "\ufeff "[1:] + text.replace(" ", "\r\n\t") + " \n"
        case _:
            return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def planted() -> list[dict[str, Any]]:
    """400 documents, half of them Chinese, and 40 of each hidden kind, in an order of their own."""
    rng = random.Random(9)
    records = []
    for number in range(400):
        size = rng.randint(120, 300)
        text = " ".join(rng.choices(WORDS, k=size)) if number % 2 else "".join(rng.choices(HAN, k=size))
        records.append({"id": f"{number}", "text": text, "source": "base"})
    for kind in HIDDEN:
        for number, original in enumerate(rng.sample(records[:400], 40)):
            text = str(original["text"])
            new = {
                "exact": lambda text: text,
                "form": lambda text: other_form(rng, text),
                "near": lambda text: changed(rng, text, 0.01),
                "far": lambda text: changed(rng, text, 0.05),
            }[kind](text)
            records.append({"id": f"{kind}-{number}", "text": new, "source": kind, "of": original["id"]})
    records += [{"id": f"short-{k}", "text": text, "source": "short"} for k, text in enumerate(SHORT)]
    rng.shuffle(records)
    return records


SHORT = ["", " ", "...", "!!!", "cat", "Cat", "cat!", "dog", "词", "one two three four"]


def write(folder: Path, records: list[dict[str, Any]], files: int = 4) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-len(records) // files)
    for number in range(files):
        lines = [json.dumps(record, ensure_ascii=False) for record in records[number * size : (number + 1) * size]]
        lines.insert(1, '{"broken')  # so that rows and places differ
        (folder / f"{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


CONFIG = "extends: default\nread: {shard_bytes: 120000}\n"


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return planted()


@pytest.fixture(scope="module")
def hidden(records: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted corpus in four files, and a config that makes a shard of each."""
    root = tmp_path_factory.mktemp("planted")
    (root / "c.yaml").write_text(CONFIG)
    return write(root / "corpus", records)


@pytest.fixture(scope="module")
def run(hidden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    dataaudit.audit(hidden, out, config=str(hidden.parent / "c.yaml"), workers=1)
    return out


@pytest.fixture(scope="module")
def result(run: Path) -> AuditResult:
    return dataaudit.load_result(run)


def signals_of(run: Path) -> pl.DataFrame:
    parts = []
    for path in sorted((run / "signals").glob("*.parquet")):
        side = pl.read_parquet(run / "signals_duplicates" / path.name)
        first = pl.read_parquet(path)
        assert first["doc_id"].to_list() == side["doc_id"].to_list()
        parts.append(pl.concat([first.select("id", "source", "char_count"), side], how="horizontal"))
    return pl.concat(parts)


def test_planted_copies_are_found_and_nothing_else(run: Path, records: list[dict[str, Any]]) -> None:
    table = signals_of(run)
    assert len(list((run / "signals").iterdir())) >= 4
    id_of = dict(table.select("doc_id", "id").iter_rows())
    row_of = {row["id"]: row for row in table.iter_rows(named=True)}
    text_of = {record["id"]: record["text"] for record in records}
    missed = 0
    for record in records:
        if record["source"] not in HIDDEN:
            continue
        mine, original = row_of[record["id"]], row_of[record["of"]]
        together = mine["duplicate_cluster"] is not None and mine["duplicate_cluster"] == original["duplicate_cluster"]
        true = oracle.jaccard(oracle.shingles(record["text"]), oracle.shingles(text_of[record["of"]]))
        if record["source"] in ("exact", "form"):
            assert together, record["id"]
        elif true >= Fraction(85, 100):
            missed += not together
        if record["source"] == "far":
            assert not together
    assert missed <= 1
    for row in row_of.values():
        mine = text_of[row["id"]]
        if row["exact_duplicate_of"] is not None:
            assert row["exact_duplicate_of"] < row["doc_id"]
            assert oracle.normal(mine) == oracle.normal(text_of[id_of[row["exact_duplicate_of"]]])
            assert row["near_duplicate_of"] is None
        if row["near_duplicate_of"] is not None:
            other = id_of[row["near_duplicate_of"]]
            true = oracle.jaccard(oracle.shingles(mine), oracle.shingles(text_of[other]))
            assert row["near_duplicate_jaccard"] == float(true) >= 0.8
            assert row_of[other]["near_duplicate_of"] is None
            assert row_of[other]["exact_duplicate_of"] is None
            assert row_of[other]["duplicate_cluster"] == row["duplicate_cluster"]


def test_every_equal_text_is_an_exact_copy(run: Path, records: list[dict[str, Any]]) -> None:
    table = signals_of(run).sort("doc_id")
    text_of = {record["id"]: oracle.normal(record["text"]) for record in records}
    first: dict[str, int] = {}
    counts: dict[str, int] = {}
    for doc_id, id_ in table.select("doc_id", "id").iter_rows():
        counts[text_of[id_]] = counts.get(text_of[id_], 0) + 1
        first.setdefault(text_of[id_], doc_id)
    for row in table.iter_rows(named=True):
        text = text_of[row["id"]]
        expected = None if not text or first[text] == row["doc_id"] else first[text]
        assert row["exact_duplicate_of"] == expected
        assert row["duplicate_count"] == (counts[text] if text and counts[text] > 1 else None)


def test_the_report_adds_up(run: Path, result: AuditResult) -> None:
    table, found = signals_of(run), result.duplicates
    assert found is not None
    exact, close = table["exact_duplicate_of"].is_not_null(), table["near_duplicate_of"].is_not_null()
    assert found.corpus.exact_documents == exact.sum() == sum(each.exact_documents for each in found.sources)
    assert found.corpus.near_documents == close.sum() == sum(each.near_documents or 0 for each in found.shards)
    assert found.corpus.exact_tokens == table.filter(exact)["char_count"].sum()
    assert found.within_shard + found.across_shards == exact.sum() + close.sum()
    assert sum(each.documents for each in found.multiplicity) == found.corpus.documents == table.height
    assert found.clusters[0].documents == table["duplicate_cluster_size"].max()
    for cluster in found.clusters:
        members = table.filter(pl.col("duplicate_cluster") == cluster.doc_id)
        assert cluster.documents == members.height
        kept = members["exact_duplicate_of"].is_null() & members["near_duplicate_of"].is_null()
        assert cluster.kept == kept.sum() >= 1
    assert (found.empty, found.without_units, found.too_short) == (2, 2, 6)
    assert found.recall_at_threshold == pytest.approx(0.9470, abs=1e-4)
    assert found.candidate_rate is not None and found.verified_rate is not None
    assert json.loads((run / "report.json").read_text())["duplicates"]["threshold"] == 0.8


def test_short_documents_are_not_thrown_together(run: Path) -> None:
    rows = {row["id"]: row for row in signals_of(run).iter_rows(named=True)}
    cats = [rows[f"short-{k}"] for k in (4, 5, 6)]
    assert len({row["duplicate_cluster"] for row in cats}) == 1
    for k in (7, 8, 9):
        assert rows[f"short-{k}"]["duplicate_cluster"] is None
    for k in (0, 1, 2, 3):
        assert rows[f"short-{k}"]["near_duplicate_of"] is None
    assert rows["short-0"]["exact_duplicate_of"] is None


def test_rules_take_out_copies_and_leave_the_rest(result: AuditResult) -> None:
    rules = {rule.id: rule for rule in result.rules}
    found = result.duplicates
    assert found is not None
    assert rules["exact-duplicate"].documents == found.corpus.exact_documents
    assert rules["near-duplicate"].documents == found.corpus.near_documents
    assert rules["near-duplicate"].undefined == 0
    findings = {finding.id: finding for finding in result.findings}
    assert findings["exact-duplicates"].status == "warn"
    assert findings["source-duplicates"].status == "pass"


def test_workers_and_the_order_of_inputs_change_nothing(hidden: Path, run: Path, tmp_path: Path) -> None:
    files = sorted(hidden.iterdir())
    config = str(hidden.parent / "c.yaml")
    dataaudit.audit(files, tmp_path / "2", config=config, workers=2)
    dataaudit.audit(files[::-1], tmp_path / "4", config=config, workers=4)
    folders = ("duplicates", "signals_duplicates", "signatures")
    found = [
        {name: data for name, data in contents(each).items() if name.startswith(folders)}
        for each in (run, tmp_path / "2", tmp_path / "4")
    ]
    assert len(found[0]) > 30
    assert found[0] == found[1] == found[2]


def test_small_partitions_and_runs_change_nothing(
    hidden: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "PARTITION_RECORDS", 100)
    monkeypatch.setattr(shard_files, "RUN_DOCUMENTS", 50)
    dataaudit.audit(hidden, tmp_path / "run", config=str(hidden.parent / "c.yaml"), workers=1)
    assert len(list((tmp_path / "run" / "duplicates").glob("edges-*"))) == 128
    assert signals_of(tmp_path / "run").equals(signals_of(run))


def test_another_threshold_needs_no_corpus(hidden: Path, tmp_path: Path, records: list[dict[str, Any]]) -> None:
    copy = write(tmp_path / "corpus", records)
    (tmp_path / "low.yaml").write_text(CONFIG + "duplicates: {threshold: 0.5}\n")
    dataaudit.audit(copy, tmp_path / "run", config=str(hidden.parent / "c.yaml"), workers=1)
    for path in copy.iterdir():
        path.unlink()
    low = dataaudit.check(tmp_path / "run", config=str(tmp_path / "low.yaml"), workers=1).duplicates
    assert low is not None and low.threshold == 0.5
    jaccards = signals_of(tmp_path / "run")["near_duplicate_jaccard"].drop_nulls()
    assert jaccards.min() < 0.8 and jaccards.min() >= 0.5
    again = dataaudit.check(tmp_path / "run", config=str(hidden.parent / "c.yaml"), workers=1).duplicates
    assert again is not None and again.threshold == 0.8
    assert signals_of(tmp_path / "run")["near_duplicate_jaccard"].min() >= 0.8


def test_datasketch_finds_a_planted_copy_in_the_signatures_of_the_run(run: Path, records: list[dict[str, Any]]) -> None:
    lsh = datasketch.MinHashLSH(num_perm=128, params=(16, 8))
    ids = dict(signals_of(run).select("doc_id", "id").iter_rows())
    for path in sorted((run / "signatures").glob("*.parquet")):
        for doc_id, signature in pl.read_parquet(path).iter_rows():
            values = np.frombuffer(signature, "<u4")
            lsh.insert(ids[doc_id], datasketch.MinHash(hashvalues=values, scheme="affine32"))
    record = next(record for record in records if record["source"] == "near" and " " in record["text"])
    query = datasketch.MinHash(num_perm=128, seed=1, scheme="affine32", hashfunc=int)
    query.update_batch((dataaudit.shingles(record["text"]) & np.uint64(0xFFFFFFFF)).tolist())
    found = lsh.query(query)
    assert record["id"] in found
    assert record["of"] in found


def test_shingles_are_the_documented_ones() -> None:
    for text in ("Five words make one shingle", "很好，味道不错", "", "...", "lone \ud800 surrogate", "é" * 3):
        clean = text.encode("utf-8", "replace").decode()
        expected = sorted({oracle.hash_shingle(each) for each in oracle.shingles(clean)})
        assert dataaudit.shingles(text).tolist() == expected
    composed, apart = (unicodedata.normalize(form, "Ångström à côté de Zürich") for form in ("NFC", "NFD"))
    assert dataaudit.shingles(composed).tolist() == dataaudit.shingles(apart).tolist()
    with pytest.raises(ValueError, match="at least 1"):
        dataaudit.shingles("a b c", units=0)


def test_a_sample_estimates_and_names_no_document(hidden: Path, run: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(CONFIG + "duplicates: {sample: 10000}\n")
    whole = dataaudit.load_result(run).duplicates
    sampled = dataaudit.audit(hidden, tmp_path / "run", config=str(tmp_path / "s.yaml"), workers=1)
    found = sampled.duplicates
    assert whole is not None and found is not None and found.sample is not None
    assert found.sample.documents == found.corpus.documents
    assert found.sample.near_documents == whole.corpus.near_documents
    assert found.sample.low < found.sample.near_share < found.sample.high
    assert found.corpus.near_documents is None
    assert found.corpus.exact_documents == whole.corpus.exact_documents
    assert "near_duplicate_of" not in signals_of(tmp_path / "run").columns
    finding = next(finding for finding in sampled.findings if finding.id == "near-duplicates")
    assert finding.details["sampled"] is True and finding.value == found.sample.near_share
    rule = next(rule for rule in sampled.rules if rule.id == "near-duplicate")
    assert rule.status == "not measured"
    assert "sample" in sampled.method.not_measured["near_duplicate_of"]


def test_lines_that_repeat_are_shown_with_their_text(tmp_path: Path) -> None:
    rng = random.Random(2)
    footer = "All rights reserved, see the imprint.\nTerms of use and privacy"
    records = [
        {"text": "\n".join([" ".join(rng.choices(WORDS, k=30)), "", footer if k % 2 else "x"])} for k in range(40)
    ]
    found = dataaudit.audit(write(tmp_path / "in", records, files=1), tmp_path / "run", workers=1).duplicates
    assert found is not None
    shown = {(each.kind, each.excerpt): (each.documents, each.at_most) for each in found.repeats}
    assert shown == {
        ("line", "All rights reserved, see the imprint."): (20, 20),
        ("line", "Terms of use and privacy"): (20, 20),
        ("paragraph", footer): (20, 20),
    }


def test_switched_off_it_leaves_nothing(hidden: Path, tmp_path: Path) -> None:
    (tmp_path / "off.yaml").write_text(CONFIG + "duplicates: {enabled: false}\n")
    result = dataaudit.audit(hidden, tmp_path / "run", config=str(tmp_path / "off.yaml"), workers=1)
    assert result.duplicates is None
    assert not list((tmp_path / "run").glob("*duplicates*/*"))
    findings = {finding.id: finding for finding in result.findings}
    assert findings["near-duplicates"].status == "skip"
    assert "duplicates.enabled" in findings["near-duplicates"].message


@pytest.mark.parametrize("threshold", [0, 1.5])
def test_a_threshold_that_makes_no_sense_is_an_error(tmp_path: Path, threshold: float) -> None:
    (tmp_path / "c.yaml").write_text(f"extends: default\nduplicates: {{threshold: {threshold}}}\n")
    with pytest.raises(ConfigError, match=r"c.yaml:2:\d+: duplicates.threshold"):
        dataaudit.audit(tmp_path, tmp_path / "run", config=str(tmp_path / "c.yaml"))
