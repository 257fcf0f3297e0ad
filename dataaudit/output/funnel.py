"""What a filter removes, as text for a terminal."""

from collections.abc import Iterator, Sequence

from dataaudit.filter_result import Amount, Balance, FilterResult, Funnel, Group
from dataaudit.output.visible import one_line

LISTED = 12


def render_funnel(funnel: Funnel, listed: int = LISTED) -> str:
    """Returns the funnel: rule by rule, who overlaps, and from where documents are removed."""
    return "\n".join(_funnel(funnel, listed)) + "\n"


def render_filter(result: FilterResult, listed: int = LISTED) -> str:
    """Returns what a filter did: the funnel and the balance."""
    lines = list(_funnel(result.funnel, listed))
    lines += ["", *_balance(result)]
    return "\n".join(lines) + "\n"


def _funnel(funnel: Funnel, listed: int) -> Iterator[str]:
    has_tokens = funnel.all.tokens is not None
    unit = "tokens" if has_tokens else "bytes"

    def size(amount: Amount) -> int:
        return amount.tokens or 0 if has_tokens else amount.bytes

    yield f"{funnel.all.documents:,} documents, {size(funnel.all):,} {unit}"
    acting = [rule for rule in funnel.rules if rule.removed.documents and rule.action == "quarantine"]
    if acting:
        yield ""
        width = max(len(rule.id) for rule in acting)
        header = f"{'rule':<{width}}  {'documents':>12}  {unit:>15}  {'only by it':>12}  {'left':>12}"
        yield header
        for rule in acting:
            yield (
                f"{rule.id:<{width}}  {rule.removed.documents:>12,}  {size(rule.removed):>15,}  "
                f"{rule.alone.documents:>12,}  {rule.left.documents:>12,}"
            )
    share = f", {funnel.removed.documents / funnel.all.documents:.2%} of documents" if funnel.all.documents else ""
    yield ""
    yield f"removed {funnel.removed.documents:,} documents, {size(funnel.removed):,} {unit}{share}"
    yield f"kept    {funnel.kept.documents:,} documents, {size(funnel.kept):,} {unit}"
    flagged = [f"{rule.id} {rule.removed.documents:,}" for rule in funnel.rules if _flags(rule.action, rule.removed)]
    if flagged:
        yield f"flagged only: {', '.join(flagged)}"
    if funnel.overlaps:
        pairs = [f"{pair.first} + {pair.second} {pair.documents:,}" for pair in funnel.overlaps[:5]]
        yield f"overlap: {'; '.join(pairs)}"
    if funnel.matched_nothing:
        yield f"matched nothing: {', '.join(funnel.matched_nothing)}"
    skipped = [rule.id for rule in funnel.rules if rule.status == "not measured"]
    if skipped:
        yield f"not measured, so skipped: {', '.join(skipped)}"
    for title, groups in (("source", funnel.sources), ("language", funnel.languages), ("characters", funnel.lengths)):
        yield from _groups(title, groups, listed)
    for name in funnel.alarms:
        yield f"ALARM: more than half of source {one_line(name)} would go"


def _flags(action: str, removed: Amount) -> bool:
    return action == "flag" and removed.documents > 0


def _groups(title: str, groups: Sequence[Group], listed: int) -> Iterator[str]:
    yield ""
    yield f"{title:<24}  {'documents':>12}  {'removed':>12}  {'share':>7}"
    for group in groups[:listed]:
        share = group.removed.documents / group.all.documents
        name = one_line(group.name)
        name = name if len(name) <= 24 else name[:21] + "..."
        yield f"{name:<24}  {group.all.documents:>12,}  {group.removed.documents:>12,}  {share:>7.1%}"
    if len(groups) > listed:
        yield f"... and {len(groups) - listed:,} more"


def _balance(result: FilterResult) -> Iterator[str]:
    yield f"{'records':>9} {_law(result.records)}"
    yield f"{'bytes':>9} {_law(result.bytes)}"
    if result.tokens.total:
        yield f"{'tokens':>9} {_law(result.tokens)}"
    damaged = [file for file in result.files if file.damage]
    for file in damaged[:LISTED]:
        yield f"  damaged: {one_line(file.name)}: {one_line(file.damage or '')}"
    if result.restored:
        names = [each.rule + ("" if each.doc_id is None else f" ({each.doc_id})") for each in result.restored]
        yield f"  restored: {', '.join(names)}"
    if result.conserved:
        yield f"  conserved: every record is in one place, in all {len(result.files):,} files"
    else:
        wrong = [one_line(file.name) for file in result.files if not file.holds]
        yield f"  NOT CONSERVED: records are missing or doubled{': ' + ', '.join(wrong[:LISTED]) if wrong else ''}"


def _law(balance: Balance) -> str:
    return (
        f"{balance.total:,} = {balance.clean:,} clean + {balance.quarantine:,} quarantine "
        f"+ {balance.without_text:,} without text + {balance.unreadable:,} unreadable"
    )
