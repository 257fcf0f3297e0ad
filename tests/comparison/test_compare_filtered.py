"""``compare`` before and after cleaning: the output of a filter as one of the sides, audited or not."""

import random
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from conftest import prose, write_jsonl
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app
from dataaudit.comparison.compare import compare_results
from dataaudit.filter_result import FilterResult

Paths = dict[str, Path]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, tokenizer_file: Path) -> Paths:
    """A run, a filter of it, and one of fewer rules; a fifth of the documents is rubbish."""
    folder = tmp_path_factory.mktemp("filtered")
    rng = random.Random(31)
    for number in range(3):
        records: list[dict[str, object]] = [{"id": f"{number}-{row}", "text": prose(rng)} for row in range(40)]
        records += [{"id": f"{number}-bad-{row}", "text": "%$#@! " * 30 + str(row)} for row in range(10)]
        records += [{"id": f"{number}-empty", "text": " "}, {"id": f"{number}-nul", "text": prose(rng) + "\0" * 200}]
        rng.shuffle(records)
        write_jsonl(folder / "corpus" / f"source{number}" / "a.jsonl", records)
    config = folder / "small.yaml"
    config.write_text("extends: default\nread: {shard_bytes: 16384}\n")
    dataaudit.audit(
        folder / "corpus", folder / "run", workers=1, config=str(config), tokenizer=tokenizer_file, max_length=64
    )
    dataaudit.filter(folder / "run", folder / "out", workers=1)
    dataaudit.filter(folder / "run", folder / "gentle", workers=1, settings=["special-characters.skip=true"])
    return {name: folder / name for name in ("run", "out", "gentle", "corpus")}


def clean_ids(out: Path) -> set[str]:
    return set(pl.concat([pl.read_ndjson(path) for path in (out / "clean").rglob("*.jsonl")])["id"])


def all_ids(places: Paths) -> set[str]:
    return set(pl.concat([pl.read_ndjson(path) for path in places["corpus"].rglob("*.jsonl")])["id"])


def test_a_filter_without_an_audit_is_compared_by_the_stored_signals(places: Paths) -> None:
    found = dataaudit.compare(places["run"], places["out"])
    funnel = dataaudit.filter(places["run"], places["out"]).funnel
    kept, everything = clean_ids(places["out"]), all_ids(places)
    assert found.documents is not None
    assert (found.documents.unchanged, found.documents.removed) == (len(kept), len(everything - kept))
    assert (found.documents.added, found.documents.changed) == (0, 0)
    assert {each.id for each in found.documents.removed_examples} <= everything - kept
    by_rule = {each.id: (each.documents, each.alone) for each in found.documents.removed_by_rule}
    assert by_rule == {
        each.id: (each.removed.documents, each.alone.documents)
        for each in funnel.rules
        if each.removed.documents and each.action == "quarantine"
    }
    assert len(by_rule) >= 3
    assert (found.new.documents, found.new.tokens) == (funnel.kept.documents, funnel.kept.tokens)
    assert found.new.verdict is None
    assert found.old.verdict is not None
    assert (found.checks, found.values, found.rules, found.regressions) == ([], [], [], [])
    assert "was not audited" in str(found.checks_reason)


def test_its_signals_are_those_of_the_documents_that_are_kept(places: Paths) -> None:
    found = dataaudit.compare(places["run"], places["out"])
    table = pl.read_parquet(places["run"] / "signals" / "*.parquet")
    kept = table.filter(pl.col("id").is_in(list(clean_ids(places["out"]))))
    assert {each.name for each in found.signals} >= {"special_char_ratio"}
    for each in found.signals:
        edges = np.array(each.bin_edges)
        for side, hist in ((table, each.old_hist), (kept, each.new_hist)):
            if each.name not in side.columns:
                continue
            values = side[each.name].drop_nulls().to_numpy()
            # The last bin of a ratio holds 1 too; NumPy's last bin holds its end likewise.
            inside = np.histogram(values, edges)[0]
            assert inside.tolist() == hist, each.name
            assert sum(hist) == len(values)
    sizes = kept.group_by("source").agg(pl.len())
    assert {each.name: each.new_documents for each in found.sources} == dict(sizes.iter_rows())


def test_signals_of_the_whole_corpus_are_not_compared(places: Paths) -> None:
    found = dataaudit.compare(places["run"], places["out"])
    assert {"duplicate_count", "rare_token_ratio", "token_surprisal_bits"} <= set(found.signals_not_compared)
    assert "truncated_token_count" not in found.signals_not_compared


def test_the_other_way_round_and_two_filters_of_one_run(places: Paths) -> None:
    there, back = (
        dataaudit.compare(*pair) for pair in ((places["run"], places["out"]), (places["out"], places["run"]))
    )
    assert there.documents is not None
    assert back.documents is not None
    assert (back.documents.added, back.documents.added_by_rule) == (
        there.documents.removed,
        there.documents.removed_by_rule,
    )
    both = dataaudit.compare(places["gentle"], places["out"]).documents
    assert both is not None
    gentle, strict = clean_ids(places["gentle"]), clean_ids(places["out"])
    assert (both.unchanged, both.removed, both.added) == (len(gentle & strict), len(gentle - strict), 0)
    assert both.removed > 0
    assert both.removed_by_rule[0].id == "special-characters"


def test_an_audit_of_what_is_clean_is_compared_with_its_checks(places: Paths, tmp_path: Path) -> None:
    out = tmp_path / "out"
    dataaudit.filter(places["run"], out, workers=1)
    audit = dataaudit.audit(out / "clean", out / "audit", workers=1)
    found = dataaudit.compare(places["run"], out)
    assert found.checks_reason is None
    assert found.new.verdict == audit.verdict
    assert "control-characters" in {each.id for each in [*found.checks, *found.values]}
    assert found.documents is not None
    assert found.documents.removed == len(all_ids(places) - clean_ids(out))
    assert found.documents.removed_by_rule == dataaudit.compare(places["run"], places["out"]).documents.removed_by_rule
    plain = compare_results(
        dataaudit.load_result(places["run"]), audit, names=("a", "b"), documents=None, documents_reason="none"
    )
    assert (found.checks, found.signals) == (plain.checks, plain.signals)
    dataaudit.filter(places["run"], out, workers=1)  # the audit inside is not in the way
    shutil.copytree(out / "audit", tmp_path / "elsewhere")
    again = dataaudit.compare(places["run"], tmp_path / "elsewhere")
    assert again.documents == found.documents


def test_an_audit_of_an_earlier_state_is_refused(places: Paths, tmp_path: Path) -> None:
    out = tmp_path / "out"
    dataaudit.filter(places["run"], out, workers=1)
    dataaudit.audit(out / "clean", out / "audit", workers=1)
    done = CliRunner().invoke(app, ["restore", str(out), "--rule", "special-characters", "-j", "1"])
    assert done.exit_code == 0, done.output
    with pytest.raises(dataaudit.DataAuditError, match="earlier state"):
        dataaudit.compare(places["run"], out)


def test_what_is_of_another_run_says_what_to_do(places: Paths, tmp_path: Path) -> None:
    dataaudit.audit(places["corpus"], tmp_path / "run", workers=1)
    with pytest.raises(dataaudit.DataAuditError, match=r"dataaudit audit .*clean -o .*audit judges it"):
        dataaudit.compare(tmp_path / "run", places["out"])
    (tmp_path / "filter.json").write_text("{}")
    with pytest.raises(dataaudit.DataAuditError, match=r"filter_plan\.json cannot be read"):
        dataaudit.compare(places["run"], tmp_path)


def test_the_command_says_what_was_not_judged(places: Paths) -> None:
    done = CliRunner().invoke(app, ["compare", str(places["run"]), str(places["out"])])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == "NOT JUDGED  checks were not compared"
    assert "removed by rule" in done.stdout
    assert isinstance(dataaudit.filter(places["run"], places["out"]), FilterResult)
