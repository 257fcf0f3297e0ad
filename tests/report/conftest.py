"""Runs that the tests of the report share, and a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, require_chromium

import dataaudit

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture(scope="module")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over the sample corpus."""
    out = tmp_path_factory.mktemp("sample") / "run"
    dataaudit.audit(SAMPLE / "corpus", out, tokenizer=SAMPLE / "tokenizer.json", max_length=1024, workers=1)
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium; the test is skipped where there is none, except in CI, where it fails."""
    require_chromium()
    with Browser() as opened:
        yield opened
