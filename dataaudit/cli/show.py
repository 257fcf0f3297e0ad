"""``dataaudit show``: the documents behind a number."""

import json
import sys
from pathlib import Path
from typing import Any

from dataaudit.cli.answer import say
from dataaudit.output.visible import one_line, visible
from dataaudit.pipeline.lookup import Shown, documents_of_check, load_result, look_up
from dataaudit.pipeline.rule_examples import RuleVerdict, examples_of_rule, judged, verdicts_of_document
from dataaudit.pipeline.spans import Span
from dataaudit.rules.evaluate import NULL_MEANS_NONE

AROUND = 60
"""Characters that are shown before and after a matched place."""
MOST_MATCHED = 200


def print_documents(
    place: Path, *, doc: int | None, check: str | None, rule: str | None, count: int, characters: int, as_json: bool
) -> None:
    """Prints documents of a run, or of a filter's output: one by id, those behind a check, or examples of a rule."""
    run = judged(place).run
    groups: dict[int, list[str]] = {}
    if doc is not None:
        groups[doc] = []
    elif check is not None:
        groups = {each: [] for each in documents_of_check(run, check, count)}
    else:
        assert rule is not None
        for chosen in examples_of_rule(place, rule, count):
            groups.setdefault(chosen.doc_id, []).append(chosen.group)
    shown = look_up(run, list(groups))
    cards = [(each, groups[each.identity["doc_id"]], _verdicts(place, each, rule)) for each in shown]
    if as_json:
        plain = [_plain(each, names, verdicts, characters) for each, names, verdicts in cards]
        say(json.dumps(plain, ensure_ascii=False, indent=2))
    elif not shown:
        say("no documents." if check is None else _without_documents(run, check))
    else:
        brief = rule is not None
        say("\n\n".join(_card(*card, characters=characters, brief=brief) for card in cards))


def _without_documents(run: Path, check: str) -> str:
    """Says what a finding found of which the report keeps no document: it is about files, say, or nothing was found."""
    message = next(finding.message for finding in load_result(run).findings if finding.id == check)
    return f"{visible(message)}\nThe report keeps no document for it. What to do about it: dataaudit explain {check}"


def _verdicts(place: Path, shown: Shown, rule: str | None) -> list[RuleVerdict]:
    found = verdicts_of_document(place, shown.identity["doc_id"], shown.text)
    return found if rule is None else [each for each in found if each.rule == rule]


def _plain(shown: Shown, groups: list[str], verdicts: list[RuleVerdict], characters: int) -> dict[str, Any]:
    return {
        **shown.identity,
        "groups": groups,
        "signals": shown.signals,
        "rules": [{**each._asdict(), "span": each.span and each.span._asdict()} for each in verdicts],
        "text": shown.text and shown.text[:characters],
    }


def _card(shown: Shown, groups: list[str], verdicts: list[RuleVerdict], *, characters: int, brief: bool) -> str:
    identity = shown.identity
    lines = [f"doc_id {identity['doc_id']}  {_place_of(identity)}"]
    if identity["id"] is not None:
        lines[0] += f"  id {one_line(identity['id'])}"
    if groups:
        lines.append(f"  {'; '.join(groups)}")
    if shown.reason is not None:
        lines.append(f"  not a document: {one_line(shown.reason)}")
    if not brief:
        numbers = [f"{one_line(name)} {_number(value)}" for name, value in shown.signals.items() if value is not None]
        lines += ["  " + "  ".join(numbers[first : first + 4]) for first in range(0, len(numbers), 4)]
    lines += _rules(verdicts, shown.text)
    if shown.text is not None:
        rest = len(shown.text) - characters
        more = f" ... and {rest:,} more characters" if rest > 0 else ""
        lines.append("  | " + visible(shown.text[:characters]).replace("\n", "\n  | ") + more)
    return "\n".join(lines)


def _rules(verdicts: list[RuleVerdict], text: str | None) -> list[str]:
    """Returns a line a rule, those that the document fails first, and the place in the text under each of them."""
    lines = []
    width = max((len(each.rule) for each in verdicts), default=0)
    for each in sorted(verdicts, key=lambda each: each.says != "fails"):
        says = "flagged" if each.says == "fails" and each.action == "flag" else each.says
        shown = says.upper() if says == "fails" else says
        lines.append(f"  {shown:<14}  {each.rule:<{width}}  {one_line(_limits(each))}".rstrip())
        if each.span is not None and text is not None:
            lines.append(f"  {'':<14}  {_place(each.span, text)}")
    return lines


def _limits(verdict: RuleVerdict) -> str:
    if verdict.signal is None:
        return ""
    if verdict.signal in NULL_MEANS_NONE and verdict.value is None:
        return f"{verdict.signal} none"
    if verdict.signal == "exact_duplicate_of" and verdict.value is not None:
        return f"copy of document {int(verdict.value)}"
    value = "undefined" if verdict.value is None else _number(verdict.value)
    if verdict.says == "not measured":
        value = "-"
    low = "" if verdict.min is None else f", min {_number(verdict.min)}"
    high = "" if verdict.max is None else f", max {_number(verdict.max)}"
    margin = "" if verdict.margin is None else f", {_past(verdict.margin)}"
    return f"{verdict.signal} {value}{low}{high}{margin}"


def _past(margin: float) -> str:
    return f"past by {_number(margin)}" if margin > 0 else f"{_number(abs(margin))} to spare"


def _place(span: Span, text: str) -> str:
    """Returns the matched place with what stands around it, in brackets, and inverse on a terminal."""
    begin, end = ("\x1b[7m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    before = text[max(0, span.start - AROUND) : span.start]
    matched = text[span.start : span.stop]
    if len(matched) > MOST_MATCHED:
        matched = f"{matched[:MOST_MATCHED]}... ({len(matched):,} characters)"
    after = text[span.stop : span.stop + AROUND]
    parts = [visible(each).replace("\n", "↵") for each in (before, matched, after)]
    return f"at {span.start:,}: {parts[0]}{begin}⟦{parts[1]}⟧{end}{parts[2]}"


def _place_of(identity: dict[str, Any]) -> str:
    return f"{one_line(identity['file'])}:{identity['record']}  source {one_line(identity['source'])}"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
