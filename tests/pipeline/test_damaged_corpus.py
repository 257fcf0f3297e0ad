"""A corpus with a damaged file of every format goes through audit and filter, and every record is accounted for."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus.fuzzing import SEEDS, Change, damaged, seed

RUNS = int(os.environ.get("DATAAUDIT_FUZZ_EXAMPLES", "0")) // 20 or 1
IDS = ("of ids", "megatron", "nanogpt", "llmc", "olmo", "datatrove", "npy", "mds", "litdata", "hf-arrow")


def dataaudit(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dataaudit", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert "internal error" not in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done


def plant(folder: Path, rng: random.Random, names: list[str]) -> None:
    """Writes a damaged input of each name."""
    for name in names:
        changes = [Change(*(rng.randrange(1 << 16) for _ in Change._fields)) for _ in range(rng.randint(1, 3))]
        other = b"".join(seed(rng.choice(SEEDS)).values())
        (folder / name).mkdir(parents=True)
        for file, data in damaged(seed(name), changes, other).items():
            (folder / name / file).write_bytes(data)


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("number", range(RUNS))
def test_every_record_is_accounted_for(tmp_path: Path, tokenizer_file: Path, number: int, ids: bool) -> None:
    names = [name for name in SEEDS if any(each in name for each in IDS) == ids and name != "mds texts"]
    plant(tmp_path / "in", random.Random(number), names)
    run, out = tmp_path / "run", tmp_path / "out"
    # Damage can turn a file of ids into one of text; with a tokenizer both have a length in tokens.
    settings = ("--tokenizer", tokenizer_file, "-j", 1, "--fail-on", "never")
    audited = dataaudit("audit", tmp_path / "in", "-o", run, *settings)
    assert audited.returncode in (0, 2), audited.stderr
    corpus = json.loads((run / "report.json").read_text())["corpus"]
    assert corpus["documents"] > 50
    assert corpus["records"] == corpus["documents"] + corpus["unreadable"] + corpus["without_text"]
    filtered = dataaudit("filter", run, "--to", out, "-j", 1)
    assert filtered.returncode in (0, 2), filtered.stderr
    assert "conserved" in filtered.stdout


def test_a_shard_without_documents_after_one_that_has_some(tmp_path: Path, small_shards: str) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.jsonl").write_text('{"text": "the boats return to the harbour"}\n' * 500)
    (source / "b.jsonl").write_text('{"text": "cut\n' * 2000)
    dataaudit("audit", source, "-o", tmp_path / "run", "-c", small_shards, "-j", 1, "--fail-on", "never")
    assert len(list((tmp_path / "run/signals").iterdir())) > 1
    filtered = dataaudit("filter", tmp_path / "run", "--to", tmp_path / "out", "-j", 1)
    assert filtered.returncode == 0, filtered.stderr
    assert "+ 2,000 unreadable" in filtered.stdout
