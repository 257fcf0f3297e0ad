"""Every format holds whatever stands in file names, ids, sources and messages, and its readers read it back."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import junitparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dataaudit.output.formats import format_names, render
from dataaudit.output.formats.markdown import escape
from dataaudit.output.visible import visible
from dataaudit.result import (
    AuditResult,
    CorpusSummary,
    Example,
    Finding,
    Method,
    RuleOutcome,
    SourceSummary,
    Status,
    from_json,
    verdict,
)

HOSTILE = [
    "]]></failure><testcase name='x'/>\x00\x1b[31m",
    "<script>alert(1)</script>",
    "a|b\\|c `d` *e* _f_ [g](http://h.example) ![i](j) # k ~l~ $m$",
    'label="x"\\\nnew_metric 1',
    "100%\r\n::error::injected\n::add-mask::x",
    "name,file=x:y",
    "\ufffe\uffff\u2028\u202e bidi",
    "@somebody see www.example.com and https://example.com/x",
    "&lt;b&gt; &#60;",
    "",
]


def result_with(text: str, statuses: tuple[Status, ...] = tuple(Status)) -> AuditResult:
    """A result in which *text* stands wherever a corpus can put some."""
    example = Example(doc_id=7, id=text, file=text or "f", record=3, source=text)
    findings = [
        Finding(
            id=f"check-{place}",
            group="reading",
            status=status,
            title="A check",
            message=f"in {text}",
            value=0.5,
            unit="share",
            warn={"above": 0.25},
            fail={"at_least": 1},
            documents=4,
            why="it matters.",
            advice="look.",
            examples=[example],
        )
        for place, status in enumerate(statuses)
    ]
    source = SourceSummary(
        name=text, documents=1, tokens=2, characters=3, document_share=0.1, token_share=0.1, character_share=0.1
    )
    sizes = dict.fromkeys(("files", "damaged_files", "shards", "records", "documents", "unreadable"), 1)
    return AuditResult(
        schema_version=1,
        dataaudit_version="0",
        verdict=verdict(findings),
        counts={str(status): statuses.count(status) for status in Status},
        corpus=CorpusSummary(**sizes, without_text=0, tokens=None, characters=12, text_bytes=None, input_bytes=9),
        findings=findings,
        rules=[
            RuleOutcome(
                id="r",
                signal="char_count",
                min=1,
                max=None,
                action="flag",
                family="length",
                status="judged",
                documents=2,
                tokens=5,
            )
        ],
        sources=[source, source],
        lengths={},
        signals={},
        files=[],
        method=Method(
            config={},
            config_name=text,
            config_digest="0" * 64,
            tokenizer=None,
            signals={},
            not_measured={},
            notes=[],
        ),
    )


any_text = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40))


def test_the_formats_are_found() -> None:
    assert format_names() == ["table", "github", "json", "junit", "markdown", "prometheus"]


@pytest.mark.parametrize("name", format_names())
def test_every_format_is_pure_and_holds_any_text(name: str) -> None:
    for text in HOSTILE:
        result = result_with(text)
        found = render(name, result, Path("run"))
        assert found == render(name, result, Path("run"))
        assert found.endswith("\n")
        found.encode()


@settings(deadline=None)
@given(any_text)
def test_json_is_the_result(text: str) -> None:
    result = result_with(text)
    assert from_json(render("json", result, Path("run")).encode()) == result


@settings(deadline=None)
@given(any_text)
def test_junit_is_valid_and_says_what_came_out(text: str) -> None:
    result = result_with(text)
    suites = junitparser.JUnitXml.fromstring(render("junit", result, Path("run")).encode())
    assert (suites.tests, suites.failures, suites.errors, suites.skipped) == (6, 1, 1, 1)
    cases = {case.name: case for suite in suites for case in suite}
    outcomes = {name: [type(each) for each in case.result] for name, case in cases.items()}
    expected = {
        Status.FAIL: [junitparser.Failure],
        Status.ERROR: [junitparser.Error],
        Status.SKIP: [junitparser.Skipped],
    }
    assert outcomes == {each.id: expected.get(each.status, []) for each in result.findings}
    assert cases["check-1"].result[0].message == visible(f"in {text}")
    warned = cases["check-2"].system_out
    assert warned.startswith("WARN: in ")


def test_junit_has_the_order_of_the_schemas() -> None:
    root = ET.fromstring(render("junit", result_with("x"), Path("run")))
    assert root.tag == "testsuites"
    for suite in root:
        assert [child.tag for child in suite] == ["properties", *["testcase"] * int(suite.attrib["tests"])]
        for case in suite.iter("testcase"):
            assert {"classname", "name"} <= case.attrib.keys()
            assert case[0].tag == "properties"
            assert {each.get("name"): each.get("value") for each in case[0]}["fail"] == "at least 1"
            assert [child.tag for child in case[1:]] in (["failure"], ["error"], ["skipped"], ["system-out"])


def runner_reads(line: str) -> tuple[str, dict[str, str], str]:
    """Reads a workflow command as the runner does."""
    command, properties, data = re.fullmatch(r"::(\w+) (.*?)::(.*)", line).groups()

    def unescaped(value: str, *, is_property: bool) -> str:
        codes = {"%0D": "\r", "%0A": "\n", **({"%3A": ":", "%2C": ","} if is_property else {}), "%25": "%"}
        for code, character in codes.items():
            value = value.replace(code, character)
        return value

    pairs = (pair.split("=", 1) for pair in properties.split(","))
    return command, {k: unescaped(v, is_property=True) for k, v in pairs}, unescaped(data, is_property=False)


@settings(deadline=None)
@given(any_text)
def test_github_annotations_read_back_and_nothing_else_is_a_command(text: str) -> None:
    lines = render("github", result_with(text), Path("run")).removesuffix("\n").split("\n")
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert lines[: len(commands)] == commands
    assert len(lines) == len(commands) + 1
    read = [runner_reads(line) for line in commands]
    assert [command for command, _, _ in read] == ["error", "error", "warning"]
    for _, properties, data in read:
        assert set(properties) == {"file", "line", "title"}
        assert (properties["file"], properties["line"]) == (visible(text or "f"), "3")
        assert data == visible(f"in {text}")


def test_github_shows_the_worst_ten() -> None:
    text = render("github", result_with("x", (Status.FAIL,) * 8 + (Status.WARN,) * 9), Path("run"))
    kinds = [line.partition(" ")[0] for line in text.splitlines() if line.startswith("::")]
    assert kinds == ["::error"] * 8 + ["::warning"] * 2
    assert "7 more findings" in text


@settings(deadline=None)
@given(any_text)
def test_markdown_shows_the_text_and_nothing_comes_out_of_its_cell(text: str) -> None:
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    around = f"| a | b |\n| --- | --- |\n| {escape(text)} | end |\n"
    html = page.render(around)
    cells = re.findall(r"<td>(.*?)</td>", html, re.DOTALL)
    assert len(cells) == 2
    assert "<" not in cells[0].replace("<!-- -->", "")
    plain = ET.fromstring(f"<p>{cells[0].replace('<!-- -->', '')}</p>").text or ""
    assert plain == re.sub(r"\s+", " ", visible(text)).strip()
    assert not re.search(r"www\.|://|@(?!<!-- -->)", escape(text))


@settings(deadline=None)
@given(any_text)
def test_prometheus_reads_back(text: str) -> None:
    lines = render("prometheus", result_with(text), Path("run")).removesuffix("\n").split("\n")
    label = r'[a-z_]+="((?:[^"\\]|\\[\\"n])*)"'
    types: dict[str, str] = {}
    series: set[str] = set()
    for line in lines:
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types
            types[name] = kind
            continue
        found = re.fullmatch(rf"(dataaudit_[a-z_]+)\{{({label}(?:,{label})*)\}} (\S+)", line)
        assert found, line
        assert types[found[1]] == "gauge"
        float(line.rpartition(" ")[2])
        key = line.rpartition(" ")[0]
        assert key not in series or "source=" in key
        series.add(key)
    assert 'dataaudit_verdict{run="run",status="error"} 1' in lines
    assert 'dataaudit_check_limit{run="run",check="check-0",group="reading",level="warn",when="above"} 0.25' in lines
    assert not any("corpus_tokens" in line for line in lines)
