"""The presets: valid for the loader and for editors, complete, and in step with signals and checks."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from dataaudit.config.json_schema import config_schema, schema_text
from dataaudit.config.load import load_config, presets
from dataaudit.config.render import render_yaml
from dataaudit.pipeline.check_config import check_config

FOLDER = Path(__file__).parents[2] / "configs"
MODELINE = "# yaml-language-server: $schema=dataaudit.schema.json"


@pytest.mark.parametrize("name", presets())
def test_a_preset_is_valid_for_editors_and_says_so(name):
    text = presets()[name].read_text(encoding="utf-8")
    assert text.splitlines()[0] == MODELINE
    jsonschema.Draft7Validator(config_schema()).validate(yaml.safe_load(text))


@pytest.mark.parametrize("name", presets())
def test_a_preset_names_only_what_exists_and_limits_it_where_values_are(name):
    check_config(load_config(name))
    assert all(rule.source for rule in load_config(name).config.rules)


@pytest.mark.parametrize("name", presets())
def test_the_resolved_config_is_a_config_of_the_same_meaning(name, tmp_path):
    loaded = load_config(name)
    path = tmp_path / "resolved.yaml"
    path.write_text(render_yaml(loaded.config), encoding="utf-8")
    assert load_config(str(path)).digest == loaded.digest
    assert loaded.resolved == json.loads(json.dumps(loaded.resolved))


def test_texts_that_look_like_numbers_stay_texts_when_rendered(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("read: {text_column: '1e-3', id_column: '010', source_column: 'no', number_columns: ['1.', '~']}")
    loaded = load_config(str(path))
    path.write_text(render_yaml(loaded.config), encoding="utf-8")
    assert load_config(str(path)).config == loaded.config


def test_a_limit_of_zero_is_rendered(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("rules: [{id: a, signal: x, max: 0, source: s}]\nchecks: {c: {warn: {above: 0}}}")
    loaded = load_config(str(path))
    path.write_text(render_yaml(loaded.config), encoding="utf-8")
    assert load_config(str(path)).config == loaded.config


def test_the_committed_schema_is_current():
    committed = (FOLDER / "dataaudit.schema.json").read_text(encoding="utf-8")
    assert committed == schema_text(), "write it again: dataaudit config --schema > configs/dataaudit.schema.json"


def test_the_schema_is_valid_and_describes_every_key():
    schema = config_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    for name, definition in schema["definitions"].items():
        assert definition["description"], name
        assert all(each["description"] for each in definition["properties"].values()), name


@pytest.mark.parametrize(
    "config",
    [
        {"rulse": []},
        {"rules": [{"id": "a", "mni": 1}]},
        {"rules": [{"signal": "x"}]},
        {"rules": [{"id": "A b"}]},
        {"checks": {"a": {"warn": {}}}},
        {"checks": {"a": {"warn": {"above": 1, "at_least": 1}}}},
        {"model": {"vocab_size": 0}},
    ],
)
def test_editors_see_the_common_faults(config):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(config_schema()).validate(config)


def test_editors_accept_a_change_of_one_key():
    config = {"extends": "default", "rules": [{"id": "mojibake", "max": 0.1}], "checks": {"mojibake": {"fail": None}}}
    assert list(jsonschema.Draft7Validator(config_schema()).iter_errors(config)) == []
