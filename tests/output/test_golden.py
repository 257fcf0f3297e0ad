"""The outputs of the sample run, as they were last looked at: tests/golden.

After a change that is meant to change them: ``pytest tests/output/test_golden.py --update-golden``, then read the diff.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import dataaudit
from dataaudit.output.formats import render

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
FILES = {
    "github": "sample.github.txt",
    "json": "sample.json",
    "junit": "sample.junit.xml",
    "markdown": "sample.md",
    "prometheus": "sample.prom",
    "table": "sample.table.txt",
}
LONG = 12
"""Longer lists are kept as their first three items and a digest of all."""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dataaudit.AuditResult:
    out = tmp_path_factory.mktemp("sample") / "run"
    sample = ROOT / "sample_data"
    return dataaudit.audit(sample / "corpus", out, tokenizer=sample / "tokenizer.json", max_length=1024, workers=1)


@pytest.mark.parametrize("name", FILES)
def test_a_format_gives_what_it_gave(name: str, result: dataaudit.AuditResult, request: pytest.FixtureRequest) -> None:
    found = normal(render(name, result, Path("run")), result)
    if name == "json":
        found = json.dumps(shortened(json.loads(found)), ensure_ascii=False, indent=1) + "\n"
    path = GOLDEN / FILES[name]
    if request.config.getoption("--update-golden"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), "if this was meant: pytest tests/output --update-golden"


def normal(text: str, result: dataaudit.AuditResult) -> str:
    """Takes out what differs from one version or machine to the next."""
    digest = result.method.config_digest
    text = text.replace(digest, "CONFIG_DIGEST").replace(digest[:12], "CONFIG_DIGEST")
    text = text.replace(f"{ROOT}/", "").replace(f"dataaudit {dataaudit.__version__}", "dataaudit VERSION")
    for key in ('"dataaudit_version": "{}"', 'version="{}"', '"dataaudit_version" value="{}"'):
        text = text.replace(key.format(dataaudit.__version__), key.format("VERSION"))
    return text


def shortened(value: Any) -> Any:
    """Returns the report with long lists cut, and without the config, which has tests of its own."""
    if isinstance(value, dict):
        return {key: "CONFIG" if key == "config" else shortened(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) <= LONG:
        return [shortened(each) for each in value]
    digest = hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:12]
    return [*(shortened(each) for each in value[:3]), f"... {len(value)} items, {digest}"]
