"""Invented corpora of token ids, and audits of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import dataaudit
from dataaudit.result import AuditResult, Finding, Status

VOCABULARY, BOS, EOS, PAD = 50_000, 1, 2, 3
MODEL = {"vocab_size": VOCABULARY, "bos_id": BOS, "eos_id": EOS, "pad_id": PAD}


def documents(count: int = 60, seed: int = 5) -> list[list[int]]:
    """Documents of 20 to 200 ids as text has them: few ids often and many rarely, between a start and an end."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, VOCABULARY - 9)
    shares /= shares.sum()
    lengths = rng.integers(18, 198, count)
    return [[BOS, *(rng.choice(len(shares), length, p=shares) + 10).tolist(), EOS] for length in lengths]


def with_sides(lists: list[list[int]], longest: int = 256) -> list[dict[str, Any]]:
    """Rows with ids padded at their end, masks, and labels of the second half alone."""
    rows = []
    for number, ids in enumerate(lists):
        blank, half = longest - len(ids), len(ids) // 2
        rows.append(
            {
                "id": f"d{number}",
                "input_ids": ids + [PAD] * blank,
                "attention_mask": [1] * len(ids) + [0] * blank,
                "labels": [-100] * half + ids[half:] + [-100] * blank,
            }
        )
    return rows


def audit_ids(source: Path, folder: Path, model: dict[str, Any] | None = None, **options: Any) -> AuditResult:
    """The audit of a corpus of ids, with the settings of a model."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.yaml"
    config.write_text(f"extends: default\nmodel: {json.dumps(MODEL if model is None else model)}\n")
    return dataaudit.audit(source, folder / "run", config=str(config), workers=1, **options)


def loud(result: AuditResult) -> dict[str, Finding]:
    """The checks that warn, fail or could not judge, by id."""
    quiet = (Status.PASS, Status.INFO, Status.SKIP)
    return {finding.id: finding for finding in result.findings if finding.status not in quiet}
