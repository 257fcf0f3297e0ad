"""What rules mean, said again in plain Python for one document at a time."""

import math


def limit(value, step):
    """A limit as a number: at a step, or in the end for None."""
    if value is None or isinstance(value, int | float):
        return value
    if step is None:
        return value.final
    if step == 0:
        return value.initial
    return value.final - (value.final - value.initial) * math.exp(-step / value.decay_steps)


def failing(rules, row, step=None):
    """The ids of the rules that a document fails, as (id, value, margin)."""
    if row["whitespace_char_ratio"] in (None, 1.0):
        return [("empty", None, None)]
    found = []
    for rule in rules:
        if not all(
            row[each.signal] is not None
            and (each.min is None or row[each.signal] >= each.min)
            and (each.max is None or row[each.signal] <= each.max)
            for each in rule.applies_when
        ):
            continue
        value, low, high = row[rule.signal], limit(rule.min, step), limit(rule.max, step)
        if value is None:
            if rule.if_null == "quarantine":
                found.append((rule.id, None, None))
            continue
        past = max(-math.inf if low is None else low - value, -math.inf if high is None else value - high)
        if past > 0:
            found.append((rule.id, value, past))
    return found
