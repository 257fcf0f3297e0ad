"""A fault in the ids, labels or masks of a corpus is found, named and located, and no other check speaks up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from token_corpora import BOS, EOS, MODEL, PAD, VOCABULARY, audit_ids, documents, loud, with_sides

from dataaudit.result import Status

Row = dict[str, Any]
FAULTY = 17
"""The row that is made faulty; in all corpora here a document is a row."""


def ids(place: int, *values: int) -> Callable[[Row], None]:
    def put(row: Row) -> None:
        for name in ("input_ids", "labels"):
            if name == "input_ids" or row[name][place] != -100:
                row[name][place : place + len(values)] = values

    return put


def labels(place: int, *values: int) -> Callable[[Row], None]:
    def put(row: Row) -> None:
        row["labels"][place : place + len(values)] = values

    return put


def mask(place: int, *values: int) -> Callable[[Row], None]:
    def put(row: Row) -> None:
        row["attention_mask"][place : place + len(values)] = values

    return put


def content(row: Row) -> int:
    return row["input_ids"].index(PAD)


def all_masked(row: Row) -> None:
    row["labels"] = [-100] * len(row["labels"])


def shifted(row: Row) -> None:
    row["labels"] = [*row["labels"][1:], -100]


def of_other_tokens(row: Row) -> None:
    half = content(row) // 2
    row["labels"][half : half + 5] = row["input_ids"][5:10]


def eos_masked(row: Row) -> None:
    row["labels"][content(row) - 1] = -100


def without(name: str, entries: int) -> Callable[[Row], None]:
    def cut(row: Row) -> None:
        del row[name][-entries:]

    return cut


def hidden(row: Row) -> None:
    row["attention_mask"][:3] = [0, 0, 0]


def attended(row: Row) -> None:
    row["attention_mask"][content(row)] = 1


def doubled(row: Row) -> None:
    row["input_ids"][1] = BOS


def no_bos(row: Row) -> None:
    row["input_ids"][0] = 77


FAULTS: dict[str, tuple[Callable[[Row], None], set[str], int | None]] = {
    "an id past the table": (ids(5, VOCABULARY), {"token-range"}, 5),
    "a negative id": (ids(7, -4), {"token-range"}, 7),
    "an end token inside": (ids(6, EOS), {"eos-inside"}, 6),
    "a doubled start token": (doubled, {"double-specials"}, 1),
    "no start token": (no_bos, {"bos-eos", "bos-eos-on-some"}, None),
    "labels all masked": (all_masked, {"all-masked-labels"}, None),
    "labels shifted": (shifted, {"shifted-labels"}, None),
    "labels of other tokens": (of_other_tokens, {"foreign-labels"}, None),
    "a label past the table": (labels(150, VOCABULARY), {"label-range"}, 150),
    "a negative label": (labels(150, -1), {"label-range"}, 150),
    "an end token without a label": (eos_masked, {"masked-eos"}, None),
    "labels too short": (without("labels", 2), {"label-length"}, None),
    "a mask too short": (without("attention_mask", 2), {"mask-length"}, None),
    "a mask of other values": (mask(4, 7), {"mask-values"}, 4),
    "a hole in a mask": (mask(9, 0), {"mask-holes"}, 9),
    "hidden tokens": (hidden, {"hidden-tokens"}, 0),
    "padding that is seen": (attended, {"attended-padding"}, None),
}


def corpus() -> list[Row]:
    return with_sides([each for each in documents() if len(each) > 160 or len(each) < 150])


def write(path: Path, rows: list[Row]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_a_corpus_without_faults_is_quiet(tmp_path: Path) -> None:
    result = audit_ids(write(tmp_path / "x.parquet", corpus()), tmp_path)
    assert loud(result) == {}
    found = {finding.id: finding for finding in result.findings}
    judged = {name for _, names, _ in FAULTS.values() for name in names} | {"wrong-ids", "masked-labels"}
    assert {name for name in judged if found[name].status is Status.SKIP} == set()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_with_its_place_and_nothing_else_is_reported(tmp_path: Path, fault: str) -> None:
    plant, expected, position = FAULTS[fault]
    rows = corpus()
    plant(rows[FAULTY])
    found = loud(audit_ids(write(tmp_path / "x.parquet", rows), tmp_path))
    assert set(found) == expected
    for name in expected - {"bos-eos-on-some"}:
        (example,) = found[name].examples
        assert (example.file, example.record, example.id) == ("x.parquet", FAULTY, f"d{FAULTY}")
        assert position is None or example.position == position
        assert found[name].documents == 1


@pytest.mark.parametrize("value", ["NaN", "2.0", "null", "1e400"])
def test_what_is_no_id_is_a_finding_of_its_own(tmp_path: Path, value: str) -> None:
    lines = [json.dumps({"input_ids": each}) for each in documents()]
    lines[FAULTY] = f'{{"input_ids": [4, {value}]}}'
    (tmp_path / "x.jsonl").write_text("\n".join(lines) + "\n")
    found = loud(audit_ids(tmp_path / "x.jsonl", tmp_path))
    assert set(found) == {"wrong-ids"}
    (example,) = found["wrong-ids"].examples
    assert (example.file, example.record) == ("x.jsonl", FAULTY + 1)
    assert "at position 1" in (example.reason or "")
    assert found["wrong-ids"].value == 1


def test_windows_cut_from_a_stream_have_no_ends_of_their_own(tmp_path: Path) -> None:
    stream = [token for each in documents() for token in each]
    rows = [{"input_ids": stream[first : first + 256]} for first in range(0, len(stream), 256)]
    result = audit_ids(write(tmp_path / "x.parquet", rows), tmp_path)
    assert loud(result) == {}
    found = {finding.id: finding for finding in result.findings}
    assert found["bos-eos"].status is Status.SKIP
    assert found["eos-inside"].value == 0


def test_a_shard_without_start_tokens_fails_by_name(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for shard in range(3):
        rows = [{"input_ids": each[shard == 1 and row % 20 > 0 :]} for row, each in enumerate(documents(60, shard))]
        write(tmp_path / "in" / f"{shard}.parquet", rows)
    config = {"bos_id": BOS, "eos_id": EOS}
    (tmp_path / "c").mkdir()
    found = loud(audit_ids(tmp_path / "in", tmp_path / "c", config))
    assert set(found) == {"bos-eos", "bos-eos-on-some"}
    assert found["bos-eos"].documents == 57
    assert found["bos-eos-on-some"].details["bos_ratio"] == 123 / 180


def test_empty_sequences_are_counted(tmp_path: Path) -> None:
    rows = [{"id": f"d{row}", "input_ids": each} for row, each in enumerate([*documents(20), []])]
    found = loud(audit_ids(write(tmp_path / "x.parquet", rows), tmp_path, {"vocab_size": VOCABULARY}))
    assert set(found) == {"empty-sequences"}
    assert [example.id for example in found["empty-sequences"].examples] == ["d20"]


def test_another_model_does_not_judge_labels_by_the_ids_of_the_first(tmp_path: Path) -> None:
    import dataaudit

    rows = corpus()
    eos_masked(rows[FAULTY])
    assert "masked-eos" in loud(audit_ids(write(tmp_path / "x.parquet", rows), tmp_path))
    other = tmp_path / "other.yaml"
    other.write_text(f"extends: default\nmodel: {json.dumps(MODEL | {'eos_id': 5})}\n")
    again = dataaudit.check(tmp_path / "run", config=str(other))
    found = {finding.id: finding for finding in again.findings}
    for name in ("masked-eos", "hidden-tokens", "attended-padding"):
        assert found[name].status is Status.SKIP
        assert "audit again" in found[name].message
    assert found["label-range"].status is Status.PASS


def test_ids_between_the_tokenizer_and_the_table_are_padded_rows(tmp_path: Path, tokenizer_file: Path) -> None:
    rows = [{"id": f"d{row}", "input_ids": [40 + row, 41, 600, 42]} for row in range(3)] + [{"input_ids": [40, 41]}]
    found = loud(
        audit_ids(write(tmp_path / "x.parquet", rows), tmp_path, {"vocab_size": 640}, tokenizer=tokenizer_file)
    )
    assert set(found) == {"padded-rows", "tokenizer-identity"}, "nor do such ids come back from the tokenizer"
    assert (found["padded-rows"].value, found["padded-rows"].examples[0].position) == (3, 2)


def test_an_example_shows_its_decoded_tokens_around_the_place(tmp_path: Path, tokenizer_file: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    text = "the river wide lake <b>morning</b> someone@example.com boats return"
    ids = tokenizer.encode(text).ids
    rows = [{"input_ids": [*ids, *ids]}, {"input_ids": [*ids, 600, *ids]}, {"input_ids": ids}]
    source = write(tmp_path / "x.parquet", rows)
    result = audit_ids(source, tmp_path, {"vocab_size": 520}, tokenizer=tokenizer_file)
    assert result.closeup is not None
    (excerpt,) = result.closeup.findings["token-range"]
    assert (excerpt.record, excerpt.position) == (1, len(ids))
    assert excerpt.text is not None
    assert excerpt.text[excerpt.start : excerpt.stop] == "⟨600⟩"
    assert "lake <b>morning</b> •" in excerpt.text
    assert "example.com" not in excerpt.text
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<mark>⟨600⟩</mark>" in page
    assert "<b>morning" not in page
