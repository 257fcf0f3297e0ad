"""How levels, skips and errors turn into statuses and exit codes."""

import json
import random
from pathlib import Path

import pytest
from conftest import prose, write_jsonl

import dataaudit
from dataaudit.checks import all_checks
from dataaudit.checks.check import Outcome, check
from dataaudit.checks.judge import judge, reached
from dataaudit.config.schema import Config, Level
from dataaudit.result import Finding, Status


def audit(tmp_path: Path, texts: list[str], config: str | None = None, **options: object) -> dict[str, Finding]:
    source = write_jsonl(tmp_path / "in.jsonl", [{"id": f"d{row}", "text": text} for row, text in enumerate(texts)])
    if config is not None:
        (tmp_path / "c.yaml").write_text(config)
        options["config"] = str(tmp_path / "c.yaml")
    result = dataaudit.audit(source, tmp_path / "run", workers=1, **options)
    return {finding.id: finding for finding in result.findings}


def plain(count: int) -> list[str]:
    rng = random.Random(3)
    return [prose(rng) for _ in range(count)]


FAULTS = {
    "empty-documents": " \n\t ",
    "punctuation-only": "!!! ??? ---",
    "special-characters": "ab#$%^&*()_+{}|:<>?~`#$%^&*",
    "control-characters": "a text with \x00\x00\x00\x01\x1b[0m in its middle",
    "replacement-characters": "a text \ufffd\ufffd\ufffd wrongly decoded",
    "invisible-characters": "a text with \u200b\u202e\u202c hidden marks in it " * 9,
    "private-use-characters": "an icon \ue001\ue002\ue003 of a font",
    "mojibake": "una canciÃ³n y un niÃ±o",
    "special-text": "a page about <|endoftext|> and its use",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_with_its_document_and_no_other_check_warns_of_plain_text(tmp_path: Path, name: str) -> None:
    clean = audit(tmp_path / "clean", plain(20))
    assert {finding.status for finding in clean.values()} <= {Status.PASS, Status.INFO, Status.SKIP}
    found = audit(tmp_path / "faulty", [*plain(19), FAULTS[name]])[name]
    assert found.status is Status.WARN
    assert [example.id for example in found.examples] == ["d19"]
    assert found.documents == 1


def test_a_share_is_exact_in_documents_and_characters(tmp_path: Path) -> None:
    found = audit(tmp_path, ["word " * 10, "!!", "??!!", "one more word"])["punctuation-only"]
    assert found.value == 2 / 4
    assert found.details["token_share"] == (2 + 4) / (50 + 2 + 4 + 13)


def test_control_characters_are_a_share_of_all_characters(tmp_path: Path) -> None:
    found = audit(tmp_path, ["abcd\x01\x02\t\n", "plain text"])["control-characters"]
    assert found.value == 2 / 18
    assert found.details["characters"] == 2


def test_levels_of_the_config_decide(tmp_path: Path) -> None:
    texts = [*plain(9), "!!!"]
    cases = {
        "{above: 0.1}": Status.PASS,
        "{at_least: 0.1}": Status.WARN,
        "{above: 0.09}": Status.WARN,
        "{above: 0.2}": Status.PASS,
    }
    for number, (level, status) in enumerate(cases.items()):
        config = f"extends: default\nchecks: {{punctuation-only: {{warn: {level}}}}}\n"
        assert audit(tmp_path / str(number), texts, config)["punctuation-only"].status is status


def test_a_check_can_be_switched_off(tmp_path: Path) -> None:
    found = audit(tmp_path, ["!!!", "a"], "extends: default\nchecks: {punctuation-only: {skip: true}}\n")
    assert found["punctuation-only"].status is Status.SKIP


@pytest.mark.parametrize(
    ("level", "value", "expected"),
    [
        (Level(above=0.0), 0.0, False),
        (Level(above=0.0), 1e-9, True),
        (Level(at_least=1), 1, True),
        (Level(at_least=1), 0, False),
        (Level(at_least=0), 0, True),
    ],
)
def test_above_is_exclusive_and_at_least_is_inclusive(level: Level, value: float, expected: bool) -> None:
    assert reached(level, value) is expected


def test_a_broken_check_is_an_error_and_never_a_pass() -> None:
    @check("broken", group="test", title="Broken", unit="things")
    def broken(evidence: object, options: object) -> Outcome:
        raise ZeroDivisionError("by a bug")

    class Nothing:
        config = Config()

    finding = judge({"broken": broken}, Nothing())[0]  # type: ignore[arg-type]
    assert finding.status is Status.ERROR
    assert "by a bug" in finding.message


def test_every_check_says_what_why_and_what_to_do() -> None:
    for each in all_checks().values():
        assert each.doc.split("\n")[0].endswith("."), each.id
        assert each.why, each.id
        assert each.advice, each.id


def test_out_of_range_tokens_fail_and_the_limit_is_the_models(tmp_path: Path, tokenizer_file: Path) -> None:
    inside = audit(tmp_path / "a", plain(5), tokenizer=tokenizer_file, vocab_size=512)["token-range"]
    assert inside.status is Status.PASS
    largest = inside.details["largest_id"]
    edge = audit(tmp_path / "b", plain(5), tokenizer=tokenizer_file, vocab_size=largest + 1)["token-range"]
    assert (edge.status, edge.value) == (Status.PASS, 0)
    outside = audit(tmp_path / "c", plain(5), tokenizer=tokenizer_file, vocab_size=largest)["token-range"]
    assert outside.status is Status.FAIL
    assert outside.value and outside.value >= 1


def test_truncation_counts_the_tokens_past_the_context(tmp_path: Path, tokenizer_file: Path) -> None:
    found = audit(tmp_path, plain(8), tokenizer=tokenizer_file, max_length=20)
    run = tmp_path / "run"
    import polars as pl

    lengths = pl.read_parquet(run / "signals" / "part-00000.parquet")["token_count"]
    assert found["truncation"].details["tokens_lost"] == sum(max(0, length - 20) for length in lengths)
    assert found["truncation"].value == found["truncation"].details["tokens_lost"] / lengths.sum()


def test_rare_tokens_are_not_judged_in_a_small_corpus(tmp_path: Path, tokenizer_file: Path) -> None:
    found = audit(tmp_path, plain(5), tokenizer=tokenizer_file)["rare-tokens"]
    assert (found.status, found.value) == (Status.SKIP, None)
    assert "Not judged below" in found.message


def test_tokenised_input_is_judged_by_its_ids(tmp_path: Path) -> None:
    rows = [
        {"id": "t0", "input_ids": [1, 5, 6, 2]},
        {"id": "t1", "input_ids": [1, 99, 128]},
        {"id": "t2", "input_ids": [1, 2, 7, 2]},
        {"id": "t3", "input_ids": [-1, 3]},
    ]
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "c.yaml").write_text("extends: default\nmodel: {vocab_size: 100, bos_id: 1, eos_id: 2}\n")
    result = dataaudit.audit(source, tmp_path / "run", config=str(tmp_path / "c.yaml"), workers=1)
    found = {finding.id: finding for finding in result.findings}
    assert found["token-range"].value == 2
    assert sorted(example.id or "" for example in found["token-range"].examples) == ["t1", "t3"]
    details = found["bos-eos"].details
    assert details["documents_without_bos"] == 1
    assert details["documents_without_eos"] == 2
    assert details["documents_with_eos_inside"] == 1
    assert result.corpus.tokens == 13
    assert result.corpus.characters is None
    assert found["control-characters"].status is Status.SKIP


def test_repeated_ids_are_reported_and_stay_distinct(tmp_path: Path) -> None:
    records = [{"id": "x", "text": "one"}, {"id": "x", "text": "two"}, {"text": "three"}, {"id": "y", "text": "four"}]
    result = dataaudit.audit(write_jsonl(tmp_path / "in.jsonl", records), tmp_path / "run", workers=1)
    found = {finding.id: finding for finding in result.findings}["repeated-ids"]
    assert (found.status, found.value, found.documents) == (Status.WARN, 1, 2)
    assert found.details["documents_without_id"] == 1
    assert result.corpus.documents == 4


def test_a_damaged_file_fails_and_the_rest_is_read(tmp_path: Path) -> None:
    import gzip

    write_jsonl(tmp_path / "in" / "good.jsonl", [{"text": text} for text in plain(3)])
    whole = gzip.compress("".join(json.dumps({"text": text}) + "\n" for text in plain(50)).encode())
    (tmp_path / "in" / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    result = dataaudit.audit(tmp_path / "in", tmp_path / "run", workers=1)
    found = {finding.id: finding for finding in result.findings}["damaged-files"]
    assert found.status is Status.FAIL
    assert [file["file"] for file in found.details["files"]] == ["cut.jsonl.gz"]
    assert 3 < result.corpus.documents < 53


def test_prose_in_any_script_gets_the_same_verdict(tmp_path: Path) -> None:
    texts = [
        "The old mill by the river had not turned for thirty years when the new owner came to look at its wheel. " * 1
        + "She walked around it twice, touched the wet stones, and asked the miller's son how much of it still worked.",
        "河边的老磨坊已经三十年没有转动了，新主人来看水轮的那天下着小雨。她绕着磨坊走了两圈，摸了摸湿漉漉的石头，"
        "问磨坊主的儿子还有多少零件能用。他想了很久，说大概只剩下那根铁轴。",
        "川のそばの古い水車小屋は三十年も回っていなかった。新しい持ち主が見に来た日は小雨が降っていた。"
        "彼女は小屋のまわりを二度歩き、濡れた石に触れ、まだ使えるものはどれくらいあるのかと尋ねた。",
        "โรงสีเก่าริมแม่น้ำไม่ได้หมุนมาสามสิบปีแล้ว วันที่เจ้าของใหม่มาดูกังหันมีฝนตกปรอยๆ เธอเดินรอบโรงสีสองรอบ",
        "강가의 낡은 물레방앗간은 삼십 년 동안 돌지 않았다. 새 주인이 물레를 보러 온 날에는 가랑비가 내렸다.",
    ]
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": text} for text in texts])
    result = dataaudit.audit(source, tmp_path / "run", workers=1)
    assert [(rule.id, rule.documents) for rule in result.rules if rule.documents] == []
