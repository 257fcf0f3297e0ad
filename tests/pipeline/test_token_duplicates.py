"""Duplicates of documents that came as token ids, from corpus to report, against brute force and datasketch."""

import json
import random
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import datasketch
import duplicates_oracle as oracle
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests_support import contents

import dataaudit
from dataaudit.duplicates import fingerprint
from dataaudit.errors import UsageError
from dataaudit.result import AuditResult

CONFIG = "extends: default\nread: {shard_bytes: 60000}\n"
BASE = 150


def changed(rng: random.Random, ids: list[int], share: float) -> list[int]:
    new = list(ids)
    for place in rng.sample(range(len(ids)), max(1, round(len(ids) * share))):
        new[place] = rng.randrange(50_000)
    return new


def planted() -> list[dict[str, Any]]:
    """Documents of their own, and copies, near copies (1 % changed) and documents that are less alike (5 %)."""
    rng = random.Random(4)
    records = [
        {"id": f"{number}", "input_ids": [rng.randrange(50_000) for _ in range(rng.randint(150, 400))]}
        for number in range(BASE)
    ]
    for kind, share in (("exact", 0.0), ("near", 0.01), ("far", 0.05)):
        for number, original in enumerate(rng.sample(records[:BASE], 25)):
            ids = original["input_ids"]
            records.append({"id": f"{kind}-{number}", "input_ids": changed(rng, ids, share) if share else list(ids)})
    records += [{"id": f"short-{k}", "input_ids": ids} for k, ids in enumerate(([7], [7], [7, 7], [0], [0, 0], [], []))]
    rng.shuffle(records)
    return records


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return planted()


@pytest.fixture(scope="module")
def corpus(records: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four files: ids of 16, of 32 and of 64 bits in Parquet, and JSON lines."""
    folder = tmp_path_factory.mktemp("ids")
    size = -(-len(records) // 4)
    for number, kind in enumerate((pa.uint16(), pa.int32(), pa.int64(), None)):
        part = records[number * size : (number + 1) * size]
        if kind is None:
            (folder / "3.jsonl").write_text("".join(json.dumps(each) + "\n" for each in part))
            continue
        columns = {"id": [each["id"] for each in part]}
        table = pa.table(columns | {"input_ids": pa.array([each["input_ids"] for each in part], pa.list_(kind))})
        pq.write_table(table, folder / f"{number}.parquet")
    return folder


def audited(corpus: Path, out: Path, config: str, workers: int = 1) -> AuditResult:
    path = corpus.parent / f"{corpus.name}.yaml"
    path.write_text(config)
    return dataaudit.audit(corpus, out, config=str(path), workers=workers)


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    audited(corpus, out, CONFIG)
    return out


def signals_of(run: Path) -> pl.DataFrame:
    parts = []
    for path in sorted((run / "signals").glob("*.parquet")):
        side = pl.read_parquet(run / "signals_duplicates" / path.name)
        parts.append(pl.read_parquet(path).select("doc_id", "id").join(side, on="doc_id", how="left"))
    return pl.concat(parts)


def test_every_pair_of_brute_force_is_found_and_no_other(run: Path, records: list[dict[str, Any]]) -> None:
    table = signals_of(run)
    ids = {each["id"]: each["input_ids"] for each in records}
    names = dict(table.select("doc_id", "id").iter_rows())
    order = table.sort("doc_id")["id"].to_list()
    kept: list[str] = []
    seen: dict[tuple[int, ...], str] = {}
    exact: dict[str, str] = {}
    near: dict[str, str] = {}
    for name in order:
        if ids[name] and tuple(ids[name]) in seen:
            exact[name] = seen[tuple(ids[name])]
            continue
        seen[tuple(ids[name])] = name
        mine = oracle.id_shingles(ids[name])
        like = [each for each in kept if oracle.jaccard(mine, oracle.id_shingles(ids[each])) >= Fraction("0.8")]
        if like:
            near[name] = like[0]
        else:
            kept.append(name)
    assert {row["id"]: names[row["exact_duplicate_of"]] for row in rows(table, "exact_duplicate_of")} == exact
    found = {row["id"]: row for row in rows(table, "near_duplicate_of")}
    assert {name: names[row["near_duplicate_of"]] for name, row in found.items()} == near
    for name, row in found.items():
        true = oracle.jaccard(oracle.id_shingles(ids[name]), oracle.id_shingles(ids[near[name]]))
        assert row["near_duplicate_jaccard"] == pytest.approx(float(true))
    assert len(exact) >= 26
    assert len(near) >= 20


def rows(table: pl.DataFrame, signal: str) -> list[dict[str, Any]]:
    return table.filter(pl.col(signal).is_not_null()).rows(named=True)


def test_the_report_names_tokens_as_the_unit(run: Path, records: list[dict[str, Any]]) -> None:
    result = dataaudit.load_result(run)
    found = result.duplicates
    assert found is not None
    assert (found.shingle_unit, found.normal_form) == ("tokens", "token ids as they are")
    assert found.empty == 2
    assert found.too_short == sum(0 < len(each["input_ids"]) < 5 for each in records)
    assert found.without_units == 0
    findings = {each.id: each for each in result.findings}
    assert findings["exact-duplicates"].status == "warn"
    assert findings["near-duplicates"].status == "warn"
    assert findings["boilerplate"].status == "skip"
    assert "5 tokens" in (run / "report.html").read_text()


def test_signatures_open_in_datasketch(run: Path, records: list[dict[str, Any]]) -> None:
    lsh = datasketch.MinHashLSH(num_perm=128, params=(16, 8))
    for path in sorted((run / "signatures").glob("*.parquet")):
        for doc_id, signature in pl.read_parquet(path).iter_rows():
            lsh.insert(doc_id, datasketch.MinHash(hashvalues=np.frombuffer(signature, "<u4"), scheme="affine32"))
    wanted = next(each for each in records if len(each["input_ids"]) > 200)
    query = datasketch.MinHash(num_perm=128, seed=1, scheme="affine32", hashfunc=int)
    ids = np.array(wanted["input_ids"])
    prints = fingerprint.fingerprint_ids(np.array([0, len(ids)]), ids, 5)
    query.update_batch((prints.sets.hashes & np.uint64(0xFFFFFFFF)).tolist())
    table = signals_of(run)
    assert table.row(by_predicate=pl.col("id") == wanted["id"], named=True)["doc_id"] in lsh.query(query)


def test_workers_change_no_byte(corpus: Path, run: Path, tmp_path: Path) -> None:
    audited(corpus, tmp_path / "run", CONFIG, workers=2)
    one, two = contents(run), contents(tmp_path / "run")
    assert [name for name in one if one[name] != two.get(name)] == []


def both_kinds(folder: Path) -> Path:
    folder.mkdir()
    text, ids = "one two three four five six seven", [1, 2, 3, 4, 5, 6, 7]
    texts = [{"id": each, "text": text} for each in "ab"]
    sequences = [{"id": each, "input_ids": ids} for each in "cd"]
    for name, part in (("a", texts[:1]), ("b", sequences), ("c", texts[1:])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in part))
    return folder


def test_texts_and_ids_in_one_corpus_are_compared_with_their_like(tmp_path: Path, tokenizer_file: Path) -> None:
    config = f"extends: default\ntokenizer: {{path: {tokenizer_file}}}\n"
    found = audited(both_kinds(tmp_path / "both"), tmp_path / "run", config).duplicates
    assert found is not None
    assert (found.shingle_unit, found.corpus.exact_documents, found.cluster_count) == ("words or tokens", 2, 2)


def test_texts_and_ids_without_a_tokenizer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"texts \(a.jsonl\) and token ids \(b.jsonl\).*--tokenizer"):
        audited(both_kinds(tmp_path / "both"), tmp_path / "run", "extends: default\n")


def test_brute_force_itself_sees_the_far_documents_apart(records: list[dict[str, Any]]) -> None:
    sets = [oracle.id_shingles(each["input_ids"]) for each in records if each["id"].startswith("far")]
    assert all(oracle.jaccard(a, b) < Fraction("0.8") for a, b in combinations(sets, 2))
