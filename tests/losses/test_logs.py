"""Logs of training runs in every format, as their own writers write them, and damaged ones."""

import base64
import json
import math
import random
import zlib

import numpy as np
import pytest

from dataaudit.errors import ReadError, UsageError
from dataaudit.losses import read_log

EVENTS = zlib.decompress(
    base64.b64decode(
        "eNrzYICAf5M85nJOcd241f/wLUcp3qSixMw8Pdey1LwSK6MgPS6dktS84vyipPzEohS94tLc3MSiSr3yosyS1CK9VJCq+LTMnNR4iMj2EC5RBai5"
        "mm9XBnBCmB/sBRi1hLkEubhKQKbr5+QXF4sy/Oh38PS7+d8Sqr6b3fwjsnodLi0ufoj69KLElPi8/KJcJy4ORiEGLRYGhgY7L24uTi724uTEnMSi"
        "4mUvDqpit5gJ0+IP/Q7tx168xG4xEwGLGexRLD7fd0BQEWoQY/WbbwiD1mCxeUGbw9/XUvFWUA1CU189QtGA3+ppTihWr7BZG+cANUlD/MtUhElr"
        "mbSMuGSQrXbi42ASYlDigCiRc+AS4mIvyEwuKS1KVWLnYBRgVGKs+B5q+0gfal5urCxSGK5j0lLkkufizMgsLskHOizXSQjoJhYhJg4mLaCRDfZA"
        "ZQ5K4WIMAHqJkzM="
    )
)
"""What TensorBoard's own EventFileWriter wrote: losses at steps 1, 2, 300 (float) and 301 (a tensor of one double),
gradient norms (new-style scalars) at the first three, a picture, and a tensor of two numbers."""


def series_of(*paths):
    """Every series as a dict of step and value, and the notes."""
    log = read_log(list(paths))
    return {each.name: dict(zip(each.steps.tolist(), each.values.tolist(), strict=True)) for each in log.series}, (
        log.notes
    )


def test_event_files_of_tensorboard(tmp_path):
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "events.out.tfevents.1.host"
    path.write_bytes(EVENTS)
    expected = {
        "loss": {1: 4.5 - 1 / 1024, 2: 4.5 - 2 / 1024, 300: 4.5 - 300 / 1024, 301: 7.5},
        "grad_norm": {1: 0.25, 2: 0.5, 300: 75.0},
    }
    assert series_of(path) == (expected, [])
    assert series_of(tmp_path) == (expected, [])
    renamed = path.rename(tmp_path / "runs" / "log")
    assert series_of(renamed) == (expected, [])


def test_an_event_file_that_is_still_written(tmp_path):
    path = tmp_path / "a.tfevents"
    for cut in range(200, len(EVENTS)):
        path.write_bytes(EVENTS[:cut])
        found, notes = series_of(path)
        assert found["loss"][1] == 4.5 - 1 / 1024
        assert len(notes) <= 1
    assert found["loss"][301] == 7.5


def test_damaged_event_files_are_refused_or_read_in_part(tmp_path):
    path = tmp_path / "a.tfevents"
    rng = random.Random(3)
    for _ in range(300):
        damaged = bytearray(EVENTS)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            read_log([path])
        except ReadError as error:
            assert str(path) in str(error)
    path.write_bytes(EVENTS[:40] + b"\0" * 12 + EVENTS[40:])
    with pytest.raises(ReadError, match="checksum is wrong"):
        read_log([path])


STATE = {
    "global_step": 4,
    "log_history": [
        {"loss": 3.5, "grad_norm": 1.25, "epoch": 0.1, "step": 1},
        {"loss": math.nan, "grad_norm": math.inf, "step": 2},
        {"eval_loss": 9.0, "step": 2},
        {"loss": 3.25, "step": 4},
        {"train_loss": 3.3, "train_runtime": 1.5, "step": 4},
    ],
}


def test_the_state_of_a_trainer(tmp_path):
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps(STATE))
    found, notes = series_of(path)
    assert {step: value for step, value in found["loss"].items() if step != 2} == {1: 3.5, 4: 3.25}
    assert math.isnan(found["loss"][2])
    assert found["grad_norm"] == {1: 1.25, 2: math.inf}
    assert notes == []


def test_the_state_that_a_real_trainer_saves(tmp_path):
    from real_libraries import real_library

    transformers = real_library("transformers")
    state = transformers.TrainerState(log_history=STATE["log_history"])
    state.save_to_json(str(tmp_path / "trainer_state.json"))
    found, _ = series_of(tmp_path / "trainer_state.json")
    assert found["loss"][4] == 3.25
    assert math.isnan(found["loss"][2])


def test_json_lines_with_lines_that_are_none(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1, "loss": 2.5}\nstarting\n\n[1]\n{"step": 2, "loss": NaN}\n{"step": 3, "loss": "x"}\n')
    found, notes = series_of(path)
    assert list(found["loss"]) == [1, 2]
    assert notes == [f"{path}: lines that are no JSON objects were left out: 2; the first is line 2."]


def test_a_table_of_weights_and_biases(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text('"Step","run-7 - train/loss","run-7 - train/loss__MIN"\n"1","2.5","2"\n"3","NaN","2"\n"4","",""\n')
    found, _ = series_of(path)
    assert list(found["loss"]) == [1, 3]
    assert math.isnan(found["loss"][3])
    (tmp_path / "a.tsv").write_text("iteration\tlm loss\tgrad-norm\n10\t2.5\t0.5\n")
    assert series_of(tmp_path / "a.tsv")[0] == {"loss": {10: 2.5}, "grad_norm": {10: 0.5}}


def test_steps_that_a_resume_logged_again(tmp_path):
    for name, rows in (("1.jsonl", [(1, 3.0), (2, 2.0), (3, 9.0)]), ("2.jsonl", [(3, 1.5), (4, 1.0)])):
        (tmp_path / name).write_text("".join(json.dumps({"step": step, "loss": loss}) + "\n" for step, loss in rows))
    found, notes = series_of(tmp_path / "1.jsonl", tmp_path / "2.jsonl")
    assert found["loss"] == {1: 3.0, 2: 2.0, 3: 1.5, 4: 1.0}
    assert notes == ["steps that were logged more than once, as after a resume: 1; the last value counts."]


def test_the_loss_of_training_goes_before_that_of_evaluation(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1, "optim/loss": 1.5, "eval/loss": 9}\n')
    assert series_of(path)[0]["loss"] == {1: 1.5}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", "{", "no JSON that can be read"),
        ("a.json", "[" * 100_000, "no JSON that can be read"),
        ("a.json", '{"x": 1}', "expected log_history"),
        ("a.json", "[]", "no loss and no gradient norm.*no numbers"),
        ("a.jsonl", '{"step": 1, "los": 2}\n', "no loss and no gradient norm.*It has: los, step"),
        ("a.jsonl", '{"loss": 2}\n', "no loss"),
        ("a.jsonl", '{"step": NaN, "loss": 2}\n{"step": 1e300, "loss": 2}\n{"step": -1, "loss": 1}\n', "no loss"),
        ("a.jsonl", "[" * 100_000, "no loss"),
        ("a.csv", "loss\n2\n", "no column of steps.*It has: loss"),
        ("a.csv", "", "cannot be read as a table"),
        ("a.csv", "step,loss\ninf,1\nx,2\n", "no loss"),
        ("a.tfevents", "nothing of the kind", "checksum is wrong"),
    ],
)
def test_a_file_that_is_no_log(tmp_path, name, content, says):
    (tmp_path / name).write_text(content)
    with pytest.raises(ReadError, match=says):
        read_log([tmp_path / name])


def test_numbers_beyond_all_bounds_are_infinite(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"step": 1, "loss": 1' + "0" * 400 + '}\n{"step": 2, "loss": 1e999}\n{"step": 3, "loss": true}\n')
    assert series_of(path)[0]["loss"] == {1: np.inf, 2: np.inf}


def test_places_without_a_log(tmp_path):
    with pytest.raises(ReadError, match="cannot be opened"):
        read_log([tmp_path / "none.jsonl"])
    with pytest.raises(ReadError, match="no TensorBoard event files"):
        read_log([tmp_path])
    (tmp_path / "a.txt").write_text("loss 3")
    with pytest.raises(UsageError, match=r"expected trainer_state\.json"):
        read_log([tmp_path / "a.txt"])
