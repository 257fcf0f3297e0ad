"""Checks whether the tokenizer is the one that made the token ids."""

from collections.abc import Mapping

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.reencoded import Reencoded, ReencodedDocument
from dataaudit.checks.wording import agree, counted, number, percent
from dataaudit.result import Example

GROUP = "token ids"


@check(
    "tokenizer-identity",
    group=GROUP,
    title="Ids come back from the tokenizer",
    unit="share of documents",
    needs=("reencoded",),
    options={"max_characters_per_token": 32, "max_tokens_per_character": 4},
)
def tokenizer_identity(evidence: Evidence, options: Options) -> Outcome:
    """Share of sampled documents whose ids change when they are decoded and the text is encoded again.

    512 documents of a corpus that came as token ids, chosen by a hash of their doc_id, and the first 1,024 ids of each.
    Special ids stay what they are. Where only the first or last 16 ids of a document differ it counts as the same: it
    was cut out of a longer text. Beside it: tokens a character, and whether that is plausible for any text.

    Why: ids of another tokenizer, or of another version of it, are other words; the loss does not say so.
    Do: give the tokenizer that the corpus was made with, or make the corpus again with the model's.
    """
    found = evidence.reencoded
    assert found is not None
    if not found.has_decoder:
        return Outcome.skip("The tokenizer's file has no decoder, so ids cannot be taken back to text.")
    if not found.tokens:
        return Outcome.skip("The sampled documents have no ids besides special ones.")
    differ = found.documents - found.same_inside
    rate = found.tokens / found.characters if found.characters else None
    most, least = options["max_tokens_per_character"], 1 / max(1, options["max_characters_per_token"])
    is_plausible = rate is not None and least <= rate <= most
    details = {
        "sampled_documents": found.documents,
        "same": found.same,
        "same_apart_from_the_ends": found.same_inside,
        "ids_compared_of_a_document": found.prefix,
        "tokens_per_character": rate,
        "encoded_tokens_per_character": found.encoded_tokens / found.characters if found.characters else None,
        "plausible_tokens_per_character": is_plausible,
        "differences": [told(each) for each in found.differing],
    }
    return Outcome(
        differ / found.documents,
        _message(found, differ, rate, is_plausible),
        documents=differ,
        details=details,
        examples=_examples(evidence, found),
    )


def _message(found: Reencoded, differ: int, rate: float | None, is_plausible: bool) -> str:
    sampled = counted(found.documents, "sampled document")
    if not differ:
        message = f"All of {sampled} come back with the same ids after decoding and encoding"
        cut = found.same_inside - found.same
        message += f", {cut:,} of them apart from cut ends." if cut else "."
    else:
        first = found.differing[0]
        message = (
            f"{differ:,} of {sampled} ({percent(differ / found.documents)}) {agree(differ, 'come')} back with other "
            f"ids; document {first.doc_id} first at position {first.position:,}: "
            f"{shown(first.given, first.given_text)} is given, {shown(first.encoded, first.encoded_text)} encoded."
        )
    if rate is None:
        return f"{message} The ids decode to no text at all."
    judged = "" if is_plausible else ", which no text has"
    return f"{message} {number(round(rate, 3))} tokens a character{judged}."


def shown(ids: list[int], text: str | None) -> str:
    """Returns ids as a sentence has them: what they stand for, where that is to be shown."""
    return f"ids {ids}" if text is None else f"{text!r}"


def told(each: ReencodedDocument) -> dict[str, object]:
    """Returns a difference as the details have it."""
    return {
        "doc_id": each.doc_id,
        "position": each.position,
        "given": each.given,
        "encoded": each.encoded,
        "given_text": each.given_text,
        "encoded_text": each.encoded_text,
        "only_at_the_ends": each.is_same_inside,
    }


def _examples(evidence: Evidence, found: Reencoded) -> list[Example]:
    differing = [each for each in found.differing if not each.is_same_inside]
    return examples_of(evidence, {each.doc_id: f"differs first at position {each.position}" for each in differing})


def examples_of(evidence: Evidence, reasons: Mapping[int, str]) -> list[Example]:
    """Returns the documents with these doc_ids, ascending, and the reason of each."""
    rows = (
        evidence.documents.filter(pl.col("doc_id").is_in(list(reasons)))
        .select("doc_id", "id", "file", "record", "source")
        .sort("doc_id")
        .collect(engine="streaming")
    )
    return [Example(**row, reason=reasons[row["doc_id"]]) for row in rows.iter_rows(named=True)]
