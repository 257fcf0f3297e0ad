"""How the numbers were made, and what this audit cannot see."""

import json
from typing import Any

from dataaudit.report.view import RUN, View

ORDER = 100
TITLE = "section.method"
CONFIG_CHARACTERS = 60_000
POLARS = 'pl.scan_parquet("RUN/signals/part-*.parquet").filter(pl.col("special_char_ratio") > 0.5).collect()'


def build(view: View) -> dict[str, Any] | None:
    """Returns config, versions and limits."""
    method = view.result.method
    config = json.dumps(method.config, ensure_ascii=False, indent=1, sort_keys=True)
    room = CONFIG_CHARACTERS if view.rows >= 50 else CONFIG_CHARACTERS // 10
    return {
        "notes": [view.t.reason(note) for note in method.notes],
        "config_name": method.config_name,
        "digest": method.config_digest,
        "config": _pieces(config[:room] + ("\n…" if len(config) > room else "")),
        "tokenizer": [
            (key, view.t.reason(str(value)) if key == "engine_reason" else str(value))
            for key, value in sorted((method.tokenizer or {}).items())
        ],
        "version": view.result.dataaudit_version,
        "schema": view.result.schema_version,
        "inputs": view.closeup.inputs[:20] if view.closeup is not None else [],
        "signals": list(method.signals.items()),
        "not_measured": [(name, view.t.reason(reason)) for name, reason in method.not_measured.items()],
        "limits": [view.t(f"method.limit.{place}") for place in range(1, 5)],
        "commands": [f"dataaudit show {RUN} --check CHECK", f"dataaudit show {RUN} --rule RULE", POLARS],
    }


def _pieces(text: str) -> list[str]:
    """Returns the text in pieces that are short enough to be shown whole."""
    return [text[start : start + 1000] for start in range(0, len(text), 1000)]
