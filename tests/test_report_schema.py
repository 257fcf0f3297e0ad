"""The published schema of report.json."""

import json
from pathlib import Path

import jsonschema
import pytest

import dataaudit
from dataaudit.result import SCHEMA_VERSION, json_schema

PUBLISHED = Path(__file__).resolve().parents[1] / "configs" / "report.schema.json"


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text()) == json_schema(), "run: python scripts/write_schemas.py"


@pytest.mark.parametrize("with_tokens", [True, False])
def test_reports_are_valid_under_it(corpus: Path, tokenizer_file: Path, tmp_path: Path, with_tokens: bool) -> None:
    dataaudit.audit(corpus, tmp_path / "run", tokenizer=tokenizer_file if with_tokens else None, workers=1)
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text())).validate(report)
    assert report["schema_version"] == SCHEMA_VERSION


def test_a_wrong_report_is_not_valid() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema()).validate({"schema_version": 1})
