"""Spikes of a log traced to batches, and what stands out before them, beside exact counts."""

import itertools
import json
import random
import re

import numpy as np
import pytest
from conftest import prose, write_jsonl
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app
from dataaudit.errors import ReadError, UsageError
from dataaudit.losses import Log, Series
from dataaudit.pipeline.batch_risk import BatchRisks, Measure
from dataaudit.pipeline.loss_trace import trace_losses

STEPS = 240
BATCH = 4


@pytest.fixture(scope="module")
def planted():
    """Documents full of symbols."""
    return random.Random(2).sample(range(STEPS * BATCH), 8)


@pytest.fixture(scope="module")
def run(planted, tmp_path_factory, tokenizer_file):
    """A run of one epoch of 240 steps."""
    root = tmp_path_factory.mktemp("losses")
    rng = random.Random(4)
    texts = [prose(rng, 2) for _ in range(STEPS * BATCH)]
    for number, at in enumerate(planted):
        texts[at] = "#$%&*+/=@^~|"[number:] * 20 + texts[at]
    write_jsonl(root / "a.jsonl", [{"text": text} for text in texts])
    dataaudit.audit(root / "a.jsonl", root / "run", tokenizer=tokenizer_file, workers=1)
    return root / "run"


def steps_of(run, doc_ids):
    """The steps in which documents are read."""
    from dataaudit.order import Setup, parse_order

    order = parse_order("hf-trainer:1", Setup(STEPS * BATCH, BATCH))
    return sorted(step for step in range(1, STEPS + 1) if set(order.batch(step).samples.tolist()) & set(doc_ids))


def log_with(path, spikes, every=1):
    """A log of a calm loss that is high for one value at some steps."""
    rng = np.random.default_rng(1)
    steps = range(every, STEPS + 1, every)
    loss = [3 + rng.normal(0, 0.02) + 2 * (step in spikes) for step in steps]
    return write_jsonl(path, [{"step": step, "loss": value} for step, value in zip(steps, loss, strict=True)])


def traced(run, log, **more):
    return dataaudit.trace(run, order="hf-trainer:1", batch_size=BATCH, loss=log, **more)


def test_spikes_at_planted_documents(run, planted, tmp_path):
    steps = [step for step in steps_of(run, planted) if step > 20]
    answer = traced(run, log_with(tmp_path / "log.jsonl", steps))
    assert answer.trace is None
    assert [spike.step for spike in answer.losses.spikes] == steps
    assert {spike.recovery for spike in answer.losses.spikes} == {"fast"}
    for spike in answer.losses.spikes:
        first = spike.before[0]
        assert spike.step - 4 <= first.step <= spike.step
        assert first.worst[0] in planted
        assert "special characters" in {reason.family for reason in first.reasons if reason.share <= 0.05}
    standing = [each for each in answer.losses.associations if each.p <= 0.05]
    assert "special_char_ratio max" in {each.measure for each in standing}
    assert "source_distance" not in {each.measure for each in answer.losses.associations}
    for each in standing:
        assert each.before_spikes > each.baseline


@pytest.mark.parametrize("seed", range(5))
def test_nothing_stands_out_before_spikes_at_random_steps(run, tmp_path, seed):
    steps = sorted(random.Random(seed).sample(range(21, STEPS, 6), 8))
    answer = traced(run, log_with(tmp_path / "log.jsonl", steps))
    assert len(answer.losses.spikes) == 8
    assert answer.losses.draws
    assert [each for each in answer.losses.associations if each.p <= 0.05] == []


def risks_of(shares, first=1):
    """Batches of one made-up measure a column."""
    steps = np.arange(len(shares)) + first
    measures = [Measure(f"m{at}", "family") for at in range(shares.shape[1])]
    return BatchRisks(steps, measures, shares, shares.astype(np.float32), np.zeros(len(shares)))


def test_p_is_that_of_all_ways_to_choose_steps():
    rng = np.random.default_rng(5)
    size, at = 32, [17, 23, 29]
    shares = rng.uniform(0.01, 1, (size, 4))
    shares[np.array(at) - 1, 0] = 0.001
    values = np.full(size, 3.0) + rng.normal(0, 0.01, size)
    values[np.array(at) - 1] += 1
    log = Log([Series("loss", np.arange(1, size + 1), values)], ["log"], [])
    found = trace_losses(log, risks_of(shares), lambda step, lookback: [])
    assert [spike.step for spike in found.spikes] == at
    windowed = np.array([(1 - shares)[max(0, row - 4) : row + 1].max(axis=0) for row in range(size)])
    exact = []
    for column in range(4):
        mine = windowed[np.array(at) - 1, column].mean()
        ways = [windowed[list(rows), column].mean() for rows in itertools.combinations(range(size), 3)]
        exact.append((np.mean(np.array(ways) >= mine - 1e-6), np.mean(ways), mine, f"m{column}"))
    exact.sort()
    least = 0.0
    for place, (p, baseline, mine, name) in enumerate(exact):
        least = max(least, min(1.0, p * (4 - place)))  # Holm
        answer = found.associations[place]
        assert answer.measure == name
        assert answer.before_spikes == pytest.approx(mine, abs=1e-5)
        assert answer.baseline == pytest.approx(baseline, abs=0.01)
        assert answer.p == pytest.approx(least, abs=0.02)


def test_a_log_of_every_tenth_step_looks_at_all_ten(run, planted, tmp_path):
    read = [step for step in steps_of(run, planted) if step > 170]
    logged = sorted({-(-step // 10) * 10 for step in read})
    answer = traced(run, log_with(tmp_path / "log.jsonl", logged, every=10))
    assert answer.losses.window == 10
    assert [(spike.first_step, spike.step) for spike in answer.losses.spikes] == [(at - 9, at) for at in logged]
    assert all(spike.before[0].worst[0] in planted for spike in answer.losses.spikes)
    assert any("Not every step was logged" in note for note in answer.losses.notes)


def test_a_log_of_more_epochs_than_one(run, tmp_path):
    rows = [{"step": step, "loss": 3 + (step == STEPS + 30) + step % 7 / 100} for step in range(1, 2 * STEPS)]
    log = write_jsonl(tmp_path / "log.jsonl", rows)
    answer = traced(run, log)
    [spike] = answer.losses.spikes
    assert (answer.steps, spike.before[0].epoch, spike.order_has_it) == (2 * STEPS, 1, True)
    assert (answer.losses.draws, answer.losses.associations) == (0, [])
    short = traced(run, log, epochs=1)
    assert not short.losses.spikes[0].order_has_it
    assert short.losses.notes == ["spikes at steps that the order does not have: 1. Check --epochs and --order."]


def test_a_step_and_a_log_on_the_terminal(run, planted, tmp_path):
    steps = [step for step in steps_of(run, planted) if step > 20]
    log = log_with(tmp_path / "log.jsonl", steps)
    command = ["trace", str(run), "--order", "hf-trainer:1", "--batch-size", "4", "--loss", str(log)]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0
    assert f"{len(steps)} spikes in {STEPS} values of loss" in done.output
    assert re.search(rf"step {steps[0]}  loss [45]\.\d+, 3.* before; recovers fast", done.output)
    assert "recovers fast after 1 value\n" in done.output
    assert "special_char_ratio max" in done.output
    both = CliRunner().invoke(app, [*command, "--step", "7", "--format", "json"], catch_exceptions=False)
    answer = json.loads(both.stdout)
    assert answer["trace"]["step"] == 7
    assert len(answer["losses"]["spikes"]) == len(steps)


def test_logs_that_cannot_be_traced(run, tmp_path):
    with pytest.raises(ReadError, match="cannot be opened"):
        traced(run, tmp_path / "none.jsonl")
    far = write_jsonl(tmp_path / "far.jsonl", [{"step": 1_000_000, "loss": 1.0}])
    with pytest.raises(UsageError, match=r"step 1,000,000 would be in epoch 4,167"):
        traced(run, far)
    with pytest.raises(UsageError, match=r"--loss FILE"):
        traced(run, [])
