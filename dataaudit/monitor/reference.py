"""What a window is compared with: the first one, or the corpus of an audit."""

from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import RunError, UsageError
from dataaudit.monitor.units import Unit
from dataaudit.monitor.vocabulary import MonitorTokenizer
from dataaudit.monitor.window import Window

FIRST_WINDOW = "the first window"

Integers = NDArray[np.int64]


class Reference(NamedTuple):
    """A distribution of ids and one of lengths.

    Attributes:
        name: what it is, for messages.
        unit: what is counted: ``tokens`` or ``words``.
        ids, counts: int64[k], the ids that occur and how often.
        lengths, documents: int64[l], distinct lengths and how many documents have each.
        is_run: whether it is the corpus of an audit, whose documents have no special tokens between them.
    """

    name: str
    unit: Unit
    ids: Integers
    counts: Integers
    lengths: Integers
    documents: Integers
    is_run: bool


class RunReference(NamedTuple):
    """A run as a reference, and what it knows about tokens."""

    reference: Reference | None
    tokenizer: MonitorTokenizer | None
    vocab_size: int | None
    max_length: int | None
    pad_id: int | None


def of_window(window: Window, unit: Unit) -> Reference:
    """Returns a window as a reference."""
    counts = window.counts()
    lengths, documents = np.unique(window.lengths(), return_counts=True)
    return Reference(FIRST_WINDOW, unit, counts.ids, counts.halves.sum(axis=0), lengths, documents, is_run=False)


def of_run(path: Path, tokenizer: MonitorTokenizer | None) -> RunReference:
    """Returns the corpus of a finished audit.

    Args:
        path: the run folder.
        tokenizer: the one that was given, or None for that of the run.

    Raises:
        RunError: it is no finished run with drift, or its tokenizer is gone.
        UsageError: it was counted with another tokenizer.
    """
    import pyarrow.parquet as pq

    from dataaudit.pipeline.plan import TokenizerSettings, load_plan
    from dataaudit.pipeline.store import RunFolder
    from dataaudit.pipeline.vocabulary_of import unchanged

    run = RunFolder(path)
    try:
        plan = load_plan(path)
    except (OSError, msgspec.DecodeError) as error:
        raise RunError(
            f"the reference {path} is not a run of this version of dataaudit. Audit the corpus first: "
            f"dataaudit audit CORPUS -o {path}"
        ) from error
    files = [run.sketch(name) for name in ("drift_counts", "drift_lengths")]
    if not all(file.exists() for file in files):
        raise RunError(f"the reference {path} is not finished. Run its dataaudit audit command again.")
    settings: TokenizerSettings | None = plan.map.tokenizer
    if settings is None and tokenizer is not None and plan.map.drift_unit == "words":
        raise UsageError(
            f"the reference {path} counts words, since it was audited without a tokenizer. "
            "Audit it again with --tokenizer, or make the monitor without one."
        )
    if settings is not None and tokenizer is not None and tokenizer.identity.sha256 != settings.sha256:
        known = tokenizer.vocabulary.id_space == settings.id_space
        if not (tokenizer.is_object and known):
            raise UsageError(
                f"the reference {path} counts tokens of {settings.path} (sha256 {settings.sha256[:12]}), the monitor's "
                f"tokenizer is another file (sha256 {tokenizer.identity.sha256[:12]}). Leave tokenizer out, or give "
                "the same file."
            )
    if settings is not None and tokenizer is None:
        tokenizer = MonitorTokenizer(unchanged(settings), add_special_tokens=settings.add_special_tokens)
    counts, lengths = (pq.read_table(file) for file in files)
    reference = Reference(
        f"the run {path}",
        plan.map.drift_unit,
        counts.column("id").to_numpy().astype(np.int64),
        counts.column("count").to_numpy().astype(np.int64),
        lengths.column("length").to_numpy().astype(np.int64),
        lengths.column("documents").to_numpy().astype(np.int64),
        is_run=True,
    )
    return RunReference(reference, tokenizer, plan.pool.embedding_rows, plan.pool.max_length, plan.pool.pad_id)
