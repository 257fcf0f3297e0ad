"""Checks whether token ids are those of the text that was given beside them."""

from typing import Any

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.reencoded import TextCompared
from dataaudit.checks.tokenizer_identity import GROUP, examples_of, shown, told
from dataaudit.checks.wording import agree, counted, percent
from dataaudit.result import Example


@check(
    "text-identity",
    group=GROUP,
    title="Ids are those of the text",
    unit="share of documents",
    needs=("text_beside",),
)
def text_identity(evidence: Evidence, options: Options) -> Outcome:
    """Share of sampled documents whose ids are not those that the tokenizer makes of the text beside them (--text).

    512 documents of a corpus that came as token ids, chosen by a hash of their doc_id, and the first 1,024 ids of each.
    Special ids, and model.bos_id, eos_id and pad_id, before and after the text are left out. Where only the first or
    last 16 ids differ, or the text goes on after the last id, it counts as the same. A document without a text counts
    as another one; where the text has more or fewer records than the ids, all do.

    Why: ids of another text, of another tokenizer or out of step with their documents train another model.
    Do: tokenize the text again with the model's tokenizer, or give the text that the ids were made of.
    """
    found = evidence.text_beside
    assert found is not None
    sampled = found.sample.documents + len(found.without_text)
    if not sampled or (found.sample.documents and not found.sample.tokens and not found.sample.encoded_tokens):
        return Outcome.skip("The sampled documents have no ids besides special ones.")
    differ = sampled - found.sample.same_inside
    share = differ / sampled if found.is_in_step else 1.0
    return Outcome(
        share,
        _message(evidence, found, sampled, differ),
        documents=differ if found.is_in_step else sampled,
        details=_details(found, sampled),
        examples=_examples(evidence, found),
    )


def _message(evidence: Evidence, found: TextCompared, sampled: int, differ: int) -> str:
    parts = []
    if not found.is_in_step:
        assert found.text_records is not None
        parts.append(
            f"The ids have {counted(found.records, 'record')} and the text {found.text_records:,}, so which text "
            "belongs to which ids is not known."
        )
    if not differ:
        parts.append(f"The ids of all of {counted(sampled, 'sampled document')} are those of the text.")
    else:
        parts.append(
            f"{differ:,} of {counted(sampled, 'sampled document')} ({percent(differ / sampled)}) "
            f"{agree(differ, 'have')} other ids than the text{_first(evidence, found)}."
        )
    if found.without_text:
        parts.append(f"{counted(len(found.without_text), 'sampled document')} without a text.")
    if found.damage is not None:
        parts.append(f"The text could not be read to its end: {found.damage}.")
    parts.append(
        f"Special ids at the ends are left out: {found.special_first:,} begin and {found.special_last:,} end with one."
    )
    return " ".join(parts)


def _first(evidence: Evidence, found: TextCompared) -> str:
    """Says where the first of the documents differs whose ids differ inside."""
    first = next((each for each in found.sample.differing if not each.is_same_inside), None)
    if first is None:
        return ""
    place = next((each for each in _examples(evidence, found) if each.doc_id == first.doc_id), None)
    where = f"document {first.doc_id}" if place is None else f"{place.file}, record {place.record},"
    return (
        f"; {where} first at position {first.position:,}: {shown(first.given, first.given_text)} is given, "
        f"{shown(first.encoded, first.encoded_text)} is the text's"
    )


def _details(found: TextCompared, sampled: int) -> dict[str, Any]:
    return {
        "text": found.text,
        "records": found.records,
        "text_records": found.text_records,
        "sampled_documents": sampled,
        "same": found.sample.same,
        "same_apart_from_the_ends": found.sample.same_inside,
        "without_text": len(found.without_text),
        "ids_compared_of_a_document": found.sample.prefix,
        "begin_with_a_special_id": found.special_first,
        "end_with_a_special_id": found.special_last,
        "damage": found.damage,
        "differences": [told(each) for each in found.sample.differing],
    }


def _examples(evidence: Evidence, found: TextCompared) -> list[Example]:
    """Returns the documents that differ inside, then those without a text, 10 at most."""
    reasons = {
        each.doc_id: f"differs first at position {each.position}"
        for each in found.sample.differing
        if not each.is_same_inside
    }
    room = max(0, 10 - len(reasons))
    return examples_of(evidence, reasons | dict.fromkeys(found.without_text[:room], "has no text beside its ids"))
