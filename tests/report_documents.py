"""Results made for the tests of the report: documents that attack it, and a corpus of many shards."""

import msgspec

import dataaudit
from dataaudit.closeup import Curve, Excerpt
from dataaudit.result import DriftPart, Example, Part

ATTACKS = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "\"><img src=x onerror='window.hacked = 3'>",
    "' onmouseover='window.hacked = 4' x='",
    "</style><style>body { display: none }</style><svg onload=window.hacked=5>",
    "<!--<script>",
    "]]><iframe src='javascript:parent.hacked = 6'></iframe>",
    "{{ 7 * 7 }} {% raw %} {0} @page.copy",
    "line\u2028separator\u2029and NUL \x00 and \x1b[31mred",
    "\u202eright to left override\u202c and \u2066isolate\u2069 and \ufeffBOM",
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd with English",
    "W" * 1_000_000,
    "javascript:window.hacked=8",
    "mail jane.doe@example.org or +44 20 7946 0958, 13812345678, from 192.168.17.23",
]


def many(result: dataaudit.AuditResult, *, shards: int, sources: int, rules: int) -> dataaudit.AuditResult:
    """Returns the result grown to a large corpus's: long names, full lists, excerpts everywhere."""
    replace = msgspec.structs.replace
    assert result.closeup is not None
    assert result.drift is not None
    part = result.drift.shards[0]
    parts = [_part(part, place) for place in range(min(shards, 200))]
    windows = [replace(_part(part, place), first_document=place * 10_000) for place in range(2_000)]
    outcome, close = result.rules[2], result.closeup.rules[2]
    excerpt = Excerpt(
        kind="random",
        doc_id=1,
        id="id",
        file="f" * 90,
        record=1,
        source="s",
        value=0.5,
        text="文字&<" * 150,
        start=3,
        stop=9,
    )
    names = [f"team/rule-{place:03d}" for place in range(rules)]
    curve = Curve(side="max", limits=[place / 55 for place in range(56)], documents=[7] * 56, tokens=[9] * 56)
    of_rule = [
        replace(
            close,
            id=name,
            curves=[replace(curve, limits=sorted({*curve.limits, outcome.max or 0.0}))],
            examples=[excerpt] * 8,
        )
        for name in names
    ]
    of_rule = [
        replace(
            each, curves=[replace(c, documents=[7] * len(c.limits), tokens=[9] * len(c.limits)) for c in each.curves]
        )
        for each in of_rule
    ]
    source = result.sources[0]
    return replace(
        result,
        corpus=replace(result.corpus, shards=shards, files=shards),
        rules=[replace(outcome, id=name) for name in names],
        sources=[replace(source, name=f"source {place} " + "x" * 40) for place in range(sources)],
        files=[replace(result.files[0], name=f"shard-{place:05d}/" + "y" * 60) for place in range(1000)],
        findings=[_grown(each) for each in result.findings],
        drift=replace(result.drift, shard_count=shards, window_count=2_000, shards=parts, windows=windows),
        closeup=replace(result.closeup, rules=of_rule, findings={each.id: [excerpt] * 3 for each in result.findings}),
    )


def _part(part: DriftPart, place: int) -> DriftPart:
    return msgspec.structs.replace(part, name=f"web/shard-{place:05d}.jsonl.zst", kl_excess=(place % 37) / 100)


def _grown(finding: dataaudit.Finding) -> dataaudit.Finding:
    example = Example(doc_id=1, id="i" * 60, file="f" * 90, record=1, source="s" * 40, value=0.25)
    parts = [Part(name="p" * 60, documents=3, of_documents=4, share=0.75)] * 5
    return msgspec.structs.replace(finding, examples=[example] * 10, worst_shards=parts, worst_sources=parts)
