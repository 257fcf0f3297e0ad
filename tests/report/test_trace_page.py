"""The page of a trace: what it holds, that it is safe and small, and that it works in a browser and without script."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from browser import Browser
from page_reader import Reader, assert_asks_for_nothing
from report_documents import ATTACKS
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app
from dataaudit.report import BUDGET
from dataaudit.report.trace.messages import TRACE
from dataaudit.report.trace.page import render_trace_page


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of a calm loss with spikes at four steps."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    rows = [{"step": step, "loss": 3 + step % 7 / 100 + 2 * (step in (30, 60, 80, 100))} for step in range(1, 121)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def traced(sample_run: Path, log: Path) -> dataaudit.TraceResult:
    return dataaudit.trace(sample_run, order="hf-trainer:42", batch_size=4, step=60, loss=log, count=3)


@pytest.fixture(scope="module")
def page(traced: dataaudit.TraceResult) -> str:
    return render_trace_page(traced)


def test_the_page_holds_what_the_trace_says(traced: dataaudit.TraceResult, page: str) -> None:
    texts = Reader(page).texts
    assert traced.trace is not None
    assert traced.losses is not None
    for document in traced.trace.documents:
        assert f"{document.file}:{document.record}" in texts
    for document in traced.trace.documents[:3]:
        assert document.excerpt
        assert document.excerpt.splitlines()[-1] in "".join(texts)
        assert {rule.rule for rule in document.fails} <= set(texts)
    for reason in traced.trace.batch.reasons:
        assert reason.measure in texts
    for association in traced.losses.associations:
        assert association.measure in texts
    for spike in traced.losses.spikes:
        assert str(spike.step) in texts


def test_every_element_is_closed_and_every_id_is_there_once(page: str) -> None:
    reader = Reader(page)
    assert len(reader.ids) == len(set(reader.ids))
    targets = {value[1:] for _, name, value in reader.attributes if name == "href"}
    assert targets <= set(reader.ids)
    assert {"batch", "before", "texts", "samples", "spikes", "associations", "method"} <= targets


def test_the_page_asks_for_nothing_and_runs_only_what_it_names(page: str) -> None:
    assert_asks_for_nothing(page)


def test_the_page_opens_in_either_language(traced: dataaudit.TraceResult, page: str) -> None:
    chinese = render_trace_page(traced, lang="zh")
    assert '<html lang="zh">' in chinese
    assert TRACE["trace.section.texts"][1] in Reader(chinese).texts
    assert TRACE["trace.section.texts"][0] in Reader(page).texts
    with pytest.raises(dataaudit.DataAuditError, match="no language 'fr'"):
        render_trace_page(traced, lang="fr")


def test_a_step_alone_and_a_log_alone(sample_run: Path, log: Path, traced: dataaudit.TraceResult) -> None:
    step = Reader(render_trace_page(msgspec.structs.replace(traced, losses=None)))
    assert {"batch", "texts"} <= set(step.ids)
    assert "spikes" not in step.ids
    of_log = Reader(render_trace_page(msgspec.structs.replace(traced, trace=None)))
    assert "spikes" in of_log.ids
    assert "batch" not in of_log.ids


@pytest.mark.parametrize("attack", range(len(ATTACKS)))
def test_hostile_text_stays_text_wherever_it_stands(traced: dataaudit.TraceResult, attack: int) -> None:
    bad, replace = ATTACKS[attack], msgspec.structs.replace
    assert traced.trace is not None
    assert traced.losses is not None
    documents = [
        replace(
            each,
            id=bad,
            file=bad,
            source=bad,
            excerpt=bad if each.excerpt else None,
            signals={bad: 1.0} if each.signals else {},
            fails=[replace(rule, rule=bad, signal=bad) for rule in each.fails],
        )
        for each in traced.trace.documents
    ]
    hostile = replace(
        traced,
        run=bad,
        order=bad,
        trace=replace(traced.trace, documents=documents),
        losses=replace(traced.losses, notes=[bad]),
    )
    with_note = replace(traced, losses=replace(traced.losses, notes=["a note"]))
    before, after = Reader(render_trace_page(with_note)), Reader(render_trace_page(hostile))
    assert set(after.tags) <= set(before.tags)
    assert after.tags.count("script") == 2
    assert {name for _, name, _ in after.attributes} <= {name for _, name, _ in before.attributes}
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028-\u202e\u2066-\u2069\ufeff]", render_trace_page(hostile))


def test_a_trace_of_very_many_documents_and_steps_is_a_small_page(traced: dataaudit.TraceResult) -> None:
    replace = msgspec.structs.replace
    assert traced.trace is not None
    assert traced.losses is not None
    documents = [replace(traced.trace.documents[0], doc_id=at, excerpt="文字&<" * 150) for at in range(3000)]
    before = [replace(traced.trace.before[0], step=at, rank=at + 1) for at in range(5000)]
    samples = [replace(traced.trace.samples[0], pieces=traced.trace.samples[0].pieces * 500)] * 2000
    grown = replace(
        traced,
        trace=replace(traced.trace, documents=documents, before=before, samples=samples),
        losses=replace(traced.losses, spikes=traced.losses.spikes * 500),
    )
    page = render_trace_page(grown)
    assert len(page.encode()) <= BUDGET
    assert "To stay under 1 MB" in page
    Reader(page)


def test_the_command_writes_it(sample_run: Path, tmp_path: Path, page: str) -> None:
    command = ["trace", str(sample_run), "--order", "hf-trainer:42", "--batch-size", "4", "--step", "60", "-n", "3"]
    done = CliRunner().invoke(app, [*command, "--html", str(tmp_path / "t.html"), "--lang", "zh"])
    assert done.exit_code == 0
    written = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert '<html lang="zh">' in written
    with pytest.raises(dataaudit.DataAuditError, match=r"cannot be written"):
        CliRunner().invoke(app, [*command, "--html", str(tmp_path / "no" / "t.html")], catch_exceptions=False)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_in_a_browser(browser: Browser, page: str, tmp_path: Path, width: int, dark: bool) -> None:
    (tmp_path / "trace.html").write_text(page, encoding="utf-8")
    opened = browser.open((tmp_path / "trace.html").as_uri(), width=width, dark=dark)
    assert opened.complaints() == []
    assert opened.requests() == [(tmp_path / "trace.html").as_uri()]
    opened.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.evaluate("document.querySelector('[data-lang=zh]').click()")
    assert TRACE["trace.section.before"][1] in opened.evaluate("document.body.innerText")
    opened.evaluate("document.querySelector('.heatmap .plot').focus()")
    opened.press("End")
    assert opened.evaluate("document.querySelector('.heatmap .readout b').textContent") == "60"


def test_without_script(browser: Browser, page: str, tmp_path: Path) -> None:
    (tmp_path / "trace.html").write_text(page, encoding="utf-8")
    opened = browser.open((tmp_path / "trace.html").as_uri(), script=False)
    assert opened.complaints() == []
    assert TRACE["trace.section.texts"][0] in page


def test_a_copied_command_names_the_run_and_not_the_folder_of_the_page(
    browser: Browser, traced: dataaudit.TraceResult, tmp_path: Path
) -> None:
    page = render_trace_page(msgspec.structs.replace(traced, run="RUN"))
    (tmp_path / "trace.html").write_text(page, encoding="utf-8")
    opened = browser.open((tmp_path / "trace.html").as_uri())
    opened.evaluate(
        "(() => { window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; };"
        "document.querySelector('.copy').click(); })()"
    )
    assert re.fullmatch(r"dataaudit show RUN --doc \d+", opened.evaluate("window.copied"))
