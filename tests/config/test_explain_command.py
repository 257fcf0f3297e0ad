"""``dataaudit explain`` and ``dataaudit config``."""

import json

import pytest
import typer
from typer.testing import CliRunner

from dataaudit.checks import all_checks
from dataaudit.cli.config import config
from dataaudit.cli.explain import explain
from dataaudit.config.json_schema import schema_text
from dataaudit.config.load import load_config
from dataaudit.errors import ConfigError, UsageError
from dataaudit.signals import all_signals

APP = typer.Typer()
APP.command()(explain)
APP.command()(config)


def run(*arguments):
    result = CliRunner().invoke(APP, list(arguments), catch_exceptions=True)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_all_is_listed_grouped_with_a_line_each():
    lines = run("explain").splitlines()
    for name in (*all_signals(), *all_checks(), *(rule.id for rule in load_config().config.rules)):
        assert sum(line.startswith(f"  {name} ") for line in lines) >= 1, name
    assert "signals: tokens" in lines
    assert "rules: flag" in lines


@pytest.mark.parametrize(("option", "kind"), [("--signals", "signals"), ("--rules", "rules"), ("--checks", "checks")])
def test_one_kind_alone(option, kind):
    entries = json.loads(run("explain", option, "--format", "json"))
    assert {entry["kind"] for entry in entries} == {kind}


def test_kinds_add_up():
    entries = json.loads(run("explain", "--rules", "--checks", "--format", "json"))
    assert {entry["kind"] for entry in entries} == {"rules", "checks"}


def test_a_signal_says_what_it_is():
    text = run("explain", "dup_line_ratio")
    signal = all_signals()["dup_line_ratio"]
    assert signal.doc in text
    for fact in ("unit", "ratio", "null", signal.null, "source", signal.source, "minimum", "maximum"):
        assert str(fact) in text


def test_a_rule_says_what_it_keeps_and_where_its_limit_is_from():
    text = run("explain", "gopher/dup-lines")
    assert "Keeps dup_line_ratio ≤ 0.3" in text
    assert "50 ≤ word_count" in text
    assert "Gopher" in text


def test_a_check_says_its_levels_and_options(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("checks: {periodic-tokens: {warn: {above: 0.5}, fail: {at_least: 3}, options: {limit: 16}}}")
    (entry,) = json.loads(run("explain", "periodic-tokens", "-c", str(path), "--format", "json"))
    assert (entry["warn"], entry["fail"], entry["options"]["limit"]) == ("above 0.5", "at least 3", 16)
    assert entry["definition"] == all_checks()["periodic-tokens"].doc


def test_a_name_of_several_kinds_gives_each():
    entries = json.loads(run("explain", "periodic-tokens", "--format", "json"))
    assert [entry["kind"] for entry in entries] == ["rules", "checks"]


def test_an_unknown_name_is_a_usage_error_with_a_suggestion():
    with pytest.raises(UsageError, match=r"no signal or rule or check 'dup_line_ratoi'.*Did you mean 'dup_line_ratio'"):
        run("explain", "dup_line_ratoi")
    with pytest.raises(UsageError, match="no check 'dup_line_ratio'"):
        run("explain", "dup_line_ratio", "--checks")


def test_config_prints_a_config_of_the_same_meaning(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(run("config", "-c", "finetune-zh"), encoding="utf-8")
    assert load_config(str(path)).digest == load_config("finetune-zh").digest
    assert run("config", "--show") == run("config")


def test_config_prints_the_schema():
    assert run("config", "--schema") == schema_text()
    with pytest.raises(UsageError, match="--schema"):
        run("config", "--schema", "-c", "default")


def test_config_refuses_what_is_not_valid(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("rulse: []")
    with pytest.raises(ConfigError, match="Did you mean 'rules'"):
        run("config", "-c", str(path))
