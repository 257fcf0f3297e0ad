"""Number columns of the user's own are signals like any other."""

import math
from pathlib import Path

import polars as pl
import pytest

import dataaudit

VALUES = ["1.5", "-0.5", "0.25", "NaN", "Infinity", "-Infinity", "null", '"7"', "1.5"]
FINITE = [1.5, -0.5, 0.25, 1.5]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    lines = [f'{{"text": "text number {row}", "meta": {{"loss": {value}}}}}' for row, value in enumerate(VALUES)]
    (folder / "in.jsonl").write_text("\n".join([*lines, '{"text": "without the column"}']) + "\n")
    (folder / "c.yaml").write_text(
        "extends: default\nread: {number_columns: [meta.loss]}\n"
        "rules: [{id: high-loss, signal: meta.loss, max: 1, if_null: keep, source: s}]\n"
    )
    dataaudit.audit(folder / "in.jsonl", folder / "run", config=str(folder / "c.yaml"), workers=1)
    return folder / "run"


def test_a_number_column_is_summarised_in_the_report(run: Path) -> None:
    summary = dataaudit.load_result(run).signals["meta.loss"]
    assert (summary.min, summary.max) == (-0.5, 1.5)
    assert summary.nan_count == len(VALUES) + 1 - len(FINITE)
    assert sum(summary.hist) == len(FINITE)
    for low, high, count in zip(summary.bin_edges, summary.bin_edges[1:], summary.hist, strict=False):
        assert count == sum(low <= value < high for value in FINITE)
    lengths = [len(f"text number {row}") for row in range(4)]
    assert sum(summary.token_hist) == sum(lengths)


def test_what_is_no_finite_number_is_undefined(run: Path) -> None:
    stored = pl.read_parquet(run / "signals" / "part-00000.parquet")["meta.loss"].to_list()
    assert [value for value in stored if value is not None] == FINITE
    assert not any(math.isnan(value) for value in stored if value is not None)


def test_the_report_shows_it_with_its_rule(run: Path) -> None:
    result = dataaudit.load_result(run)
    assert {rule.id: rule.documents for rule in result.rules}["high-loss"] == 2
    assert result.closeup.signals["meta.loss"].family == "number columns"
    assert "meta.loss" in dataaudit.render_html(result)
