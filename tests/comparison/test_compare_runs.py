"""``compare`` on real runs: which documents changed, exit codes, and what cannot be compared."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from conftest import prose, write_jsonl
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app

Records = list[dict[str, object]]


def audited(folder: Path, name: str, records: Records, broken: int = 0, **options: object) -> Path:
    path = write_jsonl(folder / name / "part.jsonl", records)
    with path.open("a", encoding="utf-8") as file:
        file.write("{broken\n" * broken)
    dataaudit.audit(path, folder / f"run-{name}", workers=1, **options)
    return folder / f"run-{name}"


@pytest.fixture(scope="module")
def records() -> Records:
    rng = random.Random(21)
    found: Records = [{"id": f"n{row}", "text": prose(rng)} for row in range(60)]
    found += [{"id": "copy", "text": found[0]["text"]}, {"id": "void-1", "text": ""}, {"id": "void-2", "text": " "}]
    return found


@pytest.fixture(scope="module")
def changed(records: Records) -> Records:
    """Other files and order; 5 documents fewer and 4 more, one of them a copy; 2 with another text, 1 in capitals."""
    rng = random.Random(22)
    found = [dict(each) for each in records]
    found[7]["text"] = "Something else stands here now."
    found[8]["text"] = ""
    found[9]["text"] = str(found[9]["text"]).upper()
    del found[20:25]
    found += [{"id": f"more{row}", "text": prose(rng)} for row in range(3)]
    found.append({"id": "again", "text": records[30]["text"]})
    rng.shuffle(found)
    return found


@pytest.fixture(scope="module")
def runs(records: Records, changed: Records, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("compared")
    return audited(folder, "old", records), audited(folder, "new", changed, broken=2)


def test_documents_are_told_apart_by_text_and_then_by_id(runs: tuple[Path, Path], records: Records) -> None:
    found = dataaudit.compare(*runs).documents
    assert found is not None
    assert (found.unchanged, found.changed, found.added, found.removed) == (56, 2, 4, 5)
    assert [each.old.id for each in found.changed_examples] == ["n7", "n8"]
    assert all(each.old.id == each.new.id for each in found.changed_examples)
    assert [each.id for each in found.removed_examples] == [f"n{row}" for row in range(20, 25)]
    assert {each.id for each in found.added_examples} - {"again", "n30"} == {"more0", "more1", "more2"}
    assert found.removed_examples[0].record == 21


def test_the_other_way_round_added_and_removed_change_places(runs: tuple[Path, Path]) -> None:
    there, back = dataaudit.compare(*runs), dataaudit.compare(*reversed(runs))
    assert there.documents is not None
    assert back.documents is not None
    assert (back.documents.added, back.documents.removed) == (there.documents.removed, there.documents.added)
    assert there.regressions == ["unreadable-records"]
    assert back.regressions == []
    assert [each.id for each in back.checks] == [each.id for each in there.checks]


def test_documents_without_ids_are_added_and_removed(tmp_path: Path) -> None:
    rng = random.Random(23)
    texts = [prose(rng, 1) for _ in range(12)]
    old, new = [*texts[:9], texts[0], texts[0], "", ""], [*texts[3:], texts[0], ""]
    runs = [audited(tmp_path, name, [{"text": text} for text in side]) for name, side in (("a", old), ("b", new))]
    found = dataaudit.compare(*runs).documents
    assert found is not None
    counts = Counter(old), Counter(new)
    assert (found.removed, found.added) == ((counts[0] - counts[1]).total(), (counts[1] - counts[0]).total())
    assert (found.unchanged, found.changed) == ((counts[0] & counts[1]).total(), 0)


def test_a_run_equals_itself_however_it_was_cut(records: Records, tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text("extends: default\nread: {shard_bytes: 8192}\n")
    old = audited(tmp_path, "a", records)
    new = audited(tmp_path, "b", records, config=str(config))
    found = dataaudit.compare(old, new)
    assert found.documents is not None
    assert (found.documents.unchanged, found.documents.changed, found.documents.added) == (len(records), 0, 0)
    assert not found.is_regression
    assert (found.signals, found.rules, found.sources) == ([], [], [])
    assert [each.what for each in found.method] == ["config.read.shard_bytes"]


def test_reports_alone_say_that_documents_are_not_available(runs: tuple[Path, Path], tmp_path: Path) -> None:
    alone = tmp_path / "old.json"
    alone.write_bytes((runs[0] / "report.json").read_bytes())
    found = dataaudit.compare(alone, runs[1])
    assert found.documents is None
    assert "report alone" in str(found.documents_reason)
    whole = dataaudit.compare(*runs)
    assert (found.checks, found.values, found.signals) == (whole.checks, whole.values, whole.signals)


def test_runs_without_digests_say_so(runs: tuple[Path, Path], records: Records, tmp_path: Path) -> None:
    config = tmp_path / "off.yaml"
    config.write_text("extends: default\nduplicates: {enabled: false}\n")
    run = audited(tmp_path, "off", records, config=str(config))
    found = dataaudit.compare(runs[0], run)
    assert found.documents is None
    assert "duplicates.enabled" in str(found.documents_reason)


def test_the_command_ends_with_1_when_a_check_got_worse(runs: tuple[Path, Path]) -> None:
    old, new = map(str, runs)
    worse = CliRunner().invoke(app, ["compare", old, new])
    assert worse.exit_code == 1
    assert worse.stdout.splitlines()[-1] == "WORSE  1 check got worse: unreadable-records"
    assert "56 unchanged, 2 changed, 4 added, 5 removed" in worse.stdout
    assert CliRunner().invoke(app, ["compare", new, old]).exit_code == 0
    assert CliRunner().invoke(app, ["compare", old, old]).exit_code == 0


def test_json_is_the_comparison_and_the_same_bytes(runs: tuple[Path, Path]) -> None:
    done = [CliRunner().invoke(app, ["compare", *map(str, runs), "--format", "json"]).stdout for _ in range(2)]
    assert done[0] == done[1] == dataaudit.compare(*runs).to_json().decode()
    assert json.loads(done[0])["regressions"] == ["unreadable-records"]


@pytest.mark.parametrize(
    ("content", "said"), [(None, "cannot be read"), ("{}", "no report.json of this version"), ("nonsense", "no report")]
)
def test_what_is_no_run_is_said(runs: tuple[Path, Path], tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(dataaudit.DataAuditError, match=said):
        dataaudit.compare(runs[0], path)
    with pytest.raises(dataaudit.DataAuditError, match=r"no report\.json"):
        dataaudit.compare(runs[0], tmp_path)
