"""The page: what it holds, that it is safe and small, and that it is a rendering of report.json alone."""

import hashlib
import json
import re
import time
from pathlib import Path

import msgspec
import pytest
from page_reader import Reader, assert_asks_for_nothing
from report_documents import ATTACKS, many

import dataaudit
from dataaudit.checks import all_checks
from dataaudit.report import BUDGET, render
from dataaudit.report.chinese import CHINESE
from dataaudit.report.messages import MESSAGES
from dataaudit.report.sections import all_sections
from dataaudit.report.texts import Texts
from dataaudit.signals import all_signals

REPORT = Path(dataaudit.__file__).parent / "report"
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "sample.html"


@pytest.fixture(scope="module")
def result(sample_run: Path) -> dataaudit.AuditResult:
    return dataaudit.load_result(sample_run)


@pytest.fixture(scope="module")
def page(result: dataaudit.AuditResult) -> str:
    return render(result)


def test_the_page_beside_the_report_is_a_rendering_of_it_alone(sample_run: Path, page: str) -> None:
    assert (sample_run / "report.html").read_text(encoding="utf-8") == page
    assert render(dataaudit.load_result(sample_run)) == page


def test_the_page_of_the_sample_is_what_it_was(result: dataaudit.AuditResult, request: pytest.FixtureRequest) -> None:
    found = _shortened(render(result, examples=1))
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8"), "if this was meant: pytest tests/report --update-golden"


def _shortened(page: str) -> str:
    """Returns the page with an element a line; style, script, data, pictures and long tables as digests."""
    root = str(Path(__file__).resolve().parents[2])
    page = page.replace(f"{root}/", "").replace(dataaudit.__version__, "VERSION")
    for pattern in (r"<style>.*?</style>", r"<script.*?</script>", r"<pre.*?</pre>", r"<tbody>.{600,}?</tbody>"):
        page = re.sub(pattern, lambda found: found[0][:7] + _digest(found[0]) + ">", page, flags=re.DOTALL)
    page = re.sub(r'd="[^"]{40,}"', lambda found: f'd="{_digest(found[0])}"', page)
    page = re.sub(r"sha256-[\w+/=]{44}", "sha256-HASH", page)
    page = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", page)
    return page.replace("><", ">\n<")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def test_every_element_is_closed_and_every_id_is_there_once(page: str) -> None:
    reader = Reader(page)
    assert len(reader.ids) == len(set(reader.ids))
    targets = [value[1:] for _, name, value in reader.attributes if name == "href"]
    assert set(targets) <= set(reader.ids)


def test_the_page_asks_for_nothing_and_runs_only_what_it_names(page: str) -> None:
    assert_asks_for_nothing(page)


def test_every_section_has_its_template_and_is_on_the_page(page: str) -> None:
    names = [section.name for section in all_sections()]
    assert len(names) >= 10
    for name in names:
        assert (REPORT / "sections" / f"{name}.html").is_file()
        assert f'<section id="{name}"' in page


def test_both_languages_are_complete() -> None:
    for key, (english, chinese) in MESSAGES.items():
        assert english.strip() and chinese.strip(), key
        assert sorted(re.findall(r"\{\d\}", english)) == sorted(re.findall(r"\{\d\}", chinese)), key
        names_only = re.fullmatch(r"[\w .:>≥{}–;·-]*", english) and english == chinese
        assert names_only or re.search(r"[\u4e00-\u9fff]", chinese) or "{0}：{1}" in chinese, key
    for check in all_checks():
        for part in ("title", "why", "advice"):
            assert re.search(r"[\u4e00-\u9fff]", CHINESE[f"check.{check}.{part}"]), check
    assert {key.split(".")[1] for key in CHINESE if key.startswith("check.")} == set(all_checks())
    assert {key.split(".")[1] for key in CHINESE if key.startswith("signal.")} == set(all_signals())


def test_no_message_is_left_over() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8")
        for pattern in ("*.py", "*.html", "*.js")
        for path in REPORT.rglob(pattern)
        if path.name not in ("messages.py", "chinese.py")
    )
    told = (
        "status.",
        "count.",
        "verdict.",
        "group.",
        "unit.",
        "family.",
        "kind.",
        "measure.",
        "method.limit.",
        "limit.",
        "trace.family.",
        "trace.recovery.",
        "trace.section.",
    )
    told += ("chart.histogram", "chart.bullet", "chart.heat", "findings.warn", "findings.fail")
    told += ("duplicates.line", "duplicates.paragraph", "drift.shards", "drift.windows")
    told += ("chart.before_after", "compare.outcome.", "compare.say.")
    told += tuple(f"compare.{name}" for name in ("unchanged", "changed", "added", "removed", "old", "new"))
    assert [key for key in MESSAGES if key not in sources and not key.startswith(told)] == []


def test_the_page_opens_in_either_language(result: dataaudit.AuditResult) -> None:
    page = render(result, lang="zh")
    assert '<html lang="zh">' in page
    assert MESSAGES["section.findings"][1] in Reader(page).texts
    with pytest.raises(dataaudit.DataAuditError, match="no language 'fr'"):
        render(result, lang="fr")


def test_without_examples_no_text_of_the_corpus_is_left(result: dataaudit.AuditResult, page: str) -> None:
    bare = render(result, examples=0)
    assert result.closeup is not None
    texts = [each.text for rule in result.closeup.rules for each in rule.examples if each.text and len(each.text) > 300]
    some = [line for text in texts for line in text.splitlines() if len(line) > 60 and line.isascii()]
    assert "<blockquote" in page
    assert "<blockquote" not in bare
    assert some
    assert not any(line in bare for line in some)


def test_results_without_the_newer_parts_are_rendered(result: dataaudit.AuditResult) -> None:
    old = msgspec.structs.replace(result, closeup=None, duplicates=None, drift=None)
    reader = Reader(render(old))
    assert "findings" in reader.ids
    assert "drift" not in reader.ids


def test_an_empty_result_is_rendered(result: dataaudit.AuditResult) -> None:
    empty = msgspec.structs.replace(
        result, closeup=None, duplicates=None, drift=None, findings=[], rules=[], sources=[], files=[], signals={}
    )
    reader = Reader(render(empty))
    assert "findings" in reader.ids


def test_a_large_corpus_gives_a_small_page_that_says_what_it_left_out(result: dataaudit.AuditResult) -> None:
    large = many(result, shards=5_000, sources=200, rules=60)
    before = time.process_time()
    page = render(large)
    assert time.process_time() - before < 30, "minutes, not a benchmark"
    assert len(page.encode()) <= BUDGET
    assert "To stay under 1 MB" in page
    Reader(page)


@pytest.mark.parametrize("attack", range(len(ATTACKS)))
def test_hostile_text_stays_text_wherever_it_stands(result: dataaudit.AuditResult, attack: int) -> None:
    bad = ATTACKS[attack]
    replace = msgspec.structs.replace
    assert result.closeup is not None
    rules = [
        replace(rule, examples=[replace(each, text=bad, id=bad, file=bad, start=0, stop=3) for each in rule.examples])
        for rule in result.closeup.rules
    ]
    hostile = replace(
        result,
        closeup=replace(result.closeup, rules=rules, inputs=[bad]),
        findings=[replace(each, message=bad, details={bad: bad, "list": [{bad: bad}]}) for each in result.findings],
        sources=[replace(each, name=bad) for each in result.sources],
        files=[replace(each, name=bad, damage=bad) for each in result.files],
    )
    before, after = Reader(render(result)), Reader(render(hostile))
    assert set(after.tags) <= set(before.tags)
    assert after.tags.count("script") == 2
    assert {name for _, name, _ in after.attributes} <= {name for _, name, _ in before.attributes}
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028-\u202e\u2066-\u2069\ufeff]", render(hostile))


def test_the_data_block_is_json_that_cannot_end_its_element(page: str) -> None:
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert "<" not in block
    data = json.loads(block)
    assert set(data) == {"curves", "documents", "messages", "tokens"}


def test_arguments_may_be_messages_and_are_shown_safely() -> None:
    texts = Texts("zh")
    assert "词元" in texts("sources.lead", "@unit.tokens")
    assert "&lt;b&gt;" in texts("sources.lead", "<b>")
    assert "&lt;U+202E&gt;" in texts("sources.lead", "\u202e")
