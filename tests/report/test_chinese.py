"""The Chinese of the page is complete: no sentence is left in English but names and the corpus's own text."""

import re
from pathlib import Path

import pytest
from page_reader import Reader

import dataaudit
from dataaudit.config.load import load_config, presets
from dataaudit.report import render
from dataaudit.report.chinese_reasons import in_chinese
from dataaudit.report.messages import MESSAGES
from dataaudit.signals import all_signals

SENTENCE = re.compile(r"(?:\b[a-z']{2,}\b[ ,;:]+){2,}[a-z']{2,}\b")
"""Three small words in a row: no name is written so."""
THEIRS = {"code", "bdi", "blockquote", "pre", "script", "style", "mark"}
"""Elements that hold code, names and text of the corpus."""


class Ours(Reader):
    """Keeps what the page says itself: texts outside of THEIRS and of elements with text of the corpus, and labels."""

    def __init__(self, page: str) -> None:
        self.kinds: list[bool] = []
        self.ours: list[str] = []
        super().__init__(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        before = len(self.open)
        super().handle_starttag(tag, attrs)
        given = dict(attrs)
        self.ours += [given[name] or "" for name in ("aria-label", "placeholder") if name in given]
        if len(self.open) > before:
            self.kinds.append(tag in THEIRS or given.get("dir") == "auto")

    def handle_endtag(self, tag: str) -> None:
        before = len(self.open)
        super().handle_endtag(tag)
        if len(self.open) < before:
            self.kinds.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        before = len(self.kinds)
        super().handle_startendtag(tag, attrs)
        del self.kinds[before:]

    def handle_data(self, data: str) -> None:
        if not any(self.kinds):
            self.ours.append(data)


def left_in_english(page: str) -> list[str]:
    return [text.strip() for text in Ours(page).ours if SENTENCE.search(text)]


@pytest.fixture(scope="module")
def result(sample_run: Path) -> dataaudit.AuditResult:
    return dataaudit.load_result(sample_run)


def test_no_sentence_of_the_report_is_left_in_english(result: dataaudit.AuditResult) -> None:
    assert len(left_in_english(render(result))) > 100, "the test finds English sentences where there are some"
    assert left_in_english(render(result, lang="zh")) == []


def test_nor_without_a_tokenizer_and_with_every_damage(tmp_path: Path, corpus: Path, small_shards: str) -> None:
    found = dataaudit.audit(corpus, tmp_path / "run", config=small_shards, workers=1)
    assert found.drift is not None
    assert left_in_english(render(found, lang="zh")) == []


def test_nor_of_a_comparison(sample_run: Path, tmp_path: Path) -> None:
    dataaudit.filter(sample_run, tmp_path / "out", workers=1)
    for found in (dataaudit.compare(sample_run, tmp_path / "out"), dataaudit.compare(sample_run, sample_run)):
        assert len(left_in_english(dataaudit.render_comparison_html(found))) > 2
        assert left_in_english(dataaudit.render_comparison_html(found, lang="zh")) == []


def test_sources_of_every_preset_and_signal_are_chinese() -> None:
    rules = {rule.source or "" for name in presets() for rule in load_config(name).config.rules}
    sources = rules | {signal.source for signal in all_signals().values()}
    assert len(sources) > 50
    assert [source for source in sources if SENTENCE.search(in_chinese(source))] == []
    assert [each.unit for each in all_signals().values() if f"unit.{each.unit}" not in MESSAGES] == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "unreadable: not valid JSON: unterminated string at column 23",
            "无法读取：不是有效的 JSON：第 23 列，字符串没有结束",
        ),
        ("the gzip data end early, at byte 3564", "gzip 数据在第 3564 字节处提前结束"),
        ("without_text: field 'text' holds null, not text", "没有文本：字段 'text' 的内容是null，不是文本"),
        (
            "Not measured: no tokenizer was given; the config has no model.eos_id.",
            "未测量：未给出分词器；配置中没有 model.eos_id。",
        ),
        ("something that others say {0} {braces}", "something that others say {0} {braces}"),
        ("unreadable: {0.__class__} {}", "无法读取：{0.__class__} {}"),
        ("share of the {0}", "the {0} 的占比"),
        ("", ""),
    ],
)
def test_sentences_are_known_by_their_form(english: str, chinese: str) -> None:
    assert in_chinese(english) == chinese


def test_long_and_odd_texts_are_left_alone() -> None:
    for text in ("unreadable: " * 500, "; " * 900, "x" * 100_000):
        assert in_chinese(text)
