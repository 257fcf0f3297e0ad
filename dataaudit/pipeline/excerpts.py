"""Reads the excerpts of a report: short, around the matched part, without addresses and phone numbers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from dataaudit.checks.reencoded import Reencoded
from dataaudit.closeup import Closeup, Excerpt
from dataaudit.errors import DataAuditError
from dataaudit.pipeline.decoded import Decoded, decoded
from dataaudit.pipeline.document_texts import texts_of
from dataaudit.pipeline.matched import matched
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import RunFolder
from dataaudit.result import AuditResult, Duplicates

EXAMPLES = 8
"""Excerpts of a rule, unless the user says otherwise."""
EXCERPT_CHARACTERS = 600
LEAD = 160
"""Characters before the matched part."""
MARGIN = 320
"""An address that the excerpt cuts in two is still seen with this much around it."""

_PRIVATE = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
    r"|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
    r"|(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){4,7}[0-9A-Fa-f]{1,4}(?![\w:])"
    r"|(?<!\d)(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"
    r"|(?<![\w+])\+\d[\d ().-]{7,17}\d(?!\d)"
    r"|(?<![\w.])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)"
    r"|(?<!\d)0\d{2,3}-\d{7,8}(?!\d)"
)
Key = tuple[str, str]
Wanted = Mapping[Key, tuple[str | None, list[Excerpt]]]


@dataclass
class Texts:
    """Where excerpts come from.

    Attributes:
        each: how many a rule has at most.
        read: whether the corpus is read for those that *known* has not.
        known: excerpts of an earlier report, by rule or finding and document.
    """

    each: int
    read: bool
    known: dict[tuple[Key, int], Excerpt] = field(default_factory=dict)


def texts_for_audit(examples: int | None) -> Texts:
    """Returns where an audit's excerpts come from: the corpus, *examples* a rule."""
    return Texts(EXAMPLES if examples is None else examples, read=True)


def texts_for_check(examples: int | None, earlier: AuditResult | None) -> Texts:
    """Returns where a check's excerpts come from: the report before; the corpus too, if *examples* were asked for."""
    closeup = earlier.closeup if earlier is not None else None
    each = closeup.examples if closeup is not None else EXAMPLES
    return Texts(each if examples is None else examples, examples is not None, known_excerpts(closeup))


def masked(text: str) -> str:
    """Returns the text with e-mail addresses, IP addresses and phone numbers as bullets; its length stays."""
    return _PRIVATE.sub(lambda found: "•" * len(found[0]), text)


def known_excerpts(closeup: Closeup | None) -> dict[tuple[Key, int], Excerpt]:
    """Returns the excerpts of an earlier report that have a text."""
    if closeup is None:
        return {}
    rules = [(("rule", rule.id), each) for rule in closeup.rules for each in rule.examples]
    findings = [(("finding", name), each) for name, listed in closeup.findings.items() for each in listed]
    return {(key, each.doc_id): each for key, each in (*rules, *findings) if each.text is not None}


def excerpted(run: RunFolder, plan: Plan, wanted: Wanted, texts: Texts) -> dict[Key, list[Excerpt]]:
    """Returns the documents with their texts; those that can no longer be read have none.

    *wanted* are, by rule or finding, the signal that is to blame and the documents; *texts* is where they come from.
    """
    found: dict[tuple[Key, int], Excerpt] = {}
    missing: dict[int, list[tuple[Key, str | None, Excerpt]]] = {}
    for key, (signal, listed) in wanted.items():
        for each in listed:
            earlier = texts.known.get((key, each.doc_id))
            if earlier is not None:
                found[key, each.doc_id] = _with_text_of(each, earlier)
            elif texts.read:
                missing.setdefault(each.doc_id, []).append((key, signal, each))
    for doc_id, text in _read(run, plan, sorted(missing)):
        for key, signal, each in missing[doc_id]:
            found[key, doc_id] = excerpt_of(each, text, signal)
    ids = [(key, each) for asked in missing.values() for key, _, each in asked if (key, each.doc_id) not in found]
    parts = decoded(run, plan, {(each.doc_id, each.position) for _, each in ids})
    for key, each in ids:
        if (each.doc_id, each.position) in parts:
            found[key, each.doc_id] = excerpt_of_tokens(each, parts[each.doc_id, each.position])
    return {key: [found.get((key, each.doc_id), each) for each in listed] for key, (_, listed) in wanted.items()}


def _with_text_of(each: Excerpt, earlier: Excerpt) -> Excerpt:
    return msgspec.structs.replace(
        each,
        text=earlier.text,
        start=earlier.start,
        stop=earlier.stop,
        before=earlier.before,
        after=earlier.after,
    )


def _read(run: RunFolder, plan: Plan, doc_ids: list[int]) -> Iterator[tuple[int, str]]:
    """Yields the texts; a corpus that has changed or gone since gives those before the change."""
    try:
        yield from texts_of(run, plan, doc_ids)
    except (DataAuditError, OSError):
        return


def excerpt_of(document: Excerpt, text: str, signal: str | None) -> Excerpt:
    """Returns the document with at most 600 characters of its text, around what the signal counts."""
    span = matched(signal, text) if signal is not None else None
    start = 0 if span is None else max(0, min(span[0] - LEAD, len(text) - EXCERPT_CHARACTERS))
    stop = min(len(text), start + EXCERPT_CHARACTERS)
    window = max(0, start - MARGIN)
    shown = masked(text[window : stop + MARGIN])[start - window : stop - window]
    return msgspec.structs.replace(
        document,
        text=shown,
        start=None if span is None else span[0] - start,
        stop=None if span is None else min(span[1], stop) - start,
        before=start,
        after=len(text) - stop,
    )


def excerpt_of_tokens(document: Excerpt, part: Decoded) -> Excerpt:
    """Returns the document with at most 600 characters of its decoded tokens, around the one that is named."""
    first = max(0, (part.start or 0) - LEAD)
    last = min(len(part.text), first + EXCERPT_CHARACTERS)
    return msgspec.structs.replace(
        document,
        text=masked(part.text)[first:last],
        start=None if part.start is None else part.start - first,
        stop=None if part.stop is None else min(part.stop, last) - first,
    )


def without_private(duplicates: Duplicates | None, texts: Texts) -> Duplicates | None:
    """Returns the duplicates with their excerpts masked, or without any when no texts are wanted."""
    if duplicates is None:
        return None

    def shown(excerpt: str | None) -> str | None:
        return masked(excerpt) if excerpt is not None and texts.each else None

    replaced = msgspec.structs.replace
    return replaced(
        duplicates,
        clusters=[replaced(each, excerpt=shown(each.excerpt)) for each in duplicates.clusters],
        repeats=[replaced(each, excerpt=shown(each.excerpt)) for each in duplicates.repeats],
    )


def without_private_ids(reencoded: Reencoded | None, texts: Texts) -> Reencoded | None:
    """Returns the ids that differ with what they stand for masked, or without it when no texts are wanted."""
    if reencoded is None:
        return None

    def shown(text: str | None) -> str | None:
        return masked(text) if text is not None and texts.each else None

    replaced = msgspec.structs.replace
    differing = [
        replaced(each, given_text=shown(each.given_text), encoded_text=shown(each.encoded_text))
        for each in reencoded.differing
    ]
    return replaced(reencoded, differing=differing)
