"""Each number of the page stands in report.json, or is a sum or a share of numbers that do."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_reader import Reader

import dataaudit
from dataaudit.report import render
from dataaudit.report.numbers import bytes_of, count, number, percent

NUMBER = re.compile(r"(?<![\w.,:/-])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?: (?:%|[KMGTP]?i?B)(?!\w))?(?![\w:/-])")
OF_THE_PAGE = {"0", "1", "5 %", "95 %", "100 %", "2", "3", "32", "95"}
"""Numbers of sentences of the page: bounds of percentiles, confidence, counting."""


class Told(Reader):
    """Keeps the texts of the page outside of code, commands and the corpus's own text."""

    def handle_data(self, data: str) -> None:
        if not {"script", "style", "code", "blockquote", "bdi", "pre", "cite", "title"} & set(self.open):
            self.texts.append(data)


def values(json_value: Any) -> Iterator[float]:
    if isinstance(json_value, dict):
        for each in json_value.values():
            yield from values(each)
    elif isinstance(json_value, list):
        for each in json_value:
            yield from values(each)
    elif isinstance(json_value, int | float) and not isinstance(json_value, bool):
        yield json_value


def forms(value: float) -> set[str]:
    found = {number(value), percent(value), f"{value:.2g}", str(value)}
    return found | ({count(int(value)), bytes_of(int(value))} if value == int(value) else set())


@pytest.fixture(scope="module")
def known(sample_run: Path) -> set[str]:
    """Returns how every number of report.json may be written, and the sums and shares that docs/report.md names."""
    report = json.loads((sample_run / "report.json").read_bytes())
    plain = set(values(report))
    found = set().union(*(forms(each) for each in plain))
    wholes = {report["corpus"][name] for name in ("documents", "tokens", "characters", "records")}
    wholes |= {report["closeup"]["tokens"]["ids"]}
    found |= {percent(each / whole) for each in plain for whole in wholes if each <= whole}
    found |= sums_of_bins(report) | ends_of_axes(report)
    rates = [report["duplicates"]["corpus"], *report["duplicates"]["sources"], *report["duplicates"]["shards"]]
    for rate in rates:
        tokens = rate["exact_tokens"] + (rate["near_tokens"] or 0)
        found |= {count(tokens), percent(tokens / rate["tokens"])}
    found.add(count(report["corpus"]["unreadable"] + report["corpus"]["without_text"]))
    found |= {count(len(part)) for part in lists(report)}
    texts = [str(each) for each in strings(report)]
    return found | {token for text in texts for token in NUMBER.findall(text)} | OF_THE_PAGE


def sums_of_bins(report: dict[str, Any]) -> set[str]:
    """Returns the sums of neighbouring bins: long histograms are drawn with bars of several bins, all of one width."""
    found = set()
    for signal in [*report["signals"].values(), report["closeup"]["lengths"]]:
        for hist in (signal["hist"], signal["token_hist"]):
            found.add(count(sum(hist)))
            for width in (2, 3, 4):
                found |= {count(sum(hist[start : start + width])) for start in range(0, len(hist), width)}
    return found


def ends_of_axes(report: dict[str, Any]) -> set[str]:
    """Returns where an axis may end that was made longer, by empty bins as wide as the last one."""
    edges = [each["bin_edges"] for each in report["signals"].values() if len(each["bin_edges"]) > 1]
    ends = {each[-1] + times * (each[-1] - each[-2]) for each in edges for times in range(1, 8)}
    return set().union(*(forms(end) for end in ends))


def lists(json_value: Any) -> Iterator[Any]:
    if isinstance(json_value, dict | list):
        yield json_value
        for each in json_value.values() if isinstance(json_value, dict) else json_value:
            yield from lists(each)


def strings(json_value: Any) -> Iterator[str]:
    for each in lists(json_value):
        yield from (value for value in (each.values() if isinstance(each, dict) else each) if isinstance(value, str))
        if isinstance(each, dict):
            yield from each


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_number_of_the_page_is_in_the_report(sample_run: Path, known: set[str], lang: str) -> None:
    told = Told(render(dataaudit.load_result(sample_run), lang=lang)).texts
    numbers = {found for text in told for found in NUMBER.findall(text)}
    assert len(numbers) > 800
    assert sorted(numbers - known) == []


def test_the_test_would_find_a_number_that_is_not_there(known: set[str]) -> None:
    made_up = {f"{place * 7919 + 1_000_003:,}" for place in range(50)}
    assert len(made_up & known) <= 1
