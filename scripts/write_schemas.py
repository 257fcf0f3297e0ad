"""Writes the JSON Schemas of the config and of report.json into configs/. Run it after a change of either."""

import json
from pathlib import Path

from dataaudit.config.json_schema import schema_text
from dataaudit.result import json_schema

CONFIGS = Path(__file__).resolve().parents[1] / "configs"

(CONFIGS / "dataaudit.schema.json").write_text(schema_text(), encoding="utf-8")
(CONFIGS / "report.schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
