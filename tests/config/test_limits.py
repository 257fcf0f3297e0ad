"""Limits that no value can reach are refused: a percent where a share is meant would switch a rule or a check off."""

import pytest

from dataaudit.config.load import load_config
from dataaudit.config.settings import apply_settings
from dataaudit.errors import ConfigError
from dataaudit.integrations.filter import Filter
from dataaudit.pipeline.check_config import check_config

HEAD = "extends: default\n"
WRONG = [
    (
        "checks: {special-characters: {warn: null, fail: {above: 10}}}",
        "2:57: fail of check 'special-characters' is 10. Shares are 0 to 1. Write 0.1 for 10 %.",
    ),
    (
        "checks: {truncation: {fail: {above: 1}}}",
        "2:37: fail of check 'truncation' is above 1, which no value is. Write above: 0.01 for 1 %, or at_least: 1.",
    ),
    ("checks: {length-drift: {warn: {above: 10}}}", "2:39: warn of check 'length-drift' is 10. Shares are 0 to 1."),
    ("checks: {truncation: {fail: {above: 20}}}", "2:37: fail of check 'truncation' is 20."),
    ("checks: {truncation: {warn: {at_least: -0.1}}}", "2:40: warn of check 'truncation' is -0.1. Shares are 0 to 1."),
    (
        "checks: {short-documents: {options: {limit: -5}}}",
        "2:45: option 'limit' of check 'short-documents' is -5. Expected 0 or more",
    ),
    (
        "checks: {special-characters: {options: {limit: 50}}}",
        "2:48: option 'limit' of check 'special-characters' is 50. Shares are 0 to 1. Write 0.5 for 50 %.",
    ),
    (
        "rules: [{id: special-characters, max: 50}]",
        "2:39: max of rule 'special-characters', on special_char_ratio, is 50. Shares are 0 to 1. Write 0.5 for 50 %.",
    ),
    (
        "rules: [{id: special-characters, max: {initial: 0.5, final: 90, decay_steps: 9}}]",
        "2:39: final max of rule 'special-characters', on special_char_ratio, is 90.",
    ),
    ("rules: [{id: a, signal: char_count, min: -1, source: s}]", "2:42: min of rule 'a', on char_count, is -1."),
    (
        "rules: [{id: a, signal: dup_line_ratio, one_of: [0, 30], source: s}]",
        "2:49: a value in one_of of rule 'a', on dup_line_ratio, is 30.",
    ),
    (
        "rules: [{id: a, signal: char_count, min: 1, source: s, applies_when: [{signal: dup_line_ratio, max: 30}]}]",
        "2:101: max of a condition of rule 'a', on dup_line_ratio, is 30. Shares are 0 to 1. Write 0.3 for 30 %.",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_limit_where_no_value_is_is_refused_with_its_place(tmp_path, text, message):
    (tmp_path / "c.yaml").write_text(HEAD + text)
    with pytest.raises(ConfigError) as caught:
        check_config(load_config(str(tmp_path / "c.yaml")))
    assert str(caught.value).startswith(f"{tmp_path}/c.yaml:{message}")


@pytest.mark.parametrize(
    "text",
    [
        "checks: {truncation: {warn: {above: 0}, fail: {at_least: 1}}}",
        "checks: {boilerplate: {warn: {above: 500}}, vocabulary-use: {warn: {above: -0.5}}}",
        "checks: {short-documents: {options: {limit: 0}}, periodic-tokens: {options: {limit: 99}}}",
        "rules: [{id: special-characters, max: 1}, {id: a, signal: char_count, min: 0, source: s}]",
        "read: {number_columns: [loss]}\nrules: [{id: a, signal: loss, min: -50, max: 50, source: s}]",
    ],
)
def test_the_ends_of_the_range_and_what_has_none_are_allowed(tmp_path, text):
    (tmp_path / "c.yaml").write_text(HEAD + text)
    check_config(load_config(str(tmp_path / "c.yaml")))


def test_a_setting_of_the_command_line_is_checked_too():
    loaded = apply_settings(load_config("default"), ["special-characters.max=50"])
    with pytest.raises(ConfigError, match=r"^--set special-characters.max: .*Write 0.5 for 50 %"):
        check_config(loaded)


def test_a_filter_for_datasets_is_checked_too(tmp_path):
    (tmp_path / "c.yaml").write_text(HEAD + "rules: [{id: special-characters, max: 50}]")
    with pytest.raises(ConfigError, match=r"Write 0.5 for 50 %"):
        Filter.load(tmp_path / "c.yaml")
