"""What the report shows beyond the verdict: exact counts at other limits, documents at the edge, safe excerpts."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import dataaudit
from dataaudit.closeup import Closeup, Curve, Excerpt
from dataaudit.pipeline.audit import run_audit, run_check
from dataaudit.pipeline.excerpts import EXCERPT_CHARACTERS, excerpt_of, masked
from dataaudit.pipeline.limit_grid import Tally, limits_around
from dataaudit.pipeline.listener import Silent
from dataaudit.pipeline.matched import matched
from dataaudit.pipeline.rule_edges import shuffled
from dataaudit.result import AuditResult, SignalSummary

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture(scope="module")
def result(sample_run: Path) -> AuditResult:
    return dataaudit.load_result(sample_run)


@pytest.fixture(scope="module")
def closeup(result: AuditResult) -> Closeup:
    assert result.closeup is not None
    return result.closeup


@pytest.fixture(scope="module")
def signals(sample_run: Path) -> pl.DataFrame:
    parts = [pl.read_parquet(sample_run / name / "*.parquet") for name in ("signals", "signals_pooled")]
    return pl.concat([parts[0], parts[1].drop("doc_id")], how="horizontal")


def curve_of(closeup: Closeup, rule: str) -> Curve:
    return next(each for each in closeup.rules if each.id == rule).curves[0]


@pytest.mark.parametrize(
    ("rule", "signal", "concerned"),
    [
        ("special-characters", "special_char_ratio", pl.lit(True)),
        ("punctuation-only", "alnum_char_count", pl.lit(True)),
        ("unique-characters-cjk", "unique_char_ratio_500", pl.col("cjk_char_ratio") >= 0.3),
        (
            "gopher/dup-lines",
            "dup_line_ratio",
            (pl.col("word_count") >= 50)
            & (pl.col("unspaced_char_ratio") <= 0.3)
            & (pl.col("special_char_ratio") <= 0.08),
        ),
        ("periodic-tokens", "periodic_token_repeat", pl.lit(True)),
    ],
)
def test_a_curve_counts_what_the_signals_table_has(
    closeup: Closeup, signals: pl.DataFrame, rule: str, signal: str, concerned: pl.Expr
) -> None:
    curve = curve_of(closeup, rule)
    table = signals.filter((pl.col("whitespace_char_ratio") < 1) & concerned)
    assert curve.limits == sorted(set(curve.limits))
    assert len(curve.limits) > 10
    for limit, documents, tokens in zip(curve.limits, curve.documents, curve.tokens, strict=True):
        out = table.filter(pl.col(signal) > limit if curve.side == "max" else pl.col(signal) < limit)
        assert (documents, tokens) == (len(out), out["token_count"].sum()), limit


def test_at_the_rules_own_limit_a_curve_says_what_the_rule_says(result: AuditResult, closeup: Closeup) -> None:
    outcomes = {rule.id: rule for rule in result.rules}
    curves = [(each.id, curve) for each in closeup.rules for curve in each.curves]
    assert len(curves) > 30
    for rule, curve in curves:
        at = curve.limits.index(getattr(outcomes[rule], curve.side))
        assert curve.documents[at] == outcomes[rule].documents
        assert curve.tokens[at] == outcomes[rule].tokens


def test_each_curve_is_monotone(closeup: Closeup) -> None:
    for curve in [curve for each in closeup.rules for curve in each.curves]:
        step = np.diff(curve.documents)
        assert (step <= 0).all() if curve.side == "max" else (step >= 0).all()


def test_both_limits_of_a_rule_can_be_moved_while_the_other_stays(tmp_path: Path, corpus: Path) -> None:
    config = tmp_path / "two.yaml"
    rule = "{id: own/words, signal: char_count, min: 300, max: 420, source: test}"
    config.write_text(f"version: 1\nrules:\n  - {rule}\n")
    found = dataaudit.audit(corpus, tmp_path / "run", config=str(config), workers=1)
    assert found.closeup is not None
    table = pl.read_parquet(tmp_path / "run" / "signals" / "*.parquet")
    low, high = next(each for each in found.closeup.rules if each.id == "own/words").curves
    assert (low.side, high.side) == ("min", "max")
    for limit, documents in zip(low.limits, low.documents, strict=True):
        assert documents == len(table.filter((pl.col("char_count") < limit) | (pl.col("char_count") > 420)))
    for limit, documents in zip(high.limits, high.documents, strict=True):
        assert documents == len(table.filter((pl.col("char_count") < 300) | (pl.col("char_count") > limit)))


def test_the_overlap_is_what_rules_fail_together(sample_run: Path, result: AuditResult, closeup: Closeup) -> None:
    outcomes = {rule.id: rule for rule in result.rules}
    overlap = closeup.overlap
    matrix = np.array(overlap.documents)
    assert (matrix == matrix.T).all()
    assert matrix.diagonal().tolist() == [outcomes[rule].documents for rule in overlap.rules]
    table = pl.read_parquet(sample_run / "signals" / "*.parquet").filter(pl.col("whitespace_char_ratio") < 1)
    both = table.filter((pl.col("longest_char_run") > 256) & (pl.col("longest_word_char_count") > 1000))
    one, other = overlap.rules.index("longest-run"), overlap.rules.index("longest-word")
    assert matrix[one, other] == len(both)


def test_what_is_left_counts_down_to_the_documents_without_a_reason(
    sample_run: Path, result: AuditResult, closeup: Closeup
) -> None:
    left = [rule.documents_left for rule in closeup.rules]
    assert left == sorted(left, reverse=True)
    from dataaudit.pipeline.lookup import documents_of_rule

    out = set()
    for rule in result.rules:
        if rule.action == "quarantine":
            out.update(documents_of_rule(sample_run, rule.id, 10_000))
    assert left[-1] == result.corpus.documents - len(out)


def test_examples_are_the_nearest_to_the_limit(closeup: Closeup, signals: pl.DataFrame) -> None:
    listed = next(each for each in closeup.rules if each.id == "special-characters").examples
    values = signals.filter(pl.col("whitespace_char_ratio") < 1)["special_char_ratio"].drop_nulls().sort()
    kept, out = values.filter(values <= 0.5), values.filter(values > 0.5)
    assert [each.value for each in listed if each.kind == "borderline kept"] == kept[-2:].reverse().to_list()
    assert [each.value for each in listed if each.kind == "borderline dropped"] == out[:2].to_list()
    assert len({each.doc_id for each in listed}) == len(listed) <= 8


def test_examples_hold_the_text_of_their_document(sample_run: Path, closeup: Closeup) -> None:
    from dataaudit.pipeline.lookup import look_up

    listed = [each for rule in closeup.rules for each in rule.examples if each.text is not None]
    assert len(listed) > 50
    for each in listed[::7]:
        (document,) = look_up(sample_run, [each.doc_id])
        assert document.text is not None
        assert len(each.text or "") <= EXCERPT_CHARACTERS
        assert each.text == masked(document.text)[each.before : len(document.text) - each.after]


def test_the_lines_of_the_docs_give_the_numbers_of_the_report(
    sample_run: Path, result: AuditResult, closeup: Closeup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sample_run.parent)
    (sample_run.parent / "RUN").symlink_to(sample_run)
    table = (SAMPLE.parent / "docs" / "report.md").read_text(encoding="utf-8").partition("one line |")[2]
    lines = dict(re.findall(r"^\| (.*?) \| `(.*?)`", table, re.MULTILINE))
    scope = {"pl": pl, "s": pl.scan_parquet("RUN/signals/part-*.parquet"), "a": 0.1, "b": 0.2}
    found = {name: eval(line, scope) for name, line in lines.items() if not line.startswith(".")}
    assert len(found) >= 9
    corpus = result.corpus
    assert found["documents, tokens, characters"].row(0) == (corpus.documents, corpus.tokens, corpus.characters)
    summary = result.signals["special_char_ratio"]
    first, last = (int(np.argmin(np.abs(np.array(summary.bin_edges) - edge))) for edge in (0.1, 0.2))
    bar = found["a bar from *a* to below *b*"].row(0)
    assert bar == (sum(summary.hist[first:last]), sum(summary.token_hist[first:last]))
    assert found["“undefined” of a signal"].item() == summary.nan_count
    curve = curve_of(closeup, "special-characters")
    at = curve.limits.index(0.4)
    assert found["a limit moved to 0.4"].row(0) == (curve.documents[at], curve.tokens[at])
    context = closeup.lengths.curve
    at = context.limits.index(1024.0)
    assert found["a context length of 1,024"].row(0) == (context.documents[at], context.tokens[at])
    assert closeup.tokens is not None
    assert found["ids by how often they occur"] == next(b.ids for b in closeup.tokens.bands if b.least == 1)
    assert dict(found["lost records"].iter_rows()) == {
        "unreadable": corpus.unreadable,
        "without_text": corpus.without_text,
    }


def test_a_bar_names_a_document_in_it(result: AuditResult, closeup: Closeup, signals: pl.DataFrame) -> None:
    summary = result.signals["special_char_ratio"]
    values = dict(signals.select("doc_id", "special_char_ratio").iter_rows())
    for place, doc_id in enumerate(closeup.signals["special_char_ratio"].bin_doc_ids):
        assert (doc_id is None) == (summary.hist[place] == 0)
        if doc_id is not None:
            assert summary.bin_edges[place] <= values[doc_id] < summary.bin_edges[place + 1]


def test_lengths_and_contexts_are_exact(closeup: Closeup, signals: pl.DataFrame) -> None:
    lengths = closeup.lengths
    tokens = signals["token_count"]
    assert lengths.context == 1024
    assert 1025.0 in lengths.bin_edges
    assert sum(lengths.hist) == len(tokens)
    assert sum(lengths.token_hist) == tokens.sum()
    for limit, documents, past in zip(lengths.curve.limits, lengths.curve.documents, lengths.curve.tokens, strict=True):
        assert documents == (tokens > limit).sum()
        assert past == (tokens - limit).clip(0).sum()


def test_bands_hold_every_id_and_every_token(result: AuditResult, closeup: Closeup) -> None:
    assert closeup.tokens is not None
    assert sum(band.ids for band in closeup.tokens.bands) == closeup.tokens.ids == 4096
    assert sum(band.tokens for band in closeup.tokens.bands) == result.corpus.tokens


def test_a_check_needs_no_corpus_and_keeps_the_excerpts(tmp_path: Path, corpus: Path) -> None:
    shutil.copytree(corpus, tmp_path / "corpus")
    first = dataaudit.audit(tmp_path / "corpus", tmp_path / "run", workers=1)
    shutil.rmtree(tmp_path / "corpus")
    again = dataaudit.check(tmp_path / "run", workers=1)
    assert again.closeup == first.closeup
    assert again.closeup is not None
    assert any(each.text for rule in again.closeup.rules for each in rule.examples)
    gone = run_check(tmp_path / "run", None, Silent(), workers=1, examples=16)
    assert gone.closeup is not None
    assert any(each.text is None for rule in gone.closeup.rules for each in rule.examples)


def test_no_text_is_kept_when_none_is_wanted(tmp_path: Path, corpus: Path) -> None:
    from dataaudit.config.load import load_config

    run_audit([str(corpus)], tmp_path / "run", load_config(None), Silent(), workers=1, examples=0)
    report = (tmp_path / "run" / "report.json").read_text(encoding="utf-8")
    texts = [json.loads(line)["text"] for line in (corpus / "books" / "3.jsonl").read_text().splitlines()]
    assert not any(text[:40] in report for text in texts)


@pytest.mark.parametrize(
    "private",
    [
        "jane.doe+x@mail.example.org",
        "192.168.0.1",
        "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
        "13812345678",
        "+44 20 7946 0958",
        "(212) 555-0134",
        "010-12345678",
        "+86 138 1234 5678",
    ],
)
def test_addresses_and_numbers_of_people_are_masked(private: str) -> None:
    text = f"Call {private}, please"
    shown = masked(text)
    assert private not in shown
    assert len(shown) == len(text)
    assert shown.startswith(("Call •", "Call +•")) or "••••" in shown


@pytest.mark.parametrize("plain", ["version 1.2.3", "in 2024-01-02 12:30", "1,234,567 people", "a 10-12 b", "x@y"])
def test_other_numbers_stay(plain: str) -> None:
    assert masked(plain) == plain


@pytest.mark.parametrize("before", [0, 10, 159, 160, 161, 400, 5_000])
def test_an_excerpt_stands_around_what_was_matched(before: int) -> None:
    document = Excerpt(kind="random", doc_id=1, id=None, file="f", record=1, source=None, value=None)
    text = "x" * before + "\x00\x00" + "y" * 3_000
    found = excerpt_of(document, text, "control_char_ratio")
    assert found.text is not None
    assert found.start is not None
    assert found.stop is not None
    assert found.text[found.start : found.stop] == "\x00\x00"
    assert found.before + len(found.text) + found.after == len(text)
    assert len(found.text) == EXCERPT_CHARACTERS


def test_an_address_that_the_cut_goes_through_is_masked_too() -> None:
    document = Excerpt(kind="random", doc_id=1, id=None, file="f", record=1, source=None, value=None)
    text = "a " * 290 + "somebody.with.a.long.name@example.org" + " b" * 900
    found = excerpt_of(document, text, None)
    assert found.text is not None
    assert "somebody" not in found.text


@pytest.mark.parametrize(
    ("signal", "text", "part"),
    [
        ("replacement_char_ratio", "ab\ufffd\ufffdc", "\ufffd\ufffd"),
        ("longest_char_run", "aab-----c", "-----"),
        ("longest_word_char_count", "one three x", "three"),
        ("dup_line_ratio", "one\ntwo\none\n", "one"),
        ("dup_5gram_char_ratio", "a b c d e x a b c d e", "a b c d e"),
        ("top_2gram_char_ratio", "x y z y z y z", "y z"),
        ("special_token_count", "text <|endoftext|> more", "<|endoftext|>"),
        ("mojibake_char_ratio", "caf\u00c3\u00a9", "\u00c3\u00a9"),
        ("periodic_token_repeat", "start " + "ab" * 40, "ab" * 40),
    ],
)
def test_the_matched_part_is_found(signal: str, text: str, part: str) -> None:
    span = matched(signal, text)
    assert span is not None
    assert text[slice(*span)] == part


@pytest.mark.parametrize("text", ["", "\x00", "a", "\n\n\n", "字" * 50_000, "a b " * 50_000])
@pytest.mark.parametrize("signal", ["dup_10gram_char_ratio", "dup_line_ratio", "longest_char_run", "word_count", "no"])
def test_looking_for_it_never_fails(signal: str, text: str) -> None:
    span = matched(signal, text)
    assert span is None or 0 <= span[0] <= span[1] <= len(text)


def test_limits_stand_around_the_rules_own() -> None:
    edges = [each / 60 for each in range(61)]
    summary = SignalSummary(
        unit="ratio", nan_count=0, min=0.0, max=1.0, bin_edges=edges, hist=[1] * 60, token_hist=[1] * 60
    )
    found = limits_around(0.01, "x_ratio", summary, is_integer=False)
    assert 0.01 in found
    assert 0.0 in found
    assert len(found) <= 60
    assert sum(0.001 <= each <= 0.02 for each in found) >= 6
    whole = limits_around(3.0, "word_count", summary, is_integer=True)
    assert all(each.is_integer() for each in whole)


def test_a_tally_counts_values_at_the_limit_as_kept() -> None:
    values, weight = np.array([1.0, 2.0, 2.0, 3.0]), np.array([1, 10, 100, 1000])
    above, below = Tally("max", [1.0, 2.0, 3.0]), Tally("min", [1.0, 2.0, 3.0])
    above.add(values, weight)
    below.add(values, weight)
    assert above.curve(0, 0).documents == [3, 1, 0]
    assert above.curve(5, 7).tokens == [1117, 1007, 7]
    assert below.curve(0, 0).documents == [0, 1, 3]
    assert below.curve(0, 0).tokens == [0, 1, 111]


def test_the_order_without_meaning_is_the_same_everywhere() -> None:
    found = shuffled(np.arange(1000, dtype=np.uint64))
    assert len(np.unique(found)) == 1000
    assert found[:2].tolist() == [16294208416658607535, 10451216379200822465]
