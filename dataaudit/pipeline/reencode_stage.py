"""Decodes and encodes a sample of the documents that came as token ids, in one task after the map."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.checks.reencoded import Reencoded, ReencodedDocument
from dataaudit.duplicates.sample import bottom_sample
from dataaudit.pipeline.plan import Plan, load_plan
from dataaudit.pipeline.store import Marker, RunFolder, key_of, pretty_json
from dataaudit.pipeline.tasks import Progress, ReencodeSpec, Task
from dataaudit.pipeline.vocabulary_of import unchanged
from dataaudit.tokenize import read_token_shard, token_texts
from dataaudit.tokenize.reencode import EDGE, PREFIX, Reencoder, Returned

REENCODE = "reencode"
SAMPLED_DOCUMENTS = 512
LISTED = 10
BYTES_A_DOCUMENT = 4096
"""For progress: about what is read of a document."""


def reencoded_file(run: RunFolder) -> Path:
    """Returns where the result lies."""
    return run.path / "sketches" / "reencoded.json"


def load_reencoded(run: RunFolder) -> Reencoded | None:
    """Returns the result, or None when nothing was encoded again."""
    path = reencoded_file(run)
    return msgspec.json.decode(path.read_bytes(), type=Reencoded) if path.exists() else None


def reencode_task(plan: Plan, maps: Sequence[Marker]) -> Task | None:
    """Returns the task; None without a tokenizer, or without documents that came as token ids."""
    shards = shards_of_ids(plan)
    if plan.map.tokenizer is None or not any(maps[shard].outputs for shard in shards):
        return None
    settings = [SAMPLED_DOCUMENTS, PREFIX, EDGE, LISTED]
    key = key_of([[maps[shard].outputs for shard in shards], plan.map.tokenizer.sha256, settings, plan.map.versions])
    return Task(REENCODE, key, SAMPLED_DOCUMENTS * BYTES_A_DOCUMENT, ReencodeSpec())


def reencode(task: Task, run: RunFolder, progress: Progress) -> Marker:
    """Runs the task."""
    plan = load_plan(run.path)
    assert plan.map.tokenizer is not None
    paths = [path for shard in shards_of_ids(plan) if (path := run.part("tokens", shard, "arrow")).exists()]
    tokenizer = unchanged(plan.map.tokenizer)
    coder = Reencoder(tokenizer)
    sample = bottom_sample((filled_documents(path) for path in paths if coder.has_decoder), SAMPLED_DOCUMENTS)
    returned = [(doc_id, coder.send_back(ids)) for path in paths for doc_id, ids in _documents(path, sample)]
    result = summed(returned, tokenizer, has_decoder=coder.has_decoder)
    with run.workspace() as folder:
        path = folder / "reencoded.json"
        path.write_bytes(pretty_json(result))
        progress(task.size)
        return run.commit(task.id, task.key, {path: reencoded_file(run)}, {})


def shards_of_ids(plan: Plan) -> list[int]:
    """Returns the shards of documents that came as token ids."""
    return [shard for shard, pieces in enumerate(plan.shards) if pieces[0].kind == "ids"]


def filled_documents(path: Path) -> NDArray[np.uint64]:
    """Returns the documents of a token shard that have ids."""
    found = [np.empty(0, np.uint64)]
    for doc_ids, _, offsets in read_token_shard(path):
        found.append(doc_ids[np.diff(offsets) > 0])
    return np.concatenate(found)


def _documents(path: Path, sample: NDArray[np.uint64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yields the sampled documents of a token shard and the beginning of their ids."""
    for doc_ids, ids, offsets in read_token_shard(path):
        for row in np.flatnonzero(np.isin(doc_ids, sample)).tolist():
            start, stop = int(offsets[row]), int(offsets[row + 1])
            yield int(doc_ids[row]), ids[start : min(stop, start + PREFIX)].astype(np.int64)


def summed(returned: list[tuple[int, Returned]], tokenizer: str, *, has_decoder: bool) -> Reencoded:
    """Returns the sums of what came back, by doc_id, and the documents to be shown."""
    differing = [(doc_id, each) for doc_id, each in returned if each.difference is not None]
    differing.sort(key=lambda pair: (pair[1].is_same_inside, pair[0]))
    return Reencoded(
        has_decoder=has_decoder,
        documents=len(returned),
        same=len(returned) - len(differing),
        same_inside=sum(each.is_same_inside for _, each in returned),
        prefix=PREFIX,
        edge=EDGE,
        tokens=sum(each.tokens for _, each in returned),
        encoded_tokens=sum(each.encoded_tokens for _, each in returned),
        characters=sum(each.characters for _, each in returned),
        differing=[_told(doc_id, each, tokenizer) for doc_id, each in differing[:LISTED]],
    )


def _told(doc_id: int, each: Returned, tokenizer: str) -> ReencodedDocument:
    assert each.difference is not None
    return ReencodedDocument(
        doc_id=doc_id,
        position=each.difference.position,
        given=each.difference.given,
        encoded=each.difference.encoded,
        given_text=_text(tokenizer, each.difference.given),
        encoded_text=_text(tokenizer, each.difference.encoded),
        is_same_inside=each.is_same_inside,
    )


def _text(tokenizer: str, ids: list[int]) -> str:
    """Returns what ids stand for; an id without a token is shown as its number."""
    return "".join(
        text if text is not None else f"<{number}>"
        for number, text in zip(ids, token_texts(tokenizer, ids), strict=True)
    )
