"""The page in a browser: nothing is asked for, nothing complains, and what can be moved gives exact counts."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import polars as pl
import pytest
from browser import Browser, Page
from report_documents import ATTACKS

import dataaudit

LINE = "document.querySelector('[data-curve=\"{}\"]')"
HANDLE = "{}.closest('.histogram').querySelectorAll('.handle')[{}]"


@pytest.fixture(scope="module")
def address(sample_run: Path) -> str:
    return (sample_run / "report.html").as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Page:
    return browser.open(address)


def curve_of(page: Page, rule: str) -> tuple[int, dict[str, list[float]]]:
    """Returns the number of a rule's curve and what the page's own data say of it."""
    curves = json.loads(page.evaluate("document.getElementById('data').textContent"))["curves"]
    place = next(place for place, curve in enumerate(curves) if curve["name"] == rule)
    return place, curves[place]


def told(page: Page, number: int) -> str:
    return page.evaluate(LINE.format(number) + ".textContent")


def focus(page: Page, number: int) -> None:
    page.evaluate(f"{LINE.format(number)}.closest('.histogram').querySelector('.handle').focus()")


def contrast(page: Page, selector: str) -> float:
    """Returns the least contrast of text and its background over the elements of a selector."""
    return page.evaluate(
        f"""(() => {{
        const light = (text) => {{ const c = text.match(/[\\d.]+/g).map(Number).slice(0, 3).map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
            return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }};
        const behind = (e) => {{ for (; e; e = e.parentElement) {{ const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)$/.test(c)) return c; }} return 'rgb(255,255,255)'; }};
        return Math.min(...[...document.querySelectorAll('{selector}')].map((e) => {{
            const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05); }})); }})()"""
    )


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True)])
def test_nothing_complains_and_nothing_is_asked_for(browser: Browser, address: str, width: int, dark: bool) -> None:
    page = browser.open(address, width=width, dark=dark)
    assert page.complaints() == []
    assert page.requests() == [address]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_keyboard_moves_a_limit_to_the_exact_counts_of_the_signals(page: Page, sample_run: Path) -> None:
    number, curve = curve_of(page, "special-characters")
    signals = pl.read_parquet(sample_run / "signals" / "*.parquet").filter(pl.col("whitespace_char_ratio") < 1)
    focus(page, number)
    page.press("Home")
    for place in range(len(curve["limits"])):
        limit = float(curve["limits"][place])
        out = signals.filter(pl.col("special_char_ratio") > limit)
        assert f"documents out: {len(out):,} (" in told(page, number)
        assert f"tokens out: {out['token_count'].sum():,} (" in told(page, number)
        page.press("ArrowRight")
    page.press("Escape")
    assert "at most 0.5" in told(page, number)


def test_a_limit_can_be_dragged(page: Page) -> None:
    number, curve = curve_of(page, "special-characters")
    box = page.evaluate(
        f"(() => {{ const plot = {LINE.format(number)}.closest('.histogram').querySelector('.plot');"
        "plot.scrollIntoView({block: 'center', behavior: 'instant'}); const b = plot.getBoundingClientRect();"
        "return [b.left, b.top, b.width, b.height]; })()"
    )
    middle = box[1] + box[3] / 2
    wanted = 10
    start, stop = (box[0] + curve["x"][at] * box[2] for at in (curve["at"], wanted))
    page.drag((start, middle), (stop, middle))
    assert f"at most {curve['limits'][wanted]}" in told(page, number)
    assert f"documents out: {curve['documents'][wanted]:,} (" in told(page, number)


def test_a_bar_shows_a_document_of_it(page: Page, sample_run: Path) -> None:
    page.evaluate("document.querySelector('#signal-special_char_ratio .plot').focus()")
    page.press("End")
    page.press("Enter")
    readout = page.evaluate("document.querySelector('#signal-special_char_ratio .readout').textContent")
    signals = pl.read_parquet(sample_run / "signals" / "*.parquet")
    last = signals.sort("special_char_ratio", descending=True, nulls_last=True)["doc_id"][0]
    assert f"dataaudit show RUN --doc {last}" in readout
    assert "documents: 1" in readout


def test_a_shard_shows_what_makes_it_differ(page: Page) -> None:
    page.evaluate("document.querySelector('.heatmap .plot').focus()")
    page.press("ArrowRight")
    page.press("Enter")
    name = page.evaluate("JSON.parse(document.querySelector('.heatmap').dataset.names)[0]")
    assert page.evaluate("document.querySelector('.heatmap .readout').textContent").startswith(name)


def test_the_language_can_be_switched_there_and_back(page: Page) -> None:
    before = page.evaluate("document.body.innerText")
    labels = page.evaluate("[...document.querySelectorAll('[aria-label], title')].map((e) => e.outerHTML)")
    page.evaluate("document.querySelector('[data-lang=zh]').click()")
    chinese = page.evaluate("document.body.innerText")
    assert page.evaluate("document.documentElement.lang") == "zh"
    assert "审计结果" in chinese
    assert "Findings" not in chinese
    assert "移除文档" in chinese
    page.evaluate("document.querySelector('[data-lang=en]').click()")
    assert page.evaluate("document.body.innerText") == before
    assert page.evaluate("[...document.querySelectorAll('[aria-label], title')].map((e) => e.outerHTML)") == labels
    assert page.complaints() == []


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_in_both_themes(browser: Browser, address: str, dark: bool) -> None:
    page = browser.open(address, dark=dark)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for selector in ("main span", "main p", "main td", "main th", "main code", "main b", "nav a", "button", "mark"):
        assert contrast(page, selector) >= 4.5, selector
    page.evaluate("document.querySelector('.theme').click()")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != background
    for selector in ("main span", "main td", "main code", "mark"):
        assert contrast(page, selector) >= 4.5, selector


def test_findings_can_be_filtered_and_tables_sorted(page: Page) -> None:
    shown = "[...document.querySelectorAll('#findings .card')].filter((c) => !c.hidden).map((c) => c.dataset.group)"
    page.evaluate("document.querySelector('.filter [data-group=drift]').click()")
    assert set(page.evaluate(shown)) == {"drift"}
    page.evaluate("document.querySelector('.filter [data-group=\"\"]').click()")
    page.evaluate(
        "(() => { const search = document.querySelector('.filter input'); search.value = 'mojibake';"
        "search.dispatchEvent(new Event('input')); })()"
    )
    assert len(page.evaluate(shown)) == 1
    first = "document.querySelector('#sources table tbody td').textContent"
    page.evaluate("document.querySelectorAll('#sources th button')[0].click()")
    names = page.evaluate("[...document.querySelectorAll('#sources tbody tr')].map((r) => r.cells[0].textContent)")
    assert names == sorted(names, reverse=True)
    assert page.evaluate(first) == names[0]
    assert page.evaluate("document.querySelector('#sources th').getAttribute('aria-sort')") == "descending"


def test_everything_can_be_read_without_script(browser: Browser, address: str) -> None:
    page = browser.open(address, script=False)
    text = page.call("Accessibility.getFullAXTree")
    names = " ".join(str(node.get("name", {}).get("value", "")) for node in text["nodes"])
    assert "Do not train on this yet" in names
    assert "Control characters" in names
    assert "Histogram of special_char_ratio" in names
    assert page.complaints() == []
    page = browser.open(address)
    hidden = page.evaluate("[...document.querySelectorAll('.reset')].every((each) => each.hidden)")
    assert hidden


def test_it_prints_light_without_controls(browser: Browser, address: str) -> None:
    page = browser.open(address, dark=True, media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert contrast(page, "main p") >= 4.5
    assert page.call("Page.printToPDF")["data"]


def test_every_control_can_be_reached_and_shows_its_focus(page: Page) -> None:
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "to-main"
    seen = set()
    for _ in range(40):
        page.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        seen.add(page.evaluate("document.activeElement.tagName"))
    assert {"A", "BUTTON", "INPUT", "SUMMARY"} <= seen


@pytest.fixture(scope="module")
def short_address(sample_run: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with everything once or twice; axe takes most of a minute for the whole."""
    result = dataaudit.load_result(sample_run)
    assert result.closeup is not None
    replace = msgspec.structs.replace
    ids = [*[rule.id for rule in result.rules if rule.documents][:3], "unknown-tokens"]
    wanted = {rule.signal for rule in result.rules if rule.id in ids} | {"word_count"}
    by_status = {each.status: each for each in result.findings if each.examples or each.details}
    short = replace(
        result,
        rules=[rule for rule in result.rules if rule.id in ids],
        signals={name: each for name, each in result.signals.items() if name in wanted},
        findings=list(by_status.values()),
        closeup=replace(result.closeup, rules=[rule for rule in result.closeup.rules if rule.id in ids]),
        files=result.files[:3],
    )
    path = tmp_path_factory.mktemp("short") / "report.html"
    path.write_text(dataaudit.render_html(short, examples=2), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_serious_fault(browser: Browser, short_address: str, dark: bool) -> None:
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.fail("axe-playwright-python is missing: make .venv/installed")
    page = browser.open(short_address, dark=dark)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    page.evaluate((Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8") + ";0")
    faults = json.loads(
        page.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.map((v) => "
            "[v.impact, v.id, v.nodes.length, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))])))"
        )
    )
    assert [fault for fault in faults if fault[0] in ("serious", "critical")] == []


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run over documents, ids, sources and file names that attack a page."""
    root = tmp_path_factory.mktemp("hostile")
    for place in range(2):
        folder = root / "corpus" / f"<img src=x onerror='window.hacked=9'>{place}"
        folder.mkdir(parents=True)
        lines = [
            json.dumps({"id": f"{attack[:300]}{number}", "text": f"{attack} " * (1 if len(attack) > 999 else 40)})
            for number, attack in enumerate(ATTACKS)
        ]
        (folder / "'><script>window.hacked=10<!--.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    dataaudit.audit(root / "corpus", root / "run", workers=1)
    yield root / "run"


def test_documents_cannot_run_or_break_anything(browser: Browser, hostile_run: Path) -> None:
    text = (hostile_run / "report.html").read_text(encoding="utf-8")
    assert len(text.encode()) <= 1_000_000
    assert "jane.doe@example.org" not in text
    assert "13812345678" not in text
    assert "192.168.17.23" not in text
    address = (hostile_run / "report.html").as_uri()
    page = browser.open(address)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    page.evaluate("document.querySelector('[data-lang=zh]').click()")
    for selector in (".histogram .plot", ".heatmap .plot"):
        page.evaluate(f"document.querySelector('{selector}')?.focus()")
        page.press("End")
        page.press("Enter")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('script, iframe, img, object').length") == 2
    assert page.complaints() == []
    assert page.requests() == [address]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_keys_go_from_finding_to_finding_and_into_its_documents(page: Page, sample_run: Path) -> None:
    result = dataaudit.load_result(sample_run)
    assert result.closeup is not None
    loud = [each.id for each in result.findings if each.status in ("error", "fail", "warn")]
    here = "document.activeElement.closest('.card')?.id"
    page.press("j")
    assert page.evaluate(here) == f"check-{loud[0]}"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.press("j")
    page.press("n")
    assert page.evaluate(here) == f"check-{loud[2]}"
    page.press("k")
    page.press("p")
    page.press("k")
    assert page.evaluate(here) == f"check-{loud[0]}", "there is nothing before the first"
    at = next(place for place, name in enumerate(loud) if len(result.closeup.findings.get(name, [])) > 1)
    page.press("j", at)
    page.press("Enter")
    page.press("j")
    assert page.evaluate("document.activeElement.className") == "excerpt"
    assert page.evaluate("Number(document.activeElement.dataset.doc)") == result.closeup.findings[loud[at]][0].doc_id
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    box = page.evaluate("(({top, bottom}) => [top, bottom])(document.activeElement.getBoundingClientRect())")
    assert 0 <= box[0] < 900


def test_keys_are_letters_in_the_search(page: Page) -> None:
    page.evaluate("document.querySelector('input[type=search]').focus()")
    page.press("j")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
