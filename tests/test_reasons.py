"""Reasons, and limits that move while a model is trained."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rules_oracle import failing

from dataaudit.config import load_config
from dataaudit.config.schema import Condition, Moving, Rule
from dataaudit.errors import ConfigError
from dataaudit.rules import REASONS, admission, at_step, evaluate, limits_of, reasons

NAMES = ("x", "y", "whitespace_char_ratio")
VALUES = (None, 0.0, 0.1, 0.5, 0.85, 0.8999, 0.9, 0.95, 1.0)
TIGHTENING = Moving(initial=0.9, final=0.1, decay_steps=7)
LOOSENING = Moving(initial=0.1, final=0.9, decay_steps=7)


def table(rows):
    return pa.table({name: pa.array([row[name] for row in rows], pa.float64()) for name in NAMES})


def rule(id_="r", **settings):
    return Rule(id=id_, source="test", **{"signal": "x", **settings})


def told(rules, rows):
    return [
        [(each["rule"], each["value"], each["margin"]) for each in found]
        for found in reasons(rules, table(rows)).to_pylist()
    ]


limits = st.sampled_from([None, 0.0, 0.1, 0.5, 0.9, TIGHTENING, LOOSENING])
rules_ = st.builds(
    lambda signal, low, high, if_null, condition: rule(
        signal=signal,
        min=low,
        max=high if high is not None or low is not None else 0.5,
        if_null=if_null,
        applies_when=() if condition is None else (Condition(signal="y", max=condition),),
    ),
    st.sampled_from(["x", "y"]),
    limits,
    limits,
    st.sampled_from(["quarantine", "keep"]),
    st.sampled_from([None, 0.1, 0.9]),
)
rows_ = st.lists(st.fixed_dictionaries({name: st.sampled_from(VALUES) for name in NAMES}), max_size=12)


@settings(deadline=None)
@given(st.lists(rules_, max_size=4), rows_)
def test_every_failing_rule_is_told_with_value_and_margin(rules, rows):
    for found, row in zip(told(rules, rows), rows, strict=True):
        assert found == [
            (name, value, None if margin is None else pytest.approx(margin))
            for name, value, margin in failing(rules, row)
        ]


@settings(deadline=None, max_examples=60)
@given(st.lists(rules_, max_size=3), rows_)
def test_a_document_is_admitted_at_exactly_the_steps_at_which_no_rule_takes_it_out(rules, rows):
    found = admission(rules, table(rows))
    firsts, lasts = found.admit_from_step.to_pylist(), found.admit_until_step.to_pylist()
    for row, first, last in zip(rows, firsts, lasts, strict=True):
        for step in (0, 1, 2, 5, 11, 12, 13, 60, 7 * 64):
            admitted = first is not None and first <= step and (last is None or step <= last)
            assert admitted == (not failing(rules, row, step)), (row, step, first, last)


def test_the_step_is_the_first_one_to_the_step():
    loose = rule(max=Moving(initial=0.8, final=0.95, decay_steps=10_000))
    rows = [dict.fromkeys(NAMES, value) for value in (0.8, 0.8 + 1e-9, 0.9, 0.94, 0.9501)]
    first = admission([loose], table(rows)).admit_from_step.to_pylist()
    assert first[0] == 0 and first[-1] is None
    for row, step in zip(rows[1:-1], first[1:-1], strict=True):
        assert evaluate(at_step([loose], step), table([row]))[0].fails.tolist() == [False]
        assert evaluate(at_step([loose], step - 1), table([row]))[0].fails.tolist() == [True]
    # By hand: 0.95 − 0.15·exp(−t/10000) reaches 0.9 at t = 10000·ln 3 = 10986.1
    assert first[2] == 10_987


def test_what_is_taken_out_later_has_a_last_step():
    tight = rule(max=TIGHTENING)
    rows = [dict.fromkeys(NAMES, value) for value in (0.05, 0.5, 0.95)]
    found = admission([tight], table(rows))
    assert found.admit_from_step.to_pylist() == [0, 0, None]
    # 0.1 + 0.8·exp(−t/7) falls to 0.5 at t = 7·ln 2 = 4.85
    assert found.admit_until_step.to_pylist() == [None, 4, None]


def test_a_window_that_no_step_is_in_is_never():
    rules = [rule("late", max=LOOSENING), rule("early", max=TIGHTENING)]
    found = admission(rules, table([dict.fromkeys(NAMES, 0.7)]))
    assert found.admit_from_step.to_pylist() == found.admit_until_step.to_pylist() == [None]


def test_flags_never_keep_a_document_out():
    found = admission([rule(max=0.1, action="flag")], table([dict.fromkeys(NAMES, 0.9)]))
    assert found.admit_from_step.to_pylist() == [0]


def test_an_audit_judges_by_the_limit_in_the_end():
    moving = rule(max=LOOSENING)
    assert limits_of(moving) == (None, 0.9)
    assert at_step([moving], None) == (rule(max=0.9),)
    assert told([moving], [dict.fromkeys(NAMES, 0.9), dict.fromkeys(NAMES, 0.95)]) == [
        [],
        [("r", 0.95, pytest.approx(0.05))],
    ]


def test_reasons_hold_the_limits_and_the_action_and_have_one_type():
    assert reasons([], table([])).type == REASONS
    found = reasons([rule(min=0.2, max=0.5, action="flag")], table([dict.fromkeys(NAMES, 0.75)]))
    assert found.type == REASONS
    assert found.to_pylist() == [
        [{"rule": "r", "signal": "x", "value": 0.75, "min": 0.2, "max": 0.5, "margin": 0.25, "action": "flag"}]
    ]


def test_the_margin_of_one_of_is_the_distance_to_the_nearest():
    rows = [dict.fromkeys(NAMES, 0.5)]
    assert told([rule(one_of=(0.25, 0.95))], rows) == [[("r", 0.5, 0.25)]]


def test_a_rule_on_copies_never_fails_on_null_since_null_means_none():
    copies = pa.table({"whitespace_char_ratio": [0.1, 0.1], "near_duplicate_of": pa.array([None, 7], pa.uint64())})
    found = reasons([rule(signal="near_duplicate_of", max=-1)], copies).to_pylist()
    assert [len(each) for each in found] == [0, 1]


def test_a_rule_whose_signal_was_not_measured_gives_no_reason():
    assert told([rule(signal="z", max=0)], [dict.fromkeys(NAMES, 0.5)]) == [[]]
    assert admission([rule(signal="z", max=0)], table([dict.fromkeys(NAMES, 0.5)])).admit_from_step.to_pylist() == [0]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("{initial: 0.8, final: 0.9}", "max of rule 'a' lacks 'decay_steps'"),
        ("{initial: 0.8, final: 0.9, decay_steps: 0}", "decay_steps is 0. Expected a whole number from 1 on"),
        ("{initial: 0.8, final: 0.9, decay: 5}", "unknown key 'decay' in rules[0].max. Did you mean 'decay_steps'?"),
        ("{initial: 0.1, final: 0.9, decay_steps: 5}", "min 0.5 above max 0.1"),
        ("{initial: 0.9, final: 0.1, decay_steps: 5}", "min 0.5 above max 0.1"),
        ("soon", "Expected a number or a mapping"),
    ],
)
def test_faults_of_a_moving_limit_are_told_with_their_place(limit, message, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(f"rules:\n  - {{id: a, signal: x, min: 0.5, max: {limit}, source: s}}\n")
    with pytest.raises(ConfigError) as raised:
        load_config(str(path))
    assert message in str(raised.value)
    assert "c.yaml:2:" in str(raised.value)


def test_a_moving_limit_is_read_and_replaced_whole(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "rules: [{id: a, signal: x, source: s, max: {initial: 0.8, final: 0.95, decay_steps: 10000}}]"
    )
    (tmp_path / "b.yaml").write_text("extends: a.yaml\nrules: [{id: a, max: 0.7}]")
    moving = load_config(str(tmp_path / "a.yaml")).config.rules[0].max
    assert moving == Moving(initial=0.8, final=0.95, decay_steps=10_000)
    assert load_config(str(tmp_path / "b.yaml")).config.rules[0].max == 0.7
