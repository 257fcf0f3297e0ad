"""How token ids are exported: which type, which limits, and which id stands between documents."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.corpus.token_array import first_misfit, largest_id
from dataaudit.corpus.token_writers import IdType, Sequences, TokenFormat, token_format
from dataaudit.errors import RunError, UsageError
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.token_source import TokenSource

Delimiter = int | Literal["default", "none"]


class ExportSettings(msgspec.Struct, frozen=True):
    """What a person asks for.

    Attributes:
        format: name of a token format.
        dtype: type of the ids; None chooses by the tokenizer's ids, the model's, and the largest one.
        append_eos: an id for the end of every document that does not end with it; ``default`` is ``model.eos_id``
            where the format's readers need it.
        prepend_bos: an id for the start of every document that does not start with it; ``default`` is
            ``model.bos_id``, else ``model.eos_id``, where the format's readers need it.
        max_shard_bytes: about how many bytes of ids a file holds; None is the format's own.
        vocab_size: ids from this number on are refused; None takes ``model.vocab_size``.
    """

    format: str
    dtype: str | None = None
    append_eos: Delimiter = "default"
    prepend_bos: Delimiter = "default"
    max_shard_bytes: int | None = None
    vocab_size: int | None = None


class Ends(NamedTuple):
    """Documents that start with an id, that end with it, and how often it stands within one."""

    starting: int
    ending: int
    inside: int


class Facts(NamedTuple):
    """What the ids are: counts, the smallest and the largest one, and where those that may separate documents stand."""

    documents: int
    empty: int
    tokens: int
    smallest: int | None
    largest: int | None
    ends: dict[int, Ends]


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What is written.

    Attributes:
        form: the format.
        dtype: type of the ids.
        prepend, append: ids for documents that do not have them there; None for none.
        shard_bytes: bytes of ids at which a file is full.
        notes: what a person should know.
    """

    form: TokenFormat
    dtype: IdType
    prepend: int | None
    append: int | None
    shard_bytes: int | None
    notes: list[str]


def survey(source: TokenSource, candidates: list[int], listener: Listener) -> Facts:
    """Reads all ids once, so that nothing is written that cannot be finished.

    Raises:
        RunError: a shard is damaged, or holds other documents than were counted.
    """
    documents = empty = tokens = 0
    smallest: int | None = None
    largest: int | None = None
    ends = {each: np.zeros(3, np.int64) for each in candidates}
    size = sum(output.bytes for output in source.parts.values())
    with listener.stage("looking at the ids", size) as progress:
        for ids, offsets, doc_ids, *_ in source.batches():
            documents += len(doc_ids)
            tokens += len(ids)
            empty += int((np.diff(offsets) == 0).sum())
            if len(ids):
                low, high = int(ids.min()), int(ids.max())
                smallest = low if smallest is None else min(smallest, low)
                largest = high if largest is None else max(largest, high)
            for each, counts in ends.items():
                counts += _ends(ids, offsets, each)
            progress(ids.nbytes)
    if documents != source.documents:
        raise RunError(
            f"{source.folder}/tokens holds {documents:,} documents, and {source.documents:,} were counted. Run the "
            "command again that made it."
        )
    found = {each: Ends(*(int(count) for count in counts)) for each, counts in ends.items()}
    return Facts(documents, empty, tokens, smallest, largest, found)


def _ends(ids: NDArray[Any], offsets: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
    hits = ids == wanted
    full = np.diff(offsets) > 0
    first, last = hits[offsets[:-1][full]], hits[offsets[1:][full] - 1]
    alone = first & (np.diff(offsets)[full] == 1)
    starting, ending = int(first.sum()), int(last.sum())
    return np.array([starting, ending, int(hits.sum()) - starting - ending + int(alone.sum())], np.int64)


def candidates(settings: ExportSettings, source: TokenSource) -> list[int]:
    """Returns the ids that may separate documents."""
    named = [settings.append_eos, settings.prepend_bos, source.model.eos_id, source.model.bos_id]
    return sorted({each for each in named if isinstance(each, int)})


def plan_export(settings: ExportSettings, source: TokenSource, facts: Facts) -> ExportPlan:
    """Decides what to write.

    Raises:
        UsageError: the format cannot hold it, or an option is missing.
        RunError: an id is out of range.
    """
    form = token_format(settings.format)
    notes: list[str] = []
    prepend, append = _delimiters(settings, form, source, facts, notes)
    rows = settings.vocab_size or source.model.embedding_rows
    added = [each for each in (prepend, append) if each is not None]
    if rows is not None:
        _refuse_outside(source, facts, rows - 1, f"the model has {rows:,} rows (model.vocab_size)", _TAKE_OUT)
        for each in added:
            if each >= rows:
                raise UsageError(f"id {each} cannot stand between documents: the model has {rows:,} rows.")
    else:
        _refuse_outside(source, facts, None, "ids are never negative", _TAKE_OUT)
    largest = max([facts.largest or 0, *added])
    space = max(source.id_space or rows or 0, largest + 1)
    dtype = _dtype(settings, form, source, facts, space, notes)
    for each in added:
        if each > largest_id(dtype):
            raise UsageError(f"id {each} cannot stand between documents: {dtype} ends at {largest_id(dtype):,}.")
    shard_bytes = settings.max_shard_bytes or form.shard_bytes
    if shard_bytes is not None and form.most_bytes is not None:
        shard_bytes = min(shard_bytes, form.most_bytes)
    notes += _notes(settings.format, facts, space, prepend, append)
    return ExportPlan(form, dtype, prepend, append, shard_bytes, notes)


_TAKE_OUT = (
    "Take such documents out with dataaudit filter (rule token-range), or, if the model is another one, say so with "
    "--vocab-size."
)


def _delimiters(
    settings: ExportSettings, form: TokenFormat, source: TokenSource, facts: Facts, notes: list[str]
) -> tuple[int | None, int | None]:
    """Returns what goes before and what after documents."""
    model = source.model
    usual = {"start": model.eos_id if model.bos_id is None else model.bos_id, "end": model.eos_id, None: None}
    chosen: dict[str, int | None] = {}
    for end, asked in (("start", settings.prepend_bos), ("end", settings.append_eos)):
        if asked == "default":
            chosen[end] = usual[form.delimited] if form.delimited == end else None
        else:
            chosen[end] = asked if isinstance(asked, int) else None
    where = form.delimited
    default = {"start": settings.prepend_bos, "end": settings.append_eos, None: "none"}[where] == "default"
    if where is not None and default:
        if chosen[where] is None:
            option = "--prepend-bos" if where == "start" else "--append-eos"
            raise UsageError(
                f"{settings.format} files have an id at the {where} of every document, and the run's config has none "
                f"(model.eos_id). Give {option} ID, or {option} none to write the documents as they are."
            )
        if reason := _separated(facts, chosen[where], where):
            chosen[where] = None
            notes.append(reason)
    return chosen["start"], chosen["end"]


def refuse_undelimited(settings: ExportSettings, source: TokenSource) -> None:
    """Makes sure, before a filter, that there is an id for the ends of documents where the format needs one.

    Raises:
        UsageError: the run's config has none.
    """
    model = source.model
    where = token_format(settings.format).delimited
    known = model.eos_id if where == "end" or model.bos_id is None else model.bos_id
    if where is not None and known is None:
        raise UsageError(
            f"{settings.format} files have an id at the {where} of every document, and the run's config has none. "
            "Audit again with --eos-id ID, or filter without --format and give dataaudit export the id."
        )


def _separated(facts: Facts, wanted: int | None, where: str) -> str | None:
    """Says why an id that stands at the other end of every document need not be put between them again."""
    if wanted is None or wanted not in facts.ends:
        return None
    ends = facts.ends[wanted]
    full = facts.documents - facts.empty
    other, there = (ends.ending, ends.starting) if where == "start" else (ends.starting, ends.ending)
    if not full or other != full or there == full:
        return None
    at = "end" if where == "start" else "start"
    return f"every document has id {wanted} at its {at} already, so none is put at the {where}."


def _refuse_outside(source: TokenSource, facts: Facts, largest: int | None, why: str, advice: str) -> None:
    """Names the first document with an id below 0 or above *largest*.

    Raises:
        RunError: there is one.
    """
    most = largest if largest is not None else largest_id("int64")
    if facts.smallest is None or facts.largest is None or (facts.smallest >= 0 and facts.largest <= most):
        return
    doc_id, position, found = _first_outside(source.batches(), most)
    raise RunError(
        f"document {doc_id} holds id {found} at position {position}, and {why}. Nothing was written. {advice}"
    )


def _first_outside(batches: Iterator[Sequences], largest: int) -> tuple[int, int, int]:
    for ids, offsets, doc_ids, *_ in batches:
        misfit = first_misfit(ids, offsets, largest)
        if misfit is not None:
            return int(doc_ids[misfit.document]), misfit.position, misfit.id
    raise RunError("the token shards have changed while they were read. Run the command again.")


def _dtype(
    settings: ExportSettings, form: TokenFormat, source: TokenSource, facts: Facts, space: int, notes: list[str]
) -> IdType:
    usual = form.usual(space)
    wanted = next((each for each in form.dtypes if each == (settings.dtype or usual)), None)
    if wanted is None:
        raise UsageError(f"{settings.format} files hold {' or '.join(form.dtypes)}, not {settings.dtype}.")
    largest = largest_id(wanted)
    others = [each for each in form.dtypes if largest_id(each) >= space - 1]
    advice = f"Give --dtype {others[0]}." if others else "Export to a format with wider ids, such as llmc or olmo."
    _refuse_outside(source, facts, largest, f"{wanted} ends at {largest:,}: it would become another id", advice)
    if space - 1 > largest:
        told = f"{wanted} holds ids up to {largest:,}, and there are {space:,} ids"
        if settings.dtype is None:
            raise UsageError(f"{settings.format}: {told}. {advice}")
        notes.append(f"{told}; all that are there fit. Other files of the same tokenizer may not.")
    return wanted


def _notes(name: str, facts: Facts, space: int, prepend: int | None, append: int | None) -> list[str]:
    notes: list[str] = []
    if name == "megatron" and 65_500 <= space <= 65_536:
        notes.append(
            f"with {space:,} ids Megatron's writer takes int32, but its fast-cache reader uint16: leave "
            "token_dtype_code to the header."
        )
    if facts.empty:
        notes.append(f"documents without a token: {facts.empty:,}.")
    for wanted in sorted({each for each in (prepend, append) if each is not None}):
        ends = facts.ends[wanted]
        if ends.inside:
            notes.append(f"id {wanted} stands inside documents {ends.inside:,} times; readers see a boundary there.")
        doubled = (ends.starting if wanted == append else 0) + (ends.ending if wanted == prepend else 0)
        if doubled:
            notes.append(f"documents with id {wanted} at the other end too, where it now stands twice: {doubled:,}.")
    return notes
