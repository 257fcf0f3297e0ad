"""``dataaudit order``, ``check_order``, and the same checks in ``audit`` and ``check``."""

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import prose, write_jsonl
from tests_support import contents

import dataaudit
from dataaudit.errors import ConfigError, ReadError, UsageError
from dataaudit.result import Status

HOSTILE = "</script>\x1b[31m\u202ered"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 120 documents, some of them copies, of sources with hostile names."""
    rng = random.Random(2)
    root = tmp_path_factory.mktemp("order")
    texts = [prose(rng, 2) for _ in range(100)]
    records = [
        {"id": f"{HOSTILE}{row}", "text": text, "source": HOSTILE if row % 3 else "other"}
        for row, text in enumerate([*texts, *texts[:20]])
    ]
    write_jsonl(root / "in.jsonl", records)
    dataaudit.audit(root / "in.jsonl", root / "run", workers=1)
    replayed = np.concatenate([np.arange(120)[::-1], np.arange(120)[::-1][:40]])
    np.save(root / "order.npy", np.concatenate([replayed[:80], replayed[40:]]))
    return root / "run"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dataaudit", *arguments], capture_output=True, text=True, check=False, encoding="utf-8"
    )


def test_a_replay_ends_with_1_and_is_shown_with_its_lines(run: Path) -> None:
    order = f"file:{run.parent}/order.npy"
    told = command("order", str(run), "--order", order, "--batch-size", "4")
    assert told.returncode == 1
    assert told.stdout.splitlines()[2].startswith("FAIL  resume-replay  From step 21 on, 40 samples in a row are what")
    assert "in.jsonl:80 (id" in told.stdout
    assert "\x1b" not in told.stdout
    assert "\u202e" not in told.stdout
    assert command("order", str(run), "--order", order, "--batch-size", "4", "--fail-on", "never").returncode == 0


def test_json_is_what_python_gives(run: Path) -> None:
    told = command("order", str(run), "--order", "torch:1", "--batch-size", "4", "--epochs", "2", "--format", "json")
    assert told.returncode == 0
    result = dataaudit.check_order(run, order="torch:1", batch_size=4, epochs=2)
    assert json.loads(told.stdout) == json.loads(result.to_json())
    assert (result.samples, result.steps, result.documents) == (120, 60, 120)
    assert {each.group for each in result.findings} == {"order"}
    assert result.counts == {**dict.fromkeys(map(str, Status), 0), **result.counts}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "torch:1"}, "no batch size"),
        ({"batch_size": 4}, "no order"),
        ({"order": "toch:1", "batch_size": 4}, "Did you mean 'torch'"),
        ({"order": "torch:1", "batch_size": 4, "packing": "concat", "seq_len": 8}, "without a tokenizer"),
        ({"order": "torch:1", "batch_size": 4, "documents": "some"}, "all, clean, records"),
        ({"order": "torch:1", "batch_size": 400, "drop_last": True}, "no step"),
    ],
)
def test_what_does_not_fit_is_said(run: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        dataaudit.check_order(run, **options)  # type: ignore[arg-type]


def test_files_that_are_no_orders_end_with_2(run: Path) -> None:
    bad = run.parent / "bad.npy"
    bad.write_bytes(b"not numbers")
    told = command("order", str(run), "--order", f"file:{bad}", "--batch-size", "4")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("error: ")
    assert "Traceback" not in told.stderr
    np.save(bad, np.array([3, 500]))
    with pytest.raises(ReadError, match="entry 1 is sample 500"):
        dataaudit.check_order(run, order=f"file:{bad}", batch_size=4)
    assert command("order", str(run.parent / "nowhere"), "--order", "torch:1", "--batch-size", "4").returncode == 2


def test_levels_are_the_configs(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        f"extends: default\norder: {{name: 'file:{run.parent}/order.npy', batch_size: 4}}\n"
        "checks: {resume-replay: {fail: {at_least: 41}}, early-repeats: {skip: true}}\n"
    )
    result = dataaudit.check_order(run, config=str(path))
    found = {each.id: each for each in result.findings}
    assert found["resume-replay"].status is Status.PASS
    assert found["resume-replay"].value == 40
    assert found["early-repeats"].status is Status.SKIP
    assert dataaudit.check_order(run, config=str(path), order="sequential").order == "sequential"


def test_audit_and_check_judge_the_order_that_the_config_names(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    order = f"file:{run.parent}/order.npy"
    path.write_text(f"extends: default\norder: {{name: '{order}', batch_size: 4}}\n")
    source = run.parent / "in.jsonl"
    plain = dataaudit.audit(source, tmp_path / "a", workers=1)
    assert not {each.id for each in plain.findings if each.group == "order"}
    audited = dataaudit.audit(source, tmp_path / "b", config=str(path), workers=2)
    of_order = [each for each in audited.findings if each.group == "order"]
    assert of_order == dataaudit.check_order(run, order=order, batch_size=4).findings
    assert audited.verdict is Status.FAIL
    checked = dataaudit.check(tmp_path / "a", config=str(path), workers=1)
    assert [each for each in checked.findings if each.group == "order"] == of_order
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert HOSTILE.encode() not in (tmp_path / "b" / "report.html").read_bytes()
    shown = command("show", str(tmp_path / "b"), "--check", "resume-replay", "-n", "1")
    assert shown.returncode == 0


def test_an_order_that_cannot_be_is_refused_before_the_corpus_is_read(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    cases = {
        "name: 'tore:1', batch_size: 4": "order.name: no order 'tore'",
        "name: 'file:no/where/order.npy', batch_size: 4": "the folder of 'no/where/order.npy' is not there",
        "name: 'torch:1'": "no batch_size",
        "name: 'torch:1', batch_size: 0": "order.batch_size is 0",
        "name: 'torch:1', batch_size: 4, window_samples: 10": "from 1000 to 1000000",
        "nam: 'torch:1'": "unknown key 'nam' in order",
    }
    for section, message in cases.items():
        path.write_text(f"extends: default\norder: {{{section}}}\n")
        with pytest.raises(ConfigError, match=message):
            dataaudit.audit(run.parent / "in.jsonl", tmp_path / "never", config=str(path), workers=1)
    assert not (tmp_path / "never" / "signals").exists()


def test_an_order_is_judged_over_what_a_filter_keeps(run: Path, tmp_path: Path) -> None:
    dataaudit.filter(run, tmp_path / "out", workers=1)
    result = dataaudit.check_order(tmp_path / "out", order="sequential", batch_size=4)
    assert (result.which_documents, result.documents) == ("clean", 100)  # the copies are taken out
    everything = dataaudit.check_order(tmp_path / "out", order="sequential", batch_size=4, documents="all")
    assert everything.documents == 120


def test_copies_in_one_step_are_found(run: Path) -> None:
    result = dataaudit.check_order(run, order="sequential", batch_size=120)
    found = next(each for each in result.findings if each.id == "step-copies")
    assert found.status is Status.WARN
    assert found.details["found"] == 20
    assert found.value == 20 / 120
    assert [example.record for example in found.examples[:2]] == [101, 1]
    assert found.examples[0].reason == "step 1, rank 0"
