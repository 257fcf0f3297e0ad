"""The one-line queries of docs/report.md run on a real run, and give the numbers of the page."""

import re
from pathlib import Path

import polars as pl
import pytest

import dataaudit

DOCS = Path(__file__).resolve().parents[2] / "docs" / "report.md"
LINES = re.findall(r"^\| .+? \| `((?:s\.|pl\.).+?)`", DOCS.read_text(encoding="utf-8"), re.MULTILINE)


def asked(run: Path, line: str) -> pl.DataFrame | int:
    names = {"pl": pl, "s": pl.scan_parquet(run / "signals" / "part-*.parquet"), "a": 0.1, "b": 0.2}
    return eval(line.replace("RUN/", f"{run}/"), names)


def line_of(start: str) -> str:
    return next(line for line in LINES if line.startswith(start))


@pytest.mark.parametrize("line", LINES)
def test_each_line_runs_and_gives_a_number(sample_run: Path, line: str) -> None:
    found = asked(sample_run, line)
    assert found > 0 if isinstance(found, int) else len(found)


def test_they_are_the_numbers_of_the_report(sample_run: Path) -> None:
    result = dataaudit.load_result(sample_run)
    assert result.closeup is not None
    assert result.closeup.tokens is not None
    sizes = asked(sample_run, line_of("s.select(pl.len(), "))
    assert isinstance(sizes, pl.DataFrame)
    assert sizes.row(0) == (result.corpus.documents, result.corpus.tokens, result.corpus.characters)
    sources = asked(sample_run, line_of("s.group_by"))
    assert isinstance(sources, pl.DataFrame)
    assert {row[0]: row[1:] for row in sources.iter_rows()} == {
        each.name: (each.documents, each.tokens) for each in result.sources
    }
    past = asked(sample_run, line_of('s.select((pl.col("token_count") >'))
    curve = result.closeup.lengths.curve
    at = curve.limits.index(1024)
    assert isinstance(past, pl.DataFrame)
    assert past.row(0) == (curve.documents[at], curve.tokens[at])
    band = next(each for each in result.closeup.tokens.bands if (each.least, each.most) == (1, 9))
    assert asked(sample_run, line_of('pl.read_parquet("RUN/sketches')) == band.ids
    copies = asked(sample_run, line_of('pl.scan_parquet("RUN/signals_duplicates'))
    assert result.duplicates is not None
    assert isinstance(copies, pl.DataFrame)
    assert copies.row(0)[0] == result.duplicates.corpus.exact_documents
    undefined = asked(sample_run, line_of('s.select(pl.col("special_char_ratio").null_count'))
    assert isinstance(undefined, pl.DataFrame)
    assert undefined.item() == result.signals["special_char_ratio"].nan_count
