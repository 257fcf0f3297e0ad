"""A judged order of training, as text for a terminal."""

from collections.abc import Iterator

from dataaudit.order_result import OrderResult
from dataaudit.output.visible import one_line
from dataaudit.output.wording import place
from dataaudit.result import Finding, Status

EXAMPLES = 3


def render_order(result: OrderResult) -> str:
    """Returns the findings, worst first, with the first documents of those that warn or fail, and the verdict."""
    counts = " · ".join(f"{count} {status}" for status in Status if (count := result.counts.get(status)))
    lines = [_head(result), ""]
    for finding in result.findings:
        lines += _finding(finding)
    return "\n".join([*lines, "", f"{result.verdict.upper()}  {counts}"]) + "\n"


def _head(result: OrderResult) -> str:
    ranks = f" × {result.world_size} ranks" if result.world_size > 1 else ""
    accumulated = f" × {result.grad_accum} accumulated" if result.grad_accum > 1 else ""
    return (
        f"order {one_line(result.order)}, batch {result.batch_size}{accumulated}{ranks}, packing {result.packing}: "
        f"{result.samples:,} samples of {result.documents:,} documents ({result.which_documents}), "
        f"{result.steps:,} steps"
    )


def _finding(finding: Finding) -> Iterator[str]:
    yield f"{finding.status.upper():<5} {finding.id}  {one_line(finding.message)}"
    if finding.status not in (Status.FAIL, Status.WARN):
        return
    for example in finding.examples[:EXAMPLES]:
        yield f"      {one_line(example.reason or '')}: {place(example)}"
    if len(finding.examples) > EXAMPLES:
        yield f"      ... {len(finding.examples) - EXAMPLES} more with --format json"
