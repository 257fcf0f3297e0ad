"""Checks of reading: what was there and could not be used."""

from collections.abc import Callable
from typing import Any, NamedTuple

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.wording import agree, counted, every, percent
from dataaudit.corpus import WRONG_ID
from dataaudit.result import FileSummary

GROUP = "reading"
WRONG = f"without_text: {WRONG_ID}"
"""How the reason of a record begins whose list holds something that is no token id."""


@check("unreadable-records", group=GROUP, title="Unreadable records", unit="share of records")
def unreadable_records(evidence: Evidence, options: Options) -> Outcome:
    """Share of records that could not be decoded, parsed, or are no object; each stands in the ledger.

    Why: another reader may stop there, skip the rest of the file, or read something else.
    Do: see ``ledger/`` for file, line and reason; mend the program that wrote them.
    """
    kind = _Kind("could not be read", "could be read", lambda file: file.unreadable, "unreadable:")
    return _lost(evidence, kind)


@check("documents-without-text", group=GROUP, title="Records without text", unit="share of records")
def documents_without_text(evidence: Evidence, options: Options) -> Outcome:
    """Share of readable records whose text is missing, null or not a string.

    In a corpus of token ids, records whose list holds something else are counted by wrong-ids instead.

    Why: often a column was renamed in one file of many, and its documents silently go missing.
    Do: look at the files named; give ``--text-column`` if the column has another name.
    """
    kind = _Kind("have no text", "have a text", lambda file: file.without_text - file.wrong_ids, "without_text:")
    return _lost(evidence, kind)


@check("wrong-ids", group=GROUP, title="Lists that hold no token ids", unit="records", needs=("given_ids",))
def wrong_ids(evidence: Evidence, options: Options) -> Outcome:
    """Records whose list of token ids holds NaN, an infinite number, a float, a null, a text, or no 64-bit number.

    Why: a trainer that casts them takes NaN for id 0 or for a huge one, and a float for the id below it.
    Do: mend the program that wrote them; they went through a table of floats, or a value was lost.
    """
    kind = _Kind("hold no token ids", "could be read as token ids", lambda file: file.wrong_ids, WRONG)
    outcome = _lost(evidence, kind)
    outcome.details["share"], outcome.value = outcome.value, outcome.documents
    return outcome


class _Kind(NamedTuple):
    """Records that gave no document.

    Attributes:
        verb: what is said of them, in the plural.
        good: what is said of all others when there are none.
        of: how many a file has.
        mark: how their reason begins.
    """

    verb: str
    good: str
    of: Callable[[FileSummary], int]
    mark: str


def _lost(evidence: Evidence, kind: _Kind) -> Outcome:
    records = sum(file.records for file in evidence.files)
    lost = sum(kind.of(file) for file in evidence.files)
    if not records:
        return Outcome.skip("No records.")
    worst = sorted((file for file in evidence.files if kind.of(file)), key=lambda file: (-kind.of(file), file.name))
    details = {
        "records": records,
        "lost": lost,
        "files": [{"file": file.name, "lost": kind.of(file), "records": file.records} for file in worst[:10]],
    }
    if not lost:
        others = records - sum(file.unreadable for file in evidence.files)
        message = f"{every(others, 'record' if others == records else 'readable record')} {agree(others, kind.good)}."
        return Outcome(0.0, message, documents=0, details=details)
    message = (
        f"{lost:,} of {counted(records, 'record')} ({percent(lost / records)}) {agree(lost, kind.verb)}, "
        f"in {counted(len(worst), 'file')}; most in {worst[0].name}."
    )
    reasons = [(each, each.reason or "") for each in evidence.lost]
    examples = [
        each for each, why in reasons if why.startswith(kind.mark) and why.startswith(WRONG) == (kind.mark == WRONG)
    ]
    return Outcome(lost / records, message, documents=lost, details=details, examples=examples[:10])


@check("damaged-files", group=GROUP, title="Damaged files", unit="files")
def damaged_files(evidence: Evidence, options: Options) -> Outcome:
    """Files that could not be opened, or not to their end: truncated gzip, a Parquet file without its footer.

    Why: the documents behind the damage are missing from the corpus, and a trainer's reader may stop there.
    Do: copy or make these files again, then run the same command: only their shards are measured again.
    """
    damaged = [file for file in evidence.files if file.damage is not None]
    details = {"files": [{"file": file.name, "reason": file.damage} for file in damaged[:100]]}
    if not damaged:
        count = len(evidence.files)
        return Outcome(0, f"{every(count, 'file')} {'was' if count == 1 else 'were'} read to the end.", details=details)
    first = damaged[0]
    message = (
        f"{len(damaged):,} of {counted(len(evidence.files), 'file')} {agree(len(damaged), 'are')} damaged; "
        f"first {first.name}: {first.damage}."
    )
    return Outcome(len(damaged), message, details=details)


@check("repeated-ids", group=GROUP, title="Repeated ids", unit="ids", needs=("id",))
def repeated_ids(evidence: Evidence, options: Options) -> Outcome:
    """Ids of the user's own that stand on more than one document; the documents stay distinct.

    Why: joins by id, and resumes that skip known ids, then lose or repeat documents.
    Do: make ids unique, or do not rely on them.
    """
    ids = evidence.documents.select("id").drop_nulls().group_by("id").agg(pl.len().alias("n")).filter(pl.col("n") > 1)
    repeated = ids.select(pl.len(), pl.col("n").sum().alias("documents")).collect(engine="streaming").row(0)
    without = evidence.total(pl.col("id").is_null().sum())
    details: dict[str, Any] = {"documents": int(repeated[1] or 0), "documents_without_id": without}
    if not repeated[0]:
        return Outcome(0, f"Every id is unique ({counted(without, 'document')} without an id).", details=details)
    some = ids.sort("n", "id", descending=[True, False]).head(10).collect()
    details["ids"] = [{"id": row["id"], "documents": row["n"]} for row in some.iter_rows(named=True)]
    message = (
        f"{counted(repeated[0], 'id')} {agree(repeated[0], 'stand')} on more than one document "
        f"({counted(int(repeated[1]), 'document')})."
    )
    return Outcome(repeated[0], message, documents=int(repeated[1]), details=details)
