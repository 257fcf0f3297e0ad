"""The page of a comparison: what it holds, that it is safe and small, and that it says what the comparison says."""

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
from dataaudit.comparison.result import Changed, Comparison, Place, RuleShare
from dataaudit.report import BUDGET
from dataaudit.report.changes import all_changes
from dataaudit.report.numbers import count

REPORT = Path(dataaudit.__file__).parent / "report"
replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def filtered(sample_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("filtered") / "out"
    dataaudit.filter(sample_run, out, workers=1)
    return out


@pytest.fixture(scope="module")
def other_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over two sources of the sample alone, so that much has changed."""
    sample = Path(__file__).resolve().parents[2] / "sample_data"
    out = tmp_path_factory.mktemp("other") / "run"
    inputs = [sample / "corpus" / "pages", sample / "corpus" / "code"]
    dataaudit.audit(inputs, out, tokenizer=sample / "tokenizer.json", max_length=512, workers=1)
    return out


@pytest.fixture(scope="module")
def changed(sample_run: Path, other_run: Path) -> Comparison:
    return dataaudit.compare(sample_run, other_run)


@pytest.fixture(scope="module")
def page(changed: Comparison) -> str:
    return dataaudit.render_comparison_html(changed)


def test_the_page_says_what_the_comparison_says(changed: Comparison, page: str) -> None:
    texts = " ".join(Reader(page).texts)
    for check in changed.checks:
        assert f'id="check-{check.id}"' in page
    assert len(changed.checks) > 3
    for signal in changed.signals:
        assert f'id="signal-{signal.name}"' in page
    assert len(changed.signals) > 10
    assert changed.documents is not None
    for number in (changed.documents.unchanged, changed.documents.removed, changed.new.documents, changed.old.tokens):
        assert count(number) in texts
    for section in all_changes():
        assert (REPORT / "changes" / f"{section.name}.html").is_file()


def test_what_got_worse_comes_first(sample_run: Path, other_run: Path) -> None:
    found = dataaudit.compare(other_run, sample_run)
    assert found.regressions
    page = dataaudit.render_comparison_html(found)
    rows = re.findall(r'<tr id="check-([\w-]+)">(.*?)</tr>', page, re.DOTALL)
    worse = [name for name, row in rows if "tag worse" in row]
    assert worse == [name for name, _ in rows[: len(worse)]]
    assert set(worse) == set(found.regressions)


def test_the_tables_behind_the_charts_hold_every_document(changed: Comparison, page: str) -> None:
    for signal in changed.signals:
        (card,) = re.findall(rf'<article class="panel signal" id="signal-{signal.name}">.*?</article>', page, re.DOTALL)
        rows = re.findall(r'<tr data-b="\d+">(.*?)</tr>', card)
        cells = [[int(cell.replace(",", "")) for cell in re.findall(r"<td>([\d,]+)</td>", row)[-2:]] for row in rows]
        assert [sum(column) for column in zip(*cells, strict=True)] == [sum(signal.old_hist), sum(signal.new_hist)]


def test_the_page_asks_for_nothing(page: str) -> None:
    assert_asks_for_nothing(page)


def test_the_same_bytes_and_both_languages(changed: Comparison, page: str) -> None:
    assert dataaudit.render_comparison_html(changed) == page
    chinese = dataaudit.render_comparison_html(changed, lang="zh")
    assert '<html lang="zh">' in chinese
    assert "有变化的信号" in Reader(chinese).texts
    with pytest.raises(dataaudit.DataAuditError, match="no language 'fr'"):
        dataaudit.render_comparison_html(changed, lang="fr")


def test_a_run_compared_with_itself(sample_run: Path) -> None:
    page = dataaudit.render_comparison_html(dataaudit.compare(sample_run, sample_run))
    texts = Reader(page).texts
    assert "No check changed its status." in texts
    assert "No check got worse" in texts
    assert "Both were made alike: version, config, tokenizer and signals are the same." in texts


def test_a_filter_without_an_audit_says_so_and_counts_by_rule(sample_run: Path, filtered: Path) -> None:
    found = dataaudit.compare(sample_run, filtered)
    page = dataaudit.render_comparison_html(found)
    texts = Reader(page).texts
    assert "Not judged" in texts
    assert any("was not audited" in text for text in texts)
    assert "Removed, by rule" in texts
    assert found.documents is not None
    for each in found.documents.removed_by_rule:
        assert f"<code>{each.id}</code>" in page


def named(changed: Comparison, name: str) -> Comparison:
    """Returns the comparison with a name in every place where one can stand."""
    place = Place(doc_id=3, id=name, file=name, record=1)
    assert changed.documents is not None
    return replace(
        changed,
        old=replace(changed.old, name=name, config_name=name),
        checks=[replace(each, message=name, unit=name, group=name) for each in changed.checks],
        signals=[replace(each, unit=name, definition=name) for each in changed.signals],
        signals_not_compared={name: name},
        sources=[replace(each, name=name) for each in changed.sources],
        rules=[replace(each, id=name) for each in changed.rules],
        method=[replace(each, what=name, old=name, new=[name]) for each in changed.method],
        documents=replace(
            changed.documents,
            changed_examples=[Changed(old=place, new=place)],
            added_examples=[place],
            removed_examples=[place],
            removed_by_rule=[RuleShare(id=name, documents=2, alone=1)],
        ),
    )


@pytest.mark.parametrize("attack", range(len(ATTACKS)))
def test_hostile_names_stay_text(changed: Comparison, attack: int) -> None:
    for lang in ("en", "zh"):
        tame = Reader(dataaudit.render_comparison_html(named(changed, "tame"), lang=lang))
        page = dataaudit.render_comparison_html(named(changed, ATTACKS[attack]), lang=lang)
        found = Reader(page)
        assert set(found.tags) <= set(tame.tags)
        assert found.tags.count("script") == 2
        assert {name for _, name, _ in found.attributes} <= {name for _, name, _ in tame.attributes}
        assert len(found.ids) == len(set(found.ids))
        assert not re.search("[\x00-\x08\x0b-\x1f\u2028-\u202e\u2066-\u2069\ufeff]", page)
        assert len(page.encode()) <= BUDGET


def test_a_large_comparison_stays_small_and_says_what_it_left_out(changed: Comparison) -> None:
    wide = [float(edge) for edge in range(201)]
    signal = replace(changed.signals[0], bin_edges=wide, old_hist=[10**9] * 200, new_hist=[10**8] * 200)
    large = replace(
        changed,
        checks=[replace(changed.checks[0], id=f"check-{place}", message="m" * 900) for place in range(60)],
        signals=[replace(signal, name=f"signal_{place}_ratio", definition="d" * 500) for place in range(300)],
        sources=[replace(changed.sources[0], name="s" * 900)] * 100,
        method=[replace(changed.method[0], old="o" * 5000, new="n" * 5000)] * 200,
    )
    page = dataaudit.render_comparison_html(large)
    assert len(page.encode()) <= BUDGET
    assert "To stay under 1 MB" in page
    Reader(page)


def test_the_command_writes_the_page_whole(sample_run: Path, other_run: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    arguments = ["compare", str(sample_run), str(other_run), "--format", "json", "--html", str(path), "--lang", "zh"]
    done = CliRunner().invoke(app, arguments)
    assert json.loads(done.stdout)["schema_version"] == 1, done.output
    assert path.read_text(encoding="utf-8").startswith('<!doctype html>\n<html lang="zh">')
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(dataaudit.DataAuditError, match="cannot be written"):
        CliRunner().invoke(app, [*arguments[:-4], "--html", str(tmp_path / "no" / "page.html")], catch_exceptions=False)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_it_works_in_a_browser(browser: Browser, changed: Comparison, tmp_path: Path, width: int, dark: bool) -> None:
    path = tmp_path / "page.html"
    path.write_text(dataaudit.render_comparison_html(changed), encoding="utf-8")
    page = browser.open(path.as_uri(), width=width, dark=dark)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelector('.histogram .plot').focus()")
    page.press("End")
    assert "before:" in page.evaluate("document.querySelector('.readout').textContent")
    page.evaluate("document.querySelector('[data-lang=zh]').click()")
    assert "之前：" in page.evaluate("document.querySelector('.readout').textContent")
    assert page.evaluate("document.querySelector('h1 .say').textContent") != ""
    assert page.complaints() == []
    assert page.requests() == [path.as_uri()]


def test_without_script_everything_is_there(browser: Browser, changed: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(dataaudit.render_comparison_html(changed), encoding="utf-8")
    page = browser.open(path.as_uri(), script=False)
    assert page.evaluate("document.querySelector('.tools').hidden") is True
    assert page.evaluate("document.querySelectorAll('.signal svg').length") == len(changed.signals)
