"""Faults planted in orders of a real run are all found, each where it is; clean orders have none."""

import random
from pathlib import Path

import numpy as np
import pytest
from conftest import sentence, write_jsonl

import dataaudit
from dataaudit import OrderResult
from dataaudit.result import Status

SIZES = {"books": 2400, "code": 1200, "news": 600, "web": 1800}
COUNT = sum(SIZES.values())
BATCH = {"batch_size": 16, "world_size": 2}
STEP = 32


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 6,000 short documents of four sources, one after the other."""
    rng = random.Random(5)
    root = tmp_path_factory.mktemp("orders")
    for source, size in SIZES.items():
        records = [
            {"id": f"{source}-{row}", "text": sentence(rng, rng.randint(3, 40)) + f" {source} {row}"}
            for row in range(size)
        ]
        write_jsonl(root / "in" / source / "all.jsonl", records)
    dataaudit.audit(root / "in", root / "run", workers=1)
    return root / "run"


def shuffled(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(COUNT)


def judged(run: Path, samples: np.ndarray, **options: object) -> OrderResult:
    """Judges an order that a file lists."""
    path = run.parent / "order.npy"
    np.save(path, samples)
    return dataaudit.check_order(run, order=f"file:{path}", **{**BATCH, **options})


def raised(result: OrderResult) -> set[str]:
    """Checks that warn or fail."""
    return {each.id for each in result.findings if each.status in (Status.WARN, Status.FAIL, Status.ERROR)}


def finding(result: OrderResult, name: str) -> dataaudit.Finding:
    return next(each for each in result.findings if each.id == name)


CLEAN = [
    *(f"torch:{seed}" for seed in range(3)),
    *(f"hf-trainer:{seed}" for seed in range(5)),
    *(f"distributed:{seed}" for seed in range(5)),
    *(f"datasets-shuffle:{seed}" for seed in range(4)),
    *(f"datasets-shuffle:{seed}+hf-trainer:{seed}" for seed in range(3)),
]


@pytest.mark.parametrize("order", CLEAN)
def test_a_clean_order_has_no_fault(run: Path, order: str) -> None:
    ranks = 1 if order.startswith("torch") else 2  # a RandomSampler knows no ranks
    epochs = 1 if order.startswith("datasets-shuffle") and "+" not in order else 3
    result = dataaudit.check_order(run, order=order, batch_size=16, world_size=ranks, epochs=epochs)
    assert raised(result) == set()
    assert all(each.status is Status.PASS for each in result.findings)
    assert result.verdict is Status.PASS


@pytest.mark.parametrize("seed", range(5))
def test_a_resume_that_replays_fails(run: Path, seed: int) -> None:
    samples = shuffled(seed)
    stop = STEP * (60 + 7 * seed)
    result = judged(run, np.concatenate([samples[:stop], samples[stop - STEP * 20 :]]))
    assert raised(result) == {"resume-replay", "early-repeats"}
    found = finding(result, "resume-replay")
    assert (found.status, found.value) == (Status.FAIL, STEP * 20)
    (replay,) = found.details["replays"]
    assert (replay["step"], replay["from_step"]) == (stop // STEP + 1, stop // STEP - 19)
    example = found.examples[0]
    source, row = str(example.id).split("-")
    assert f"{source}/all.jsonl" in example.file
    assert example.record == int(row) + 1
    assert example.doc_id & ((1 << 32) - 1) < COUNT
    assert example.reason == f"step {replay['step']:,}; before in step {replay['from_step']:,}"


@pytest.mark.parametrize("seed", range(5))
def test_workers_that_share_a_seed_are_found(run: Path, seed: int) -> None:
    samples = np.concatenate([np.tile(part, 2) for part in shuffled(seed)[: STEP * 90].reshape(-1, STEP // 2)])
    result = judged(run, samples)
    assert raised(result) == {"step-repeats"}
    found = finding(result, "step-repeats")
    assert found.value == 0.5
    assert "ranks that share a seed" in found.message
    assert found.examples[0].reason is not None
    assert found.examples[0].reason.startswith("step 1, rank 1, sample ")
    same = dataaudit.check_order(run, order=f"torch:{seed}", **BATCH)
    assert "step-repeats" in raised(same)


@pytest.mark.parametrize("seed", range(5))
def test_a_jump_of_the_mixture_is_found(run: Path, seed: int) -> None:
    """From step 101 on, three of four documents of news are left for later, and others come before them."""
    rng = np.random.default_rng(seed)
    samples = shuffled(seed)
    news = (samples >= 3600) & (samples < 4200)
    late = news & (np.arange(COUNT) >= 100 * STEP) & (rng.random(COUNT) < 0.75)
    result = judged(run, np.concatenate([samples[~late], samples[late]])[: COUNT - 600])
    assert "order-mixture" in raised(result)
    found = finding(result, "order-mixture")
    window = max(found.details["off"], key=lambda each: each["first_step"])
    assert window["source"] == "news"
    assert window["share"] < 0.6 * window["expected"]
    assert window["last_step"] > 100


@pytest.mark.parametrize("seed", range(5))
def test_a_mixture_off_its_plan_is_found(run: Path, tmp_path: Path, seed: int) -> None:
    config = tmp_path / "plan.yaml"
    config.write_text("extends: default\nmixture: {books: 25, code: 25, news: 25, web: 25}\n")
    found = finding(judged(run, shuffled(seed), config=str(config)), "order-mixture")
    assert found.status is Status.WARN
    assert "planned 25 %" in found.message


@pytest.mark.parametrize("seed", range(5))
def test_an_unshuffled_stretch_is_found(run: Path, seed: int) -> None:
    samples = shuffled(seed)
    start = STEP * (20 + 20 * seed)
    samples[start : start + 1000] = np.sort(samples[start : start + 1000])
    result = judged(run, samples)
    assert raised(result) >= {"unshuffled-stretches"}
    stretch = finding(result, "unshuffled-stretches").details["stretches"][0]
    assert stretch["first_step"] <= start // STEP + 16
    assert stretch["last_step"] >= start // STEP
    whole = judged(run, np.arange(COUNT))
    assert raised(whole) == {"order-shuffle", "unshuffled-stretches", "order-mixture"}


def test_lengths_that_come_in_order_are_found(run: Path) -> None:
    grouped = shuffled(1)
    by_length = np.argsort([int(number) for number in np.random.default_rng(0).permutation(COUNT)])
    assert "length-order" not in raised(judged(run, grouped[by_length]))
    import polars as pl

    lengths = pl.concat([pl.read_parquet(path) for path in sorted((run / "signals").iterdir())])["char_count"]
    buckets = grouped.reshape(-1, 200)
    sorted_within = np.concatenate([part[np.argsort(lengths.to_numpy()[part], kind="stable")] for part in buckets])
    found = judged(run, sorted_within)
    assert raised(found) == {"length-order"}
    assert (finding(found, "length-order").value or 0) > 0.5
