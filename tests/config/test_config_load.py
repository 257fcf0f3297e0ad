"""Loading: presets, files, what they extend, and every fault with its place and a suggestion."""

import dataclasses

import msgspec
import pytest

from dataaudit.config.load import check_names, load_config, presets
from dataaudit.config.schema import RESERVED_RULE_IDS, Level, Levels, Rule
from dataaudit.errors import ConfigError

RULE = "{id: short, signal: char_count, min: 10, source: here}"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Returns a function that writes files (the last one is loaded) and loads them."""
    monkeypatch.chdir(tmp_path)

    def write_and_load(text, **others):
        for name, content in {**others, "c": text}.items():
            (tmp_path / f"{name}.yaml").write_text(content, encoding="utf-8")
        return load_config("c.yaml")

    return write_and_load


def test_without_a_name_the_default_preset_is_loaded():
    assert load_config().name == "default"
    assert load_config().digest == load_config("default").digest


def test_settings_are_decoded(load):
    config = load(f"read: {{number_columns: [loss]}}\nmodel: {{vocab_size: 10, bos_id: 0}}\nrules: [{RULE}]").config
    assert config.read.number_columns == ("loss",)
    assert (config.model.vocab_size, config.model.bos_id) == (10, 0)
    assert config.rules == (Rule(id="short", signal="char_count", min=10.0, source="here"),)


def test_zero_is_a_threshold(load):
    text = (
        "rules: [{id: a, signal: x, min: 0, max: 0, source: s}]\nchecks: {c: {warn: {above: 0}, fail: {at_least: 1}}}"
    )
    config = load(text).config
    assert (config.rules[0].min, config.rules[0].max) == (0.0, 0.0)
    assert config.checks["c"] == Levels(warn=Level(above=0.0), fail=Level(at_least=1.0))


FAULTS = [
    ("rulse: []", "1:1: unknown key 'rulse'. Did you mean 'rules'?"),
    ("nothing: 1", "1:1: unknown key 'nothing'. Expected one of: version, extends,"),
    ("rules: [{id: a, signal: x, mni: 3, source: s}]", "1:28: unknown key 'mni' in rules[0]. Did you mean 'min'?"),
    ("<<: {version: 1}", "1:1: unknown key '<<'"),
    ("version: 2", "1:10: version is 2. Expected 1."),
    ("version: true", "1:10: version is true. Expected 1."),
    ("version: 1.5", "1:10: version is 1.5. Expected 1."),
    ("version: [1]", "1:10: version is a list. Expected 1."),
    ("read:", "1:6: read is null. Expected a mapping."),
    ("read: {text_column: 5}", "1:21: read.text_column is 5. Expected text."),
    ("read: {shard_bytes: 1}", "1:21: read.shard_bytes is 1. Expected a whole number from 4096 on."),
    ("read: {number_columns: loss}", "1:24: read.number_columns is 'loss'. Expected a list."),
    ("read: {number_columns: [a, 1]}", "1:28: read.number_columns[1] is 1. Expected text."),
    ("tokenizer: {engine: fastoken}", "1:21: tokenizer.engine is 'fastoken'. Expected"),
    ("tokenizer: {engine: fastoken}", "Did you mean 'fastokens'?"),
    ("tokenizer: {add_special_tokens: yes}", "1:33: tokenizer.add_special_tokens is 'yes'. Expected true or false."),
    ("tokenizer: {add_special_tokens: 1}", "1:33: tokenizer.add_special_tokens is 1. Expected true or false."),
    ("model: {vocab_size: 0}", "1:21: model.vocab_size is 0. Expected a whole number from 1 on."),
    ("model: {vocab_size: 1.5}", "1:21: model.vocab_size is 1.5. Expected a whole number from 1 on."),
    ("model: {vocab_size: true}", "1:21: model.vocab_size is true. Expected a whole number from 1 on."),
    ("model: {bos_id: -1}", "1:17: model.bos_id is -1. Expected a whole number from 0 on."),
    ("rules: {a: 1}", "1:8: rules is a mapping. Expected a list."),
    ("rules: [a]", "1:9: rules[0] is 'a'. Expected a mapping."),
    ("rules: [{signal: x, min: 1, source: s}]", "1:9: a rule without 'id'."),
    ("rules: [{id: a, min: 1}]", "1:9: rule 'a' lacks 'signal' and 'source'."),
    ("rules: [{id: A b, signal: x, min: 1, source: s}]", "1:14: rules[0].id is 'A b'. Expected at most 80 characters"),
    ("rules: [{id: ../a, signal: x, min: 1, source: s}]", "1:14: rules[0].id is '../a'."),
    ('rules: [{id: "a\\n", signal: x, min: 1, source: s}]', "1:14: rules[0].id is 'a\\n'."),
    (
        "rules: [{id: a, signal: x, min: 010, source: s}]",
        "1:33: rules[0].min is '010'. Expected a number or a mapping.",
    ),
    (
        "rules: [{id: a, signal: x, min: 1:30, source: s}]",
        "1:33: rules[0].min is '1:30'. Expected a number or a mapping.",
    ),
    (
        "rules: [{id: a, signal: x, min: true, source: s}]",
        "1:33: rules[0].min is true. Expected a number or a mapping.",
    ),
    ("rules: [{id: a, signal: x, source: s}]", "1:9: rule 'a' has no limit."),
    ("rules: [{id: a, signal: x, min: 2, max: 1, source: s}]", "1:33: rule 'a' has min 2 above max 1"),
    ("rules: [{id: a, signal: x, min: 1, one_of: [1], source: s}]", "1:44: rule 'a' has one_of and a range."),
    ("rules: [{id: a, signal: x, one_of: [], source: s}]", "1:36: rule 'a' allows no value at all."),
    ("rules: [{id: a, signal: x, min: 1, action: drop, source: s}]", "1:44: rules[0].action is 'drop'."),
    (f"rules: [{RULE}, {RULE}]", "the rule id 'short' stands here again (first in line 1)."),
    ("rules: [{id: a, signal: x, min: 1, source: s, applies_when: {}}]", "1:61: rules[0].applies_when is a mapping."),
    (
        "rules: [{id: a, signal: x, min: 1, source: s, applies_when: [{signal: y}]}]",
        "1:62: a condition of rule 'a' has no limit.",
    ),
    (
        "rules: [{id: a, signal: x, min: 1, source: s, applies_when: [{min: 1}]}]",
        "1:62: a condition of rule 'a' lacks 'signal'.",
    ),
    ("checks: {a: {warn: 5}}", "1:20: checks.a.warn is 5. Expected a mapping."),
    ("checks: {a: {warn: {}}}", "1:20: warn of check 'a' needs exactly one of 'above' and 'at_least'."),
    ("checks: {a: {fail: {above: 1, at_least: 1}}}", "1:20: fail of check 'a' needs exactly one of"),
    ("checks: {a: {warn: {abvoe: 1}}}", "1:21: unknown key 'abvoe' in checks.a.warn. Did you mean 'above'?"),
    ("checks: {a: {warn: {above: 2}, fail: {above: 1}}}", "1:38: check 'a' fails before it warns."),
    ("checks: {a: {warn: {above: 2}, fail: {at_least: 2}}}", "1:38: check 'a' fails before it warns."),
    ("checks: {a: {skip: no}}", "1:20: checks.a.skip is 'no'. Expected true or false."),
    ("checks: {a: {options: {limit: high}}}", "1:31: checks.a.options.limit is 'high'. Expected a number."),
    ("extends: 5", "1:10: extends is 5. Expected text."),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_a_fault_is_told_with_its_place(load, text, message):
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("c.yaml:1:")


def test_levels_that_are_reached_together_are_in_order(load):
    loaded = load("checks: {a: {warn: {at_least: 2}, fail: {above: 2}}, b: {warn: {above: 0}, fail: {above: 0}}}")
    checks = loaded.config.checks
    assert (checks["a"].warn.at_least, checks["a"].fail.above) == (2, 2)
    assert (checks["b"].warn.above, checks["b"].fail.above) == (0, 0)


@pytest.mark.parametrize("name", RESERVED_RULE_IDS)
def test_the_tools_own_reasons_are_no_rule_ids(load, name):
    with pytest.raises(ConfigError, match="dataaudit's own"):
        load(f"rules: [{{id: {name}, signal: x, min: 1, source: s}}]")


def test_all_faults_are_told_at_once(load):
    with pytest.raises(ConfigError) as caught:
        load("version: 3\nread: {x: 1}\nmodel: {max_length: a}\n")
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == [
        "c.yaml:1:10",
        "c.yaml:2:8",
        "c.yaml:3:21",
    ]


def test_a_flood_of_faults_is_cut(load):
    with pytest.raises(ConfigError) as caught:
        load("\n".join(f"key{index}: 1" for index in range(50)))
    assert str(caught.value).endswith("... and 30 more.")


def test_what_is_neither_preset_nor_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"no config 'defualt'.* Did you mean 'default'"):
        load_config("defualt")
    with pytest.raises(ConfigError, match="is a folder"):
        load_config(".")
    for name in ("gone.yaml", "x" * 5000, "\0"):
        with pytest.raises(ConfigError, match="no config '"):
            load_config(name)


def test_a_preset_goes_before_a_file_of_its_name(load, tmp_path):
    (tmp_path / "default").write_text(f"rules: [{RULE}]")
    assert len(load_config("default").config.rules) > 1
    assert len(load_config("./default").config.rules) == 1


def test_sections_are_merged_key_by_key_and_lists_replaced(load):
    base = "read: {text_column: a, number_columns: [x, y]}\nmodel: {max_length: 8}"
    config = load("extends: base.yaml\nread: {number_columns: [z]}\nmodel: {bos_id: 1}", base=base).config
    assert (config.read.text_column, config.read.number_columns) == ("a", ("z",))
    assert (config.model.max_length, config.model.bos_id) == (8, 1)
    assert config.extends is None


def test_rules_are_changed_by_id_in_place(load):
    base = "rules: [{id: a, signal: x, min: 1, max: 5, source: s}, {id: b, signal: y, min: 1, source: s}]"
    child = "extends: base.yaml\nrules: [{id: c, signal: z, max: 1, source: t}, {id: a, max: 9, min: null}]"
    assert load(child, base=base).config.rules == (
        Rule(id="a", signal="x", max=9.0, source="s"),
        Rule(id="b", signal="y", min=1.0, source="s"),
        Rule(id="c", signal="z", max=1.0, source="t"),
    )


def test_a_rule_can_be_taken_away(load):
    base = f"rules: [{RULE}, {{id: b, signal: y, min: 1, source: s}}]"
    assert [
        rule.id for rule in load("extends: base.yaml\nrules: [{id: short, skip: true}]", base=base).config.rules
    ] == ["b"]
    with pytest.raises(ConfigError, match=r"c\.yaml:2:9: there is no rule 'shrot' to skip.*Did you mean 'short'"):
        load("extends: base.yaml\nrules: [{id: shrot, skip: true}]", base=base)


def test_a_misspelt_rule_id_is_no_new_rule(load):
    with pytest.raises(ConfigError, match=r"rule 'shrot' lacks 'signal' and 'source'\. Did you mean 'short'"):
        load("extends: base.yaml\nrules: [{id: shrot, min: 3}]", base=f"rules: [{RULE}]")


def test_checks_are_merged_by_id_and_limits_replaced_whole(load):
    base = "checks: {a: {warn: {above: 1}, fail: {above: 2}, options: {x: 1, y: 2}}, b: {skip: true}}"
    child = "extends: base.yaml\nchecks: {a: {warn: {at_least: 0.5}, fail: null, options: {y: 3}}}"
    assert load(child, base=base).config.checks == {
        "a": Levels(warn=Level(at_least=0.5), options={"x": 1, "y": 3}),
        "b": Levels(skip=True),
    }


def test_a_fault_between_two_files_is_told_where_the_value_stands(load):
    with pytest.raises(ConfigError, match=r"^base\.yaml:1:33: rule 'a' has min 5 above max 1"):
        load("extends: base.yaml\nrules: [{id: a, max: 1}]", base="rules: [{id: a, signal: x, min: 5, source: s}]")


def test_a_fault_in_an_extended_file_names_both(load):
    with pytest.raises(ConfigError) as caught:
        load("extends: base.yaml", base="bogus: 1")
    assert str(caught.value).splitlines() == [
        "c.yaml:1:10: extends 'base.yaml':",
        next(line for line in str(caught.value).splitlines() if line.startswith("base.yaml:1:1: unknown key 'bogus'")),
    ]


@pytest.mark.parametrize("others", [{}, {"b": "extends: c.yaml"}])
def test_loops_are_refused(load, others):
    with pytest.raises(ConfigError, match="extends itself"):
        load(f"extends: {'b' if others else 'c'}.yaml", **others)


def test_a_path_in_extends_starts_at_its_file(tmp_path, monkeypatch):
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "base.yaml").write_text(f"rules: [{RULE}]")
    (tmp_path / "team" / "own.yaml").write_text("extends: base.yaml")
    monkeypatch.chdir(tmp_path)
    assert load_config("team/own.yaml").config.rules[0].id == "short"


def test_the_digest_is_of_the_settings_alone(load):
    once = load(f"# a comment\nrules: [{RULE}]")
    again = load("extends: base.yaml", base=f"version: 1\nrules:\n  - {RULE}")
    other = load(f"rules: [{RULE.replace('10', '11')}]")
    assert once.digest == again.digest != other.digest
    assert len(once.digest) == 64


def test_a_changed_setting_changes_what_is_resolved(load):
    loaded = load(f"rules: [{RULE}]")
    tokenizer = msgspec.structs.replace(loaded.config.tokenizer, path="t.json")
    changed = dataclasses.replace(loaded, config=msgspec.structs.replace(loaded.config, tokenizer=tokenizer))
    assert changed.resolved["tokenizer"]["path"] == "t.json"
    assert changed.digest != loaded.digest


SIGNALS = ("char_count", "word_count")
CHECKS = {"truncation": {}, "mojibake": {"limit": 0.0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "rules: [{id: a, signal: word_cout, min: 1, source: s}]",
            "1:25: unknown signal 'word_cout' in rule 'a'. Did you mean 'word_count'?",
        ),
        (
            "rules: [{id: a, signal: word_count, min: 1, source: s, applies_when: [{signal: chars, min: 1}]}]",
            "1:80: unknown signal 'chars' in rule 'a'.",
        ),
        ("checks: {truncatoin: {skip: true}}", "1:10: unknown check 'truncatoin'. Did you mean 'truncation'?"),
        (
            "checks: {mojibake: {options: {limt: 1}}}",
            "1:31: unknown option 'limt' of check 'mojibake'. Did you mean 'limit'?",
        ),
        (
            "checks: {truncation: {options: {limit: 1}}}",
            "1:33: unknown option 'limit' of check 'truncation'. Its options: none.",
        ),
        ("read: {number_columns: [a, char_count]}", "1:28: the number column 'char_count' has the name of a signal."),
    ],
)
def test_unknown_names_are_told_with_a_suggestion(load, text, message):
    loaded = load(text)
    with pytest.raises(ConfigError) as caught:
        check_names(loaded, SIGNALS, CHECKS)
    assert str(caught.value).startswith(f"c.yaml:{message}")


def test_number_columns_are_signals_and_known_names_pass(load):
    text = """
read: {number_columns: [loss]}
rules: [{id: a, signal: loss, max: 9, source: s}]
checks: {mojibake: {options: {limit: 1}}}
"""
    assert check_names(load(text), SIGNALS, CHECKS) is None


def test_presets_are_found_by_name():
    assert {"default", "finetune-zh"} <= set(presets())
