"""dataaudit.Filter on columns of token ids: the same verdicts as a run, in every format of datasets."""

import random
import warnings
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dataaudit
from dataaudit.errors import UsageError
from dataaudit.pipeline.filter_run import run_filter
from dataaudit.pipeline.listener import Silent
from dataaudit.rules import REASONS

CONFIG = """
model: {vocab_size: 1000, max_length: 64, bos_id: 1, eos_id: 2, pad_id: 0}
rules:
  - {id: range, signal: oov_token_count, max: 0, source: s}
  - {id: length, signal: truncated_token_count, max: 0, source: s}
  - {id: periodic, signal: periodic_token_repeat, max: 8, source: s}
  - {id: first, signal: first_token_id, one_of: [1], source: s}
  - {id: doubled, signal: double_special_count, max: 0, source: s}
  - {id: masked, signal: masked_label_ratio, max: 0.9, source: s}
  - {id: mask, signal: attended_pad_count, max: 0, source: s}
  - {id: rare, signal: rare_token_ratio, max: 0.99, source: s}
  - {id: copy, signal: exact_duplicate_of, max: -1, source: s}
  - {id: words, signal: word_count, min: 1, source: s}
"""


@pytest.fixture(autouse=True)
def quiet():
    datasets.disable_progress_bars()
    datasets.disable_caching()
    yield
    datasets.enable_caching()


def records() -> list[dict[str, Any]]:
    rng = random.Random(2)
    plain = [[1, *(rng.randrange(3, 200) for _ in range(rng.randint(5, 50))), 2] for _ in range(40)]
    odd = [
        [1, 5000, 2],
        [1, -7, 2],
        [1] * 70,
        [1, *[5, 6] * 20, 2],
        [9, 2],
        [],
        plain[3],
        [1, 1, 5, 2],
        [1, 5, 2, 0, 0],
    ]
    rows = [
        {"id": f"d{n}", "ids": ids, "labels": list(ids), "mask": [1] * len(ids)} for n, ids in enumerate(plain + odd)
    ]
    rows[5]["labels"] = [-100] * len(rows[5]["ids"])
    rows.append({"id": "none", "ids": None, "labels": None, "mask": None})
    return rows


@pytest.fixture(scope="module")
def audited(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ids")
    rows = records()
    columns = {
        "id": [row["id"] for row in rows],
        "input_ids": pa.array([row["ids"] for row in rows], pa.list_(pa.int64())),
        "labels": pa.array([row["labels"] for row in rows], pa.list_(pa.int64())),
        "attention_mask": pa.array([row["mask"] for row in rows], pa.list_(pa.int8())),
    }
    pq.write_table(pa.table(columns), folder / "corpus.parquet")
    (folder / "rules.yaml").write_text(CONFIG)
    dataaudit.audit(folder / "corpus.parquet", folder / "run", config=str(folder / "rules.yaml"), workers=1)
    run_filter(folder / "run", folder / "out", Silent(), workers=1)
    return folder


COLUMNS = {"ids_column": "input_ids", "labels_column": "labels", "attention_mask_column": "attention_mask"}


def load(folder: Path, **options: Any) -> dataaudit.Filter:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dataaudit.Filter.load(folder / "rules.yaml", **{**COLUMNS, **options})


def table(folder: Path) -> pa.Table:
    return pa.concat_tables([pq.read_table(path) for path in sorted(folder.rglob("*.parquet"))])


@pytest.mark.parametrize("form", [None, "arrow", "numpy"])
def test_verdicts_are_those_of_the_command_line(audited, form):
    f = load(audited, run=audited / "run")
    assert f.skipped == ("words",)
    ds = datasets.Dataset(pq.read_table(audited / "corpus.parquet")).with_format(form)
    kept = ds.filter(f.keep, batched=True, batch_size=7).with_format(None)
    clean, quarantine = (table(audited / "out" / kind) for kind in ("clean", "quarantine"))
    assert set(kept["id"]) == set(clean["id"].to_pylist())
    told = {
        row["id"]: [{name: each[name] for name in REASONS.value_type.names} for each in row["dataaudit_reasons"]]
        for row in quarantine.to_pylist()
    }
    annotated = ds.map(f.annotate, batched=True, batch_size=6).with_format(None)
    assert {row["id"]: row["dataaudit_reasons"] for row in annotated if row["id"] in told} == told
    rules = {reason["rule"] for reasons in told.values() for reason in reasons}
    assert rules == {
        *("range", "length", "periodic", "first", "doubled", "masked", "mask", "rare", "copy", "empty", "without-text")
    }


def test_processes_and_streaming_give_the_same(audited):
    f = load(audited)
    assert set(f.skipped) == {"words", "rare", "copy"}
    ds = datasets.Dataset(pq.read_table(audited / "corpus.parquet"))
    kept = ds.filter(f.keep, batched=True, batch_size=7)["id"][:]
    assert ds.filter(f.keep, batched=True, batch_size=7, num_proc=2)["id"][:] == kept
    assert [row["id"] for row in ds.to_iterable_dataset().filter(f.keep, batched=True, batch_size=5)] == kept


def test_dotted_columns(audited):
    rows = records()
    f = load(audited, ids_column="data.ids", labels_column="data.labels", attention_mask_column="data.mask")
    expected = load(audited).keep(
        {"input_ids": [row["ids"] for row in rows]}
        | {"labels": [row["labels"] for row in rows]}
        | {"attention_mask": [row["mask"] for row in rows]}
    )
    nested = datasets.Dataset.from_list(
        [{"data": {name: row[name] for name in ("ids", "labels", "mask")}} for row in rows]
    )
    assert f.keep(nested[:]) == expected
    assert f.keep(nested.with_format("arrow")[:]) == expected
    text = dataaudit.Filter.load("gopher", text_column="meta.text")
    assert text.keep({"meta": [{"text": "a b"}, None]}) == text.keep(pa.table({"meta": [{"text": "a b"}, None]}))


def test_columns_beside_the_ids_that_are_not_named_skip_their_rules(audited):
    f = load(audited, labels_column=None, attention_mask_column=None)
    assert {"masked", "mask"} <= set(f.skipped)
    with pytest.warns(UserWarning, match=r"masked \(masked_label_ratio: no column was named for it \(labels_column\)"):
        dataaudit.Filter.load(audited / "rules.yaml", ids_column="input_ids")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ids_column": None, "attention_mask_column": None}, "'labels' stands beside token ids"),
        ({"text_column": "text"}, "text_column names texts"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(audited, options, message):
    with pytest.raises(UsageError, match=message):
        load(audited, **options)
