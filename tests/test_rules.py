"""What rules decide about documents."""

import numpy as np
import pyarrow as pa
import pytest

from dataaudit.config.schema import Condition, Rule
from dataaudit.rules import evaluate


def signals(**columns: list[float | None]) -> pa.Table:
    rows = len(next(iter(columns.values())))
    columns.setdefault("whitespace_char_ratio", [0.1] * rows)
    return pa.table({name: pa.array(values, pa.float64()) for name, values in columns.items()})


def fails(table: pa.Table, **rule: object) -> list[bool]:
    mask = evaluate([Rule(id="r", source="test", **rule)], table)[0]
    assert mask is not None
    return mask.fails.tolist()


def test_min_and_max_are_inclusive() -> None:
    table = signals(x=[0.9, 1.0, 2.0, 2.1])
    assert fails(table, signal="x", min=1.0, max=2.0) == [True, False, False, True]


def test_zero_is_a_threshold() -> None:
    table = signals(x=[0.0, 1.0, -1.0])
    assert fails(table, signal="x", max=0) == [False, True, False]
    assert fails(table, signal="x", min=0) == [False, False, True]


def test_an_undefined_value_is_quarantined_unless_the_rule_keeps_it() -> None:
    table = signals(x=[None, 5.0])
    assert fails(table, signal="x", max=9) == [True, False]
    assert fails(table, signal="x", max=9, if_null="keep") == [False, False]


def test_a_signal_that_was_not_measured_skips_the_rule() -> None:
    assert evaluate([Rule(id="r", signal="y", max=1.0, source="test")], signals(x=[1.0])) == [None]


def test_a_rule_applies_only_where_all_its_conditions_hold() -> None:
    table = signals(x=[9.0, 9.0, 9.0, 9.0], words=[50, 49, 50, None], cjk=[0.3, 0.0, 0.31, 0.0])
    conditions = (Condition(signal="words", min=50), Condition(signal="cjk", max=0.3))
    mask = evaluate([Rule(id="r", signal="x", max=1.0, applies_when=conditions, source="test")], table)[0]
    assert mask is not None
    assert mask.fails.tolist() == [True, False, False, False]
    assert mask.not_applicable.tolist() == [False, True, True, True]


def test_an_empty_document_fails_no_rule_but_the_builtin_one() -> None:
    table = signals(x=[None, 9.0, 9.0], whitespace_char_ratio=[None, 1.0, 0.99])
    assert fails(table, signal="x", max=1.0) == [False, False, True]


def test_one_of() -> None:
    assert fails(signals(x=[1.0, 2.0, 3.0]), signal="x", one_of=(1, 3)) == [False, True, False]


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_every_rule_is_evaluated_whatever_the_others_say(rows: int) -> None:
    rng = np.random.default_rng(rows)
    table = signals(x=rng.random(rows).tolist(), y=rng.random(rows).tolist())
    rules = [
        Rule(id="a", signal="x", max=0.5, source="test"),
        Rule(id="b", signal="y", max=0.5, source="test"),
    ]
    forth = evaluate(rules, table)
    back = evaluate(rules[::-1], table)[::-1]
    for one, other, name in zip(forth, back, ("x", "y"), strict=True):
        assert one is not None and other is not None
        assert one.fails.tolist() == other.fails.tolist() == (table[name].to_numpy() > 0.5).tolist()
