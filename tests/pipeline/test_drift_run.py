"""Drift from corpus to report: a shard that differs is named, and one that does not is left alone."""

import json
import math
import random
import shutil
import statistics
from pathlib import Path

import polars as pl
import pytest
from conftest import ENGLISH, write_jsonl
from tests_support import contents

import dataaudit
from dataaudit.errors import ConfigError, UsageError
from dataaudit.result import AuditResult, DriftPart

GERMAN = "und die der das Haus Fluss warum Bäume Wind niemand weiß springt alte Sonne".split()
SETTINGS = (
    "extends: default\nread: {shard_bytes: 32768}\ndrift: {window_documents: 20, min_tokens: 500, min_documents: 20}\n"
)


def text(rng: random.Random, words: list[str]) -> str:
    return " ".join(rng.choices(words, range(len(words), 0, -1), k=40))


def make_corpus(root: Path, *, odd: int | None, files: int = 6, seed: int = 5) -> Path:
    """Files of one source; in one of them, every third document is German."""
    rng = random.Random(seed)
    for number in range(files):
        records = [
            {"id": f"{number}-{row}", "text": text(rng, GERMAN if number == odd and row % 3 == 0 else ENGLISH)}
            for row in range(60)
        ]
        write_jsonl(root / "web" / f"{number}.jsonl", records)
    return root


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("config") / "drift.yaml"
    path.write_text(SETTINGS)
    return str(path)


@pytest.fixture(scope="module")
def clean(config: str, tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("clean")
    dataaudit.audit(
        make_corpus(root / "in", odd=None), root / "run", config=config, tokenizer=tokenizer_file, workers=1
    )
    return root / "run"


@pytest.fixture(scope="module")
def drifted(config: str, tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("drifted")
    dataaudit.audit(make_corpus(root / "in", odd=4), root / "run", config=config, tokenizer=tokenizer_file, workers=1)
    return root / "run"


def finding(result: AuditResult, name: str) -> dataaudit.result.Finding:
    return next(each for each in result.findings if each.id == name)


def parts(run: Path) -> dict[str, DriftPart]:
    drift = dataaudit.load_result(run).drift
    assert drift is not None
    return {part.name: part for part in drift.shards}


def test_no_shard_of_one_corpus_is_accused(clean: Path) -> None:
    assert finding(dataaudit.load_result(clean), "shard-drift").status == "pass"
    shards = parts(clean)
    assert len(shards) == 6
    assert all(abs(part.kl_excess or 1) < 0.02 for part in shards.values())
    assert all((part.kl or 0) > 0 for part in shards.values())


def test_a_shard_with_another_language_is_named_with_its_tokens(drifted: Path) -> None:
    found = finding(dataaudit.load_result(drifted), "shard-drift")
    assert found.status == "fail"
    assert found.worst_shards[0].name == "web/4.jsonl"
    assert found.message.startswith("web/4.jsonl")
    odd = parts(drifted)["web/4.jsonl"]
    assert odd.kl_excess == max(part.kl_excess or 0 for part in parts(drifted).values())
    assert len(odd.drivers) == 20
    assert all(driver.text and 0 < driver.count <= driver.corpus_count for driver in odd.drivers)
    assert [driver.contribution for driver in odd.drivers] == sorted(
        (driver.contribution for driver in odd.drivers), reverse=True
    )


def test_one_giant_document_is_no_drift_of_its_shard(config: str, tokenizer_file: Path, tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "in", odd=None)
    giant = {"id": "giant", "text": " ".join("river stone and the" for _ in range(300))}
    with (corpus / "web" / "3.jsonl").open("a") as file:
        file.write(json.dumps(giant) + "\n")
    result = dataaudit.audit(corpus, tmp_path / "run", config=config, tokenizer=tokenizer_file, workers=1)
    shard = parts(tmp_path / "run")["web/3.jsonl"]
    assert (shard.kl_excess or 0) > 0.1, "it does differ, and is shown"
    assert not shard.is_judged
    assert 0.2 < (shard.longest_document_share or 0) < 1
    assert (shard.effective_documents or 0) == pytest.approx((shard.longest_document_share or 1) ** -2, rel=0.1)
    found = finding(result, "shard-drift")
    assert found.status == "pass"
    assert "1 shard is not judged, because a few documents hold most of it: in web/3.jsonl" in found.message
    lax = tmp_path / "lax.yaml"
    lax.write_text(Path(config).read_text().replace("drift: {", "drift: {min_effective_documents: 1, "))
    assert finding(dataaudit.check(tmp_path / "run", config=str(lax)), "shard-drift").status == "fail"


def test_a_shard_that_stands_out_has_a_large_robust_z(config: str, tmp_path: Path) -> None:
    result = dataaudit.audit(make_corpus(tmp_path / "in", odd=2, files=9), tmp_path / "run", config=config, workers=1)
    assert result.drift is not None
    assert {part.name for part in result.drift.shards if (part.outlier_z or 0) >= 5} == {"web/2.jsonl"}
    ratios = {part.name: part.rest_ratio or math.nan for part in result.drift.shards}
    apart = {name: ratio - statistics.median(ratios.values()) for name, ratio in ratios.items()}
    scale = statistics.median(map(abs, apart.values())) / statistics.NormalDist().inv_cdf(0.75)
    assert {part.name: part.outlier_z for part in result.drift.shards} == pytest.approx(
        {name: value / scale for name, value in apart.items()}, rel=1e-4
    )
    for part in result.drift.shards:
        width = result.drift.overdispersion * (part.null_deviation or math.nan)
        assert part.kl_excess_z == pytest.approx((part.kl_excess or math.nan) / width, rel=1e-6)
    assert "1 shard stands out from the others (robust z of 5 or more)." in finding(result, "shard-drift").message


def test_it_is_found_without_a_tokenizer_too(config: str, tmp_path: Path) -> None:
    result = dataaudit.audit(make_corpus(tmp_path / "in", odd=2), tmp_path / "run", config=config, workers=1)
    assert result.drift is not None
    assert (result.drift.unit, result.drift.vocabulary) == ("words", 1 << 16)
    assert finding(result, "shard-drift").worst_shards[0].name == "web/2.jsonl"
    assert {driver.text for driver in result.drift.shards[0].drivers} >= {"und", "die", "der"}


def test_documents_of_a_drifted_shard_can_be_taken_out(drifted: Path, config: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        f"extends: {config}\nrules:\n  - {{id: drifted-shard, signal: shard_kl_excess, max: 0.3, source: ours}}\n"
    )
    own = tmp_path / "run"
    shutil.copytree(drifted, own)
    result = dataaudit.check(own, config=str(rules))
    (outcome,) = [each for each in result.rules if each.id == "drifted-shard"]
    assert (outcome.status, outcome.documents, outcome.undefined) == ("judged", 60, 0)
    assert outcome.family == "drift"
    filtered = dataaudit.filter(own, tmp_path / "out", workers=1)
    (removal,) = [each for each in filtered.funnel.rules if each.id == "drifted-shard"]
    assert removal.removed.documents == 60
    taken = [json.loads(line) for line in (tmp_path / "out/quarantine/web/4.jsonl").read_text().splitlines()]
    assert {each["id"] for each in taken} == {f"4-{row}" for row in range(60)}
    reason = next(each for each in taken[0]["dataaudit_reasons"] if each["rule"] == "drifted-shard")
    assert reason["value"] == parts(own)["web/4.jsonl"].kl_excess
    records = [json.loads(line) for number in (1, 4) for line in _lines(drifted.parent / "in" / "web", number)]
    rules.write_text("rules:\n  - {id: drifted-shard, signal: shard_kl_excess, max: 0.3, source: ours}\n")
    keeps = dataaudit.Filter.load(str(rules), run=str(own)).keep(
        {name: [each[name] for each in records] for name in ("id", "text")}
    )
    assert keeps == [True] * 60 + [False] * 60


def test_shards_that_are_not_judged_fail_no_rule_of_drift(clean: Path, config: str, tmp_path: Path) -> None:
    shutil.copytree(clean, tmp_path / "run")
    rules = tmp_path / "rules.yaml"
    text = Path(config).read_text().replace("min_documents: 20", "min_documents: 100")
    rules.write_text(
        f"{text}rules:\n  - {{id: drifted-shard, signal: shard_kl_excess, max: -1, source: ours}}\n"
        "  - {id: drifted-window, signal: window_kl_excess, max: -1, source: ours}\n"
    )
    result = dataaudit.check(tmp_path / "run", config=str(rules))
    found = {each.id: each.documents for each in result.rules}
    assert found["drifted-shard"] == 0
    assert found["drifted-window"] == 360, "windows need no number of documents"
    windows = pl.read_parquet(tmp_path / "run" / "drift" / "windows.parquet")
    rows = pl.concat([pl.read_parquet(path) for path in sorted((tmp_path / "run" / "signals_drift").glob("*"))])
    expected = [value for value, times in windows.select("kl_excess", "documents").iter_rows() for _ in range(times)]
    assert rows["window_kl_excess"].to_list() == expected
    assert rows["shard_kl_excess"].null_count() == 360


def _lines(folder: Path, number: int) -> list[str]:
    return (folder / f"{number}.jsonl").read_text().splitlines()


def test_windows_hold_every_document_once_and_in_order(drifted: Path) -> None:
    windows = pl.read_parquet(drifted / "drift" / "windows.parquet")
    assert windows["documents"].sum() == 360
    assert set(windows["documents"].to_list()[:-1]) <= {20, 21}
    assert windows["first_document"].to_list() == [0, *windows["documents"].cum_sum().to_list()[:-1]]
    drift = dataaudit.load_result(drifted).drift
    assert drift is not None
    assert (
        windows["tokens"].sum() == drift.tokens == pl.read_parquet(drifted / "drift" / "shards.parquet")["tokens"].sum()
    )


def test_a_change_along_the_corpus_is_found_where_it_is(config: str, tmp_path: Path) -> None:
    rng = random.Random(3)
    records = [{"id": str(row), "text": text(rng, ENGLISH if row < 400 else GERMAN + ENGLISH)} for row in range(700)]
    write_jsonl(tmp_path / "in" / "all.jsonl", records)
    result = dataaudit.audit(tmp_path / "in", tmp_path / "run", config=config, workers=1)
    assert result.drift is not None
    (change,) = [change for change in result.drift.change_points if change.measure == "entropy"]
    assert 380 <= change.document <= 421
    assert change.after > change.before + 0.1
    first = result.drift.change_points[0].document
    assert 380 <= first <= change.document
    assert finding(result, "change-points").message.startswith(f"From document {first} on, ")


def test_a_reference_is_compared_with(clean: Path, drifted: Path) -> None:
    result = dataaudit.check(drifted, reference=clean)
    assert result.drift is not None
    assert result.drift.reference == str(clean)
    assert 0.01 < (result.drift.reference_excess or 0) < 1
    assert finding(result, "reference-drift").value == result.drift.reference_excess
    same = dataaudit.check(clean, reference=clean)
    assert same.drift is not None
    assert (same.drift.reference_excess or 1) < 0.01
    assert dataaudit.check(drifted, config=None).to_json() == result.to_json(), "the reference is kept with the run"


def test_a_reference_must_be_counted_alike(clean: Path, config: str, tmp_path: Path) -> None:
    make_corpus(tmp_path / "in", odd=None, files=1)
    with pytest.raises(UsageError, match="same tokenizer"):
        dataaudit.audit(tmp_path / "in", tmp_path / "run", config=config, reference=clean, workers=1)
    with pytest.raises(UsageError, match="not a run"):
        dataaudit.audit(tmp_path / "in", tmp_path / "run", config=config, reference=tmp_path, workers=1)


def test_a_planned_mixture_is_judged_in_tokens(tmp_path: Path) -> None:
    rng = random.Random(1)
    for source, count in (("web", 80), ("code", 20)):
        write_jsonl(
            tmp_path / "in" / f"{source}.jsonl",
            [{"id": str(row), "text": text(rng, ENGLISH), "source": source} for row in range(count)],
        )
    path = tmp_path / "plan.yaml"
    path.write_text("extends: default\nmixture: {web: 7, code: 3}\n")
    result = dataaudit.audit(tmp_path / "in", tmp_path / "run", config=str(path), workers=1)
    found = finding(result, "source-mixture")
    assert found.status == "warn"
    assert found.value == pytest.approx(0.1, abs=0.01)
    assert result.drift is not None
    by_name = {each.name: each for each in result.drift.mixture}
    assert by_name["code"].epochs == pytest.approx(1.5, abs=0.05)
    path.write_text("extends: default\nmixture: {web: 0}\n")
    with pytest.raises(ConfigError, match="every share of the mixture is 0"):
        dataaudit.audit(tmp_path / "in", tmp_path / "run", config=str(path))


MIXED = "extends: default\ndrift: {window_documents: 40, min_tokens: 500, min_documents: 20}\n"


def mixed(path: Path, shares: list[float], *, each: int = 80) -> None:
    """One file of two sources, in which the share of code changes every *each* documents."""
    rng = random.Random(6)
    write_jsonl(
        path,
        [
            {"id": f"{at}-{row}", "text": text(rng, ENGLISH), "source": "code" if rng.random() < share else "web"}
            for at, share in enumerate(shares)
            for row in range(each)
        ],
    )


def test_the_mixture_of_windows_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "mixed.yaml"
    path.write_text(MIXED)
    mixed(tmp_path / "in.jsonl", [0.2] * 5 + [0.9] * 2)
    result = dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run", config=str(path), workers=1)
    found = finding(result, "source-mixture")
    assert found.status == "warn"
    assert found.message.startswith("From document 400 on, web has down to ")
    assert result.drift is not None
    last = [part for part in result.drift.windows if (part.first_document or 0) >= 400]
    assert found.value == max(part.mixture_distance or 0 for part in last)
    assert [each for each in found.details["windows"] if each["first_document"] == 400 and each["documents"] == 160]
    path.write_text(MIXED + "mixture: {web: 6, code: 4}\n")
    planned = finding(dataaudit.check(tmp_path / "run", config=str(path)), "source-mixture")
    assert planned.value == pytest.approx(0.5, abs=0.1)
    assert planned.message.startswith("From document 400 on, web has down to ")
    assert "instead of 60 %" in planned.message


def test_windows_of_one_mixture_are_left_alone(tmp_path: Path) -> None:
    """Chance alone moves a share by more than 0.02 in a window of 40 documents."""
    path = tmp_path / "mixed.yaml"
    path.write_text(MIXED)
    mixed(tmp_path / "in.jsonl", [0.3] * 10)
    result = dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run", config=str(path), workers=1)
    assert result.drift is not None
    assert max(part.mixture_distance or 0 for part in result.drift.windows) > 0.02
    found = finding(result, "source-mixture")
    assert (found.status, found.value) == ("pass", 0)


def test_two_sequences_of_two_ids_give_the_textbook_values(tmp_path: Path) -> None:
    """torchmetrics issue 1029: zero probabilities, and nothing may be NaN."""
    for name, ids in (("a", [0, 1] * 8), ("b", [0] * 16)):
        write_jsonl(tmp_path / "in" / f"{name}.jsonl", [{"id": name, "input_ids": ids}])
    result = dataaudit.audit(tmp_path / "in", tmp_path / "run", workers=1)
    assert result.drift is not None
    a, b = (next(each for each in result.drift.shards if each.name == f"{name}.jsonl") for name in "ab")
    assert (a.kl_pooled, b.kl_pooled) == pytest.approx((0.143841, 0.287682), abs=1e-6)
    assert b.kl == pytest.approx(math.log(2), abs=1e-6)
    assert a.kl is not None
    assert a.kl > 0
    assert a.jensen_shannon == b.jensen_shannon == pytest.approx(0.215762, abs=1e-6)
    assert not (a.is_judged or b.is_judged)


@pytest.mark.parametrize("ids", [[[5]], [[5], []], [[-3, 10**9]]])
def test_the_smallest_corpora_are_defined(ids: list[list[int]], tmp_path: Path) -> None:
    write_jsonl(tmp_path / "in.jsonl", [{"id": str(row), "input_ids": each} for row, each in enumerate(ids)])
    result = dataaudit.audit(tmp_path / "in.jsonl", tmp_path / "run", workers=1)

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in report.json")

    json.loads(result.to_json(), parse_constant=refuse)
    assert result.drift is not None
    assert result.drift.shards[0].kl_excess is None, "a single shard has no others"
    assert finding(result, "shard-drift").status == "skip"


def test_sources_in_shards_of_their_own_are_compared_among_themselves(
    config: str, tokenizer_file: Path, tmp_path: Path
) -> None:
    rng = random.Random(2)
    for number in range(6):
        words = GERMAN if number % 2 else ENGLISH
        records = [{"id": f"{number}-{row}", "text": text(rng, words)} for row in range(60)]
        write_jsonl(tmp_path / "in" / ("de" if number % 2 else "en") / f"{number}.jsonl", records)
    result = dataaudit.audit(tmp_path / "in", tmp_path / "run", config=config, tokenizer=tokenizer_file, workers=1)
    assert result.drift is not None
    assert all((part.kl_excess or 0) > 0.2 for part in result.drift.shards)
    assert all(abs(part.kl_excess_source or 1) < 0.02 for part in result.drift.shards)
    assert finding(result, "shard-drift").status == "pass"
    assert "by design" in finding(result, "source-mixture").message


def test_workers_do_not_change_the_tables(config: str, tokenizer_file: Path, tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "in", odd=1)
    for workers in (1, 2):
        dataaudit.audit(corpus, tmp_path / str(workers), config=config, tokenizer=tokenizer_file, workers=workers)
    one, two = contents(tmp_path / "1"), contents(tmp_path / "2")
    assert {"drift/shards.parquet", "drift/windows.parquet"} <= one.keys()
    assert one == two
