"""What changed from one run to another, as text for a terminal."""

from collections.abc import Iterator
from typing import Any

from dataaudit.comparison.result import CheckChange, Comparison, Place, Side
from dataaudit.output.visible import one_line

LISTED = 20
EXAMPLES = 3
MOST_CHARACTERS = 60


def render_comparison(found: Comparison) -> str:
    """Returns the two runs, what changed, and whether a check got worse as the last line."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield from _columns([["old", *_side(found.old)], ["new", *_side(found.new)]])
    yield from _method(found)
    yield from _checks(found)
    yield from _section("values that moved", [_value(each) for each in found.values])
    yield from _signals(found)
    yield from _section(
        "mixture (share of tokens, or of characters without them)",
        [
            [
                each.name,
                f"{each.old_share:.1%}",
                "→",
                f"{each.new_share:.1%}",
                _counts(each.old_documents, each.new_documents),
            ]
            for each in found.sources
        ],
    )
    yield from _section(
        "rules (documents that fail)",
        [
            [each.id, _counts(each.old_documents, each.new_documents), "limits differ" if each.limits_differ else ""]
            for each in found.rules
        ],
    )
    yield ""
    yield from _documents(found)
    yield ""
    if found.checks_reason is not None:
        yield "NOT JUDGED  checks were not compared"
    elif found.regressions:
        count = f"{len(found.regressions)} check{'s' if len(found.regressions) > 1 else ''}"
        yield f"WORSE  {count} got worse: {', '.join(map(one_line, found.regressions))}"
    else:
        yield "NOT WORSE  no check got worse"


def _side(side: Side) -> list[str]:
    sizes = [(side.documents, "documents"), (side.tokens, "tokens"), (side.characters, "characters")]
    shown = [f"{number:,} {unit}" for number, unit in sizes if number is not None]
    return [side.name, "not judged" if side.verdict is None else side.verdict.upper(), ", ".join(shown)]


def _method(found: Comparison) -> Iterator[str]:
    rows = [[each.what, _short(each.old), "→", _short(each.new)] for each in found.method]
    yield from _section("the runs were made differently, which may be why numbers moved", rows)


def _checks(found: Comparison) -> Iterator[str]:
    rows = []
    for each in found.checks:
        change = f"{each.old_status or 'none'} → {each.new_status or 'none'}"
        kind = "worse" if each.id in found.regressions else "changed"
        levels = "(judged by other levels) " if each.levels_differ else ""
        rows.append([kind, each.id, change, levels + each.message])
    yield from _section("checks with another status", rows)
    if found.checks_reason is not None:
        yield from ("", f"checks: not compared ({one_line(found.checks_reason)})")


def _value(change: CheckChange) -> list[str]:
    return [change.id, _number(change.old_value), "→", _number(change.new_value), change.unit or ""]


def _signals(found: Comparison) -> Iterator[str]:
    rows = [
        [
            each.name,
            f"D {_number(each.distance)}",
            f"JSD {_number(each.jensen_shannon)} (noise {_number(each.noise_floor)})",
            f"undefined {_percent(each.old_undefined_share)} → {_percent(each.new_undefined_share)}",
        ]
        for each in found.signals
    ]
    yield from _section(f"signals that moved ({len(rows)} of {found.signals_compared} compared)", rows)
    yield from _section("signals not compared", [list(each) for each in found.signals_not_compared.items()])


def _documents(comparison: Comparison) -> Iterator[str]:
    found = comparison.documents
    if found is None:
        yield f"documents: not available ({one_line(comparison.documents_reason or '')})"
        return
    how = " (texts compared in normal form)" if comparison.checks_reason is None else ""
    yield (
        f"documents: {found.unchanged:,} unchanged, {found.changed:,} changed, {found.added:,} added, "
        f"{found.removed:,} removed{how}"
    )
    rows = [["changed", _place(each.old), "→", _place(each.new)] for each in found.changed_examples[:EXAMPLES]]
    rows += [["added", "", "", _place(each)] for each in found.added_examples[:EXAMPLES]]
    rows += [["removed", _place(each), "", ""] for each in found.removed_examples[:EXAMPLES]]
    yield from _columns(rows)
    for title, shares in (("removed by rule", found.removed_by_rule), ("added again, by rule", found.added_by_rule)):
        yield from _section(
            title, [[each.id, f"{each.documents:,}", f"({each.alone:,} by it alone)"] for each in shares]
        )


def _place(place: Place) -> str:
    name = "" if place.id is None else f"id {place.id}, "
    return f"{place.file}:{place.record} ({name}doc_id {place.doc_id})"


def _section(title: str, rows: list[list[str]]) -> Iterator[str]:
    """Yields a title and a line a row; nothing without rows."""
    if rows:
        yield ""
        yield title
        yield from _columns(rows[:LISTED])
        if len(rows) > LISTED:
            yield f"  ... and {len(rows) - LISTED:,} more (--format json has them)"


def _columns(rows: list[list[str]]) -> Iterator[str]:
    shown = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _counts(old: int | None, new: int | None) -> str:
    before, after = ("not judged" if each is None else f"{each:,}" for each in (old, new))
    return f"{before} → {after}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."
