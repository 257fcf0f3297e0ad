"""What counts as worse, what as moved, and what differs in how two runs were made."""

import msgspec
import numpy as np
import pytest

from dataaudit.comparison.compare import compare_results
from dataaudit.comparison.result import Comparison
from dataaudit.output.comparison import render_comparison
from dataaudit.result import (
    AuditResult,
    CorpusSummary,
    Finding,
    Method,
    RuleOutcome,
    SignalSummary,
    SourceSummary,
    Status,
    verdict,
)


def finding(name: str, status: Status, value: float | None = None, **more: object) -> Finding:
    return Finding(id=name, group="g", status=status, title="", message=f"{name} says", value=value, unit="x", **more)


def result(findings: list[Finding] = [], **more: object) -> AuditResult:  # noqa: B006 - never changed
    sizes = dict.fromkeys(("files", "shards", "records", "documents", "input_bytes"), 1)
    lost = dict.fromkeys(("damaged_files", "unreadable", "without_text"), 0)
    method = Method(
        config={"rules": [], "model": {"max_length": None}},
        config_name="default",
        config_digest="d",
        tokenizer=None,
        signals={"char_count": 1},
        not_measured={},
        notes=[],
    )
    known = {
        "schema_version": 1,
        "dataaudit_version": "1",
        "verdict": verdict(findings),
        "counts": {},
        "corpus": CorpusSummary(**sizes, **lost, tokens=None, characters=1, text_bytes=1),
        "findings": findings,
        "rules": [],
        "sources": [],
        "lengths": {},
        "signals": {},
        "files": [],
        "method": method,
    }
    return AuditResult(**(known | more))


def compared(old: AuditResult, new: AuditResult) -> Comparison:
    return compare_results(old, new, names=("OLD", "NEW"), documents=None, documents_reason="a test")


@pytest.mark.parametrize(
    ("old", "new", "is_worse"),
    [
        (Status.PASS, Status.WARN, True),
        (Status.WARN, Status.FAIL, True),
        (Status.FAIL, Status.ERROR, True),
        (Status.SKIP, Status.FAIL, True),
        (None, Status.FAIL, False),
        (Status.PASS, Status.SKIP, False),
        (Status.PASS, Status.INFO, False),
        (Status.FAIL, Status.WARN, False),
        (Status.ERROR, Status.PASS, False),
        (Status.FAIL, None, False),
    ],
)
def test_worse_is_a_status_that_is_less_good(old: Status | None, new: Status | None, is_worse: bool) -> None:
    sides = [result([finding("a", status)] if status else []) for status in (old, new)]
    found = compared(*sides)
    assert found.is_regression is is_worse
    assert found.regressions == (["a"] if is_worse else [])
    assert [(each.old_status, each.new_status) for each in found.checks] == [(old, new)]


def test_a_check_that_moved_within_its_status_is_a_value() -> None:
    old = result([finding("a", Status.WARN, 0.5), finding("b", Status.PASS, 1), finding("c", Status.PASS, 1)])
    new = result([finding("a", Status.WARN, 0.25), finding("b", Status.PASS, 1), finding("c", Status.FAIL, 2)])
    found = compared(old, new)
    assert [each.id for each in found.values] == ["a"]
    assert [each.id for each in found.checks] == ["c"]


def test_other_levels_are_said() -> None:
    old, new = finding("a", Status.PASS, 0.5, warn={"above": 0.6}), finding("a", Status.WARN, 0.5, warn={"above": 0.4})
    found = compared(result([old]), result([new]))
    assert found.checks[0].levels_differ
    assert "judged by other levels" in render_comparison(found)


def histogram(counts: list[int], nan_count: int = 0) -> SignalSummary:
    edges = [float(each) for each in range(len(counts) + 1)]
    return SignalSummary(unit="x", nan_count=nan_count, min=0, max=1, bin_edges=edges, hist=counts, token_hist=counts)


def with_signal(summary: SignalSummary, version: int = 1) -> AuditResult:
    base = result()
    method = msgspec.structs.replace(base.method, signals={"s": version})
    return msgspec.structs.replace(base, signals={"s": summary}, method=method)


@pytest.mark.parametrize(
    ("old", "new", "has_moved"),
    [
        (histogram([500, 500]), histogram([500, 500]), False),
        (histogram([500, 500]), histogram([400, 600]), True),
        (histogram([5000, 5000]), histogram([4700, 5300]), False),  # sure, but small: D 0.03
        (histogram([20, 20]), histogram([17, 23]), False),  # D 0.075, but 40 documents show nothing
        (histogram([500, 500]), histogram([500, 500], nan_count=100), True),
        (histogram([500, 500]), histogram([], nan_count=1000), True),
    ],
)
def test_what_counts_as_moved(old: SignalSummary, new: SignalSummary, has_moved: bool) -> None:
    found = compared(with_signal(old), with_signal(new))
    assert [each.name for each in found.signals] == (["s"] if has_moved else [])
    assert found.signals_compared == 1


def test_samples_of_one_distribution_move_nothing() -> None:
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(30))
    sides = [
        msgspec.structs.replace(
            result(),
            signals={f"s{number}": histogram(rng.multinomial(400, shares).tolist()) for number in range(60)},
        )
        for _ in range(2)
    ]
    found = compared(*sides)
    assert found.signals_compared == 60
    assert found.signals == []


def test_another_version_of_a_signal_is_not_compared() -> None:
    found = compared(with_signal(histogram([9, 1])), with_signal(histogram([1, 9]), version=2))
    assert found.signals_compared == 0
    assert found.signals_not_compared == {"s": "version 1 in the old run, 2 in the new one"}
    assert [(each.what, each.old, each.new) for each in found.method] == [("signal s", 1, 2)]


def test_the_mixture_and_the_rules() -> None:
    def source(name: str, documents: int, share: float) -> SourceSummary:
        return SourceSummary(
            name=name,
            documents=documents,
            tokens=None,
            characters=9,
            document_share=0.5,
            token_share=None,
            character_share=share,
        )

    def rule(name: str, documents: int, most: float = 1) -> RuleOutcome:
        return RuleOutcome(
            id=name, signal="s", min=None, max=most, action="flag", family="f", status="judged", documents=documents
        )

    old = result(sources=[source("a", 5, 0.9), source("b", 5, 0.1)], rules=[rule("r", 1), rule("q", 2), rule("t", 3)])
    new = result(
        sources=[source("a", 5, 0.9), source("c", 1, 0.1)], rules=[rule("r", 1), rule("q", 7), rule("t", 3, 2)]
    )
    found = compared(old, new)
    assert [(each.name, each.old_documents, each.new_documents) for each in found.sources] == [("b", 5, 0), ("c", 0, 1)]
    assert [(each.id, each.new_documents, each.limits_differ) for each in found.rules] == [
        ("q", 7, False),
        ("t", 3, True),
    ]


def test_how_the_runs_were_made() -> None:
    base = result().method
    tokenizer = {"path": "/a/t.json", "sha256": "1", "engine": "tokenizers"}
    old = result(method=msgspec.structs.replace(base, tokenizer=tokenizer))
    config = {"rules": [{"id": "short", "min": 5}], "model": {"max_length": 9}}
    method = msgspec.structs.replace(base, tokenizer={**tokenizer, "path": "/b", "sha256": "2"}, config=config)
    found = compared(old, msgspec.structs.replace(result(method=method), dataaudit_version="2"))
    assert [(each.what, each.old, each.new) for each in found.method] == [
        ("dataaudit", "1", "2"),
        ("tokenizer.sha256", "1", "2"),
        ("config.model.max_length", None, 9),
        ("config.rules.short", None, {"id": "short", "min": 5}),
    ]


def test_a_result_equals_itself_and_the_bytes_are_the_same() -> None:
    same = result([finding("a", Status.FAIL, 0.5)])
    found = compared(same, same)
    assert not (found.checks or found.values or found.signals or found.sources or found.rules or found.method)
    assert found.to_json() == compared(same, same).to_json()
    assert msgspec.json.decode(found.to_json(), type=Comparison) == found


def test_hostile_names_are_shown_safely() -> None:
    hostile = "\x1b[31m\u202ename\nWORSE"
    old, new = result([finding(hostile, Status.PASS)]), result([finding(hostile, Status.WARN)])
    text = render_comparison(compare_results(old, new, names=(hostile, "b"), documents=None, documents_reason=hostile))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert [line for line in text.splitlines() if line.startswith("WORSE")] == [text.splitlines()[-1]]
