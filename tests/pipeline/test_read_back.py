"""The speeds of the token shards."""

import json
from pathlib import Path

import dataaudit
from dataaudit.pipeline.listener import Silent
from dataaudit.pipeline.readback import read_back
from dataaudit.pipeline.store import RunFolder


def test_every_token_is_read_in_order_and_shuffled(corpus: Path, tokenizer_file: Path, tmp_path: Path) -> None:
    result = dataaudit.audit(corpus, tmp_path / "run", tokenizer=tokenizer_file, workers=1)
    timings = read_back(RunFolder(tmp_path / "run"), Silent())
    assert timings is not None
    assert timings.sequential_tokens == timings.shuffled_tokens == result.corpus.tokens
    assert json.loads((tmp_path / "run" / "timings.json").read_text())["shuffled_tokens_per_second"] > 0


def test_without_token_shards_there_is_nothing_to_read(corpus: Path, tmp_path: Path) -> None:
    dataaudit.audit(corpus, tmp_path / "run", workers=1)
    assert read_back(RunFolder(tmp_path / "run"), Silent()) is None
