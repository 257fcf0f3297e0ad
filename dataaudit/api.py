"""The public functions: the same audit as the command line, from Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from dataaudit.comparison.result import Comparison
from dataaudit.config.load import load_config
from dataaudit.config.override import override
from dataaudit.config.settings import apply_settings
from dataaudit.export_result import ExportResult
from dataaudit.filter_result import FilterResult
from dataaudit.order_result import OrderResult
from dataaudit.pipeline.audit import default_workers, run_audit, run_check
from dataaudit.pipeline.compare_runs import compare_runs
from dataaudit.pipeline.export_plan import ExportSettings
from dataaudit.pipeline.export_run import run_export
from dataaudit.pipeline.filter_run import finished_plan, rules_for, run_filter
from dataaudit.pipeline.listener import Silent
from dataaudit.pipeline.lookup import load_result as _load_result
from dataaudit.pipeline.order_check import run_order_check
from dataaudit.pipeline.trace import TraceOptions
from dataaudit.pipeline.trace import trace as _trace
from dataaudit.report import NAME, render, render_comparison_page, write_page
from dataaudit.result import AuditResult
from dataaudit.trace_result import TraceResult

Location = str | PathLike[str]


def audit(
    inputs: Location | Sequence[Location],
    out: Location,
    *,
    config: str | None = None,
    tokenizer: Location | None = None,
    model: Location | None = None,
    vocab_size: int | None = None,
    max_length: int | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
    source_column: str | None = None,
    input_format: str | None = None,
    token_dtype: str | None = None,
    text: Location | None = None,
    eos_id: int | None = None,
    bos_id: int | None = None,
    reference: Location | None = None,
    examples: int | None = None,
    workers: int | None = None,
) -> AuditResult:
    """Audits a corpus into a run folder and returns the result; ``report.json`` and ``report.html`` there hold it too.

    Args:
        inputs: files, folders, globs, fsspec addresses, or ``hub:NAME``.
        out: the run folder; an unfinished one is resumed, a finished one is reused where nothing changed.
        config: a preset's name or a YAML file; the preset ``default`` when None.
        tokenizer: a tokenizer.json; without it, text is measured and token checks are skipped.
        model: the model's config.json as Hugging Face writes it, or its folder; it gives what neither the config nor an
            argument does of the next two and of the ids.
        vocab_size: rows of the model's embedding table.
        max_length: the model's context length in tokens.
        text_column: dotted name of the column with the text; found by itself when None.
        id_column: dotted name of the column with the user's own id; found by itself when None.
        source_column: dotted name of the column that names the source; found by itself when None.
        input_format: name of a reader, to force it, such as ``"nanogpt"``; found by content when None.
        token_dtype: type of the ids in files of token ids that do not say it, such as ``"uint32"``.
        text: the text that the token ids were made of, of which a sample is tokenized again: a column of the same
            records, or files with the same documents in the same order; a tokenizer is needed.
        eos_id: the id that every document should end with, and that cuts streams of ids into documents; for the
            latter the tokenizer's when None.
        bos_id: the same for their start.
        reference: the run folder of an earlier audit, with which the corpus is compared.
        examples: excerpts of documents that the report shows a rule, 8 when None; 0 for no text at all.
        workers: processes; all cores when None. With more than one, call it under ``if __name__ == "__main__":``.

    Raises:
        DataAuditError: with what is wrong, where, and what to do.
    """
    several = [inputs] if isinstance(inputs, str | PathLike) else inputs
    loaded = override(
        load_config(config),
        tokenizer=None if tokenizer is None else str(tokenizer),
        model=None if model is None else str(model),
        vocab_size=vocab_size,
        max_length=max_length,
        text_column=text_column,
        id_column=id_column,
        source_column=source_column,
        token_dtype=token_dtype,
        text_beside=None if text is None else str(text),
        eos_id=eos_id,
        bos_id=bos_id,
        reference=None if reference is None else str(reference),
    )
    names = [str(each) for each in several]
    run_audit(
        names,
        Path(out),
        loaded,
        Silent(),
        workers=workers or default_workers(),
        input_format=input_format,
        examples=examples,
    )
    return _with_page(Path(out))


def check(
    run: Location, *, config: str | None = None, reference: Location | None = None, workers: int | None = None
) -> AuditResult:
    """Judges a finished run again, with other rules, levels or model settings; the corpus is not read.

    *reference* is the run folder of an earlier audit, with which the corpus is compared.

    Raises:
        DataAuditError: with what is wrong, where, and what to do.
    """
    loaded = None if config is None else load_config(config)
    against = None if reference is None else str(reference)
    run_check(Path(run), loaded, Silent(), workers=workers or default_workers(), reference=against)
    return _with_page(Path(run))


def filter(  # noqa: A001 - the command's name
    run: Location,
    out: Location,
    *,
    format: str = "same",  # noqa: A002 - the option's name
    config: str | None = None,
    settings: Sequence[str] = (),
    at_step: int | None = None,
    curriculum: bool = False,
    workers: int | None = None,
) -> FilterResult:
    """Writes ``out/clean`` and ``out/quarantine`` from a finished run; every record goes to one of the two.

    Args:
        run: the folder of a finished audit.
        out: where to write; an unfinished one is resumed, a finished one of the same rules is left alone.
        format: of the clean files: ``same`` as the input, ``jsonl.zst``, ``parquet``, or a format of ``export``.
        config: a preset's name or a YAML file with the rules; those that the run was judged with last when None.
        settings: changes of single rules, such as ``"longest-run.max=500"``.
        at_step: the training step at which limits that move are taken; in the end when None.
        curriculum: keep what any step admits, with ``admit_from_step`` and ``admit_until_step`` in each kept record.
        workers: processes; all cores when None. With more than one, call it under ``if __name__ == "__main__":``.

    Returns:
        What ``out/filter.json`` holds: the balance, what each rule takes out, every file.

    Raises:
        DataAuditError: with what is wrong, where, and what to do.
    """
    place = Path(run)
    loaded = None if config is None else load_config(config)
    if loaded is not None or settings:
        loaded = apply_settings(rules_for(place, finished_plan(place), loaded), list(settings))
    return run_filter(
        place,
        Path(out),
        Silent(),
        workers=workers or default_workers(),
        output=format,
        loaded=loaded,
        step=at_step,
        curriculum=curriculum,
    )


def export(
    run: Location,
    out: Location,
    *,
    format: str,  # noqa: A002 - the option's name
    dtype: str | None = None,
    append_eos: int | Literal["default"] | None = "default",
    prepend_bos: int | Literal["default"] | None = "default",
    max_shard_bytes: int | None = None,
    vocab_size: int | None = None,
) -> ExportResult:
    """Writes the token ids of a run as files that trainers read: every document, in its order, no id changed.

    Args:
        run: the folder of a finished audit, or the output of a filter.
        out: a new or empty folder; it is written whole or not at all.
        format: ``datatrove``, ``hf-arrow``, ``llmc``, ``megatron``, ``nanogpt``, ``npy`` or
            ``olmo``.
        dtype: type of the ids, such as ``"uint16"``; chosen by the format's own rule when None.
        append_eos: id for the end of every document that does not end with it; None for none. By default
            ``model.eos_id`` of the run's config for formats whose readers look for it there (nanogpt, npy,
            olmo).
        prepend_bos: the same at the start; by default ``model.bos_id``, else ``model.eos_id``, for llmc.
        max_shard_bytes: about how many bytes of ids a file holds; the format's own size when None.
        vocab_size: ids from this number on are refused; ``model.vocab_size`` of the run's config when None.

    Returns:
        What ``out/export.json`` holds: files with digests, documents and tokens, what was put between documents.

    Raises:
        DataAuditError: with what is wrong, where (an id that is out of range: its document), and what to do.
    """
    asked = ExportSettings(
        format=format,
        dtype=dtype,
        append_eos="none" if append_eos is None else append_eos,
        prepend_bos="none" if prepend_bos is None else prepend_bos,
        max_shard_bytes=max_shard_bytes,
        vocab_size=vocab_size,
    )
    return run_export(Path(run), Path(out), asked, Silent())


def trace(
    run: Location,
    *,
    order: str,
    batch_size: int,
    step: int | None = None,
    loss: Location | Sequence[Location] | None = None,
    lookback: int = 200,
    grad_accum: int = 1,
    world_size: int = 1,
    drop_last: bool = False,
    epochs: int | None = None,
    packing: str | None = None,
    seq_len: int | None = None,
    eos_tokens: int = 1,
    map_batch: int = 1000,
    documents: Literal["all", "clean", "records"] | None = None,
    count: int = 10,
) -> TraceResult:
    """Says which documents a training step read, and how unusual its batch and those before it are: a risk, no cause.

    Args:
        run: the folder of a finished audit, or the output of a filter.
        order: how the trainer read it, such as ``"hf-trainer:42"``; docs/trace.md has them all.
        batch_size: samples a rank and micro-batch.
        step: the step, from 1, as the trainer logs it; None when only a log is to be traced.
        loss: a training log, whose spikes are traced: trainer_state.json, JSONL, CSV, TensorBoard event files.
        lookback: steps before *step* to look at.
        grad_accum: micro-batches a step.
        world_size: ranks that read different data.
        drop_last: the loader leaves out a last batch that is not full.
        epochs: as many as reach the step when None.
        packing: ``one-per-doc``, ``concat`` or ``megatron``; what the order brings, else one-per-doc, when None.
        seq_len: tokens a sample.
        eos_tokens: tokens that the trainer puts after each document.
        map_batch: documents that concat joins at a time; 0 joins all.
        documents: what was trained on; the clean documents of a filter's output, all of a run, when None.
        count: documents of the batch that are told in full: signals, failing rules, an excerpt.

    Returns:
        What ``dataaudit trace --format json`` prints.

    Raises:
        DataAuditError: with what is wrong, where, and what to do.
    """
    options = TraceOptions(
        order=order,
        batch_size=batch_size,
        grad_accum=grad_accum,
        world_size=world_size,
        drop_last=drop_last,
        epochs=epochs,
        packing=packing,
        seq_len=seq_len,
        eos_tokens=eos_tokens,
        map_batch=map_batch,
        which=documents,
        lookback=lookback,
        count=count,
    )
    logs = [loss] if isinstance(loss, str | PathLike) else loss or []
    return _trace(Path(run), options, step, [Path(each) for each in logs])


def check_order(
    run: Location,
    *,
    order: str | None = None,
    batch_size: int | None = None,
    grad_accum: int | None = None,
    world_size: int | None = None,
    drop_last: bool | None = None,
    epochs: int | None = None,
    packing: str | None = None,
    seq_len: int | None = None,
    eos_tokens: int | None = None,
    map_batch: int | None = None,
    documents: Literal["all", "clean", "records"] | None = None,
    config: str | None = None,
) -> OrderResult:
    """Judges the order in which a training run reads a corpus: repeats, replays, shuffle, mixture, copies together.

    Each argument that is None is that of the config's section ``order``.

    Args:
        run: the folder of a finished audit, or the output of a filter.
        order: how the trainer reads, such as ``"hf-trainer:42"``; docs/order.md has them all.
        batch_size: samples a rank and micro-batch.
        grad_accum: micro-batches a step.
        world_size: ranks that read different data.
        drop_last: the loader leaves out a last batch that is not full.
        epochs: times that the training set is read.
        packing: ``one-per-doc``, ``concat`` or ``megatron``.
        seq_len: tokens a sample.
        eos_tokens: tokens that the trainer puts after each document.
        map_batch: documents that concat joins at a time; 0 joins all.
        documents: what is trained on; the clean documents of a filter's output, all of a run, when None.
        config: a preset's name or a YAML file with the levels; those that the run was judged with last when None.

    Returns:
        What ``dataaudit order --format json`` prints: a verdict, and a finding a check.

    Raises:
        DataAuditError: with what is wrong, where, and what to do.
    """
    options = {
        "name": order,
        "batch_size": batch_size,
        "grad_accum": grad_accum,
        "world_size": world_size,
        "drop_last": drop_last,
        "epochs": epochs,
        "packing": packing,
        "seq_len": seq_len,
        "eos_tokens": eos_tokens,
        "map_batch": map_batch,
        "documents": documents,
    }
    return run_order_check(Path(run), None if config is None else load_config(config), options)


def _with_page(run: Path) -> AuditResult:
    """Renders report.html from report.json and returns the result."""
    result = _load_result(run)
    write_page(result, run / NAME)
    return result


def render_html(result: AuditResult, *, lang: str = "en", examples: int | None = None) -> str:
    """Returns a result as one HTML page that needs nothing else, of at most 1 MB.

    Args:
        result: what an audit found.
        lang: language of the page when it opens, ``en`` or ``zh``; the reader can switch.
        examples: excerpts of documents that a rule shows at most; None shows all that the result has.

    Raises:
        DataAuditError: there is no such language.
    """
    return render(result, lang=lang, examples=examples)


def render_comparison_html(found: Comparison, *, lang: str = "en") -> str:
    """Returns a comparison as one HTML page that needs nothing else, of at most 1 MB.

    Args:
        found: what ``compare`` gave.
        lang: language of the page when it opens, ``en`` or ``zh``; the reader can switch.

    Raises:
        DataAuditError: there is no such language.
    """
    return render_comparison_page(found, lang=lang)


def load_result(run: Location) -> AuditResult:
    """Returns the result of a finished run.

    Raises:
        DataAuditError: there is none, or it is of another version.
    """
    return _load_result(Path(run))


def compare(old: Location, new: Location) -> Comparison:
    """Returns what changed from one run to another: checks, values, distributions, mixture, documents, method.

    Both are run folders, or outputs of a filter: then documents that went are counted by rule, and checks are compared
    if ``OUT/audit`` is an audit of ``OUT/clean``. A ``report.json`` alone does too; then documents are not compared.

    Raises:
        DataAuditError: one of them is none of these, or of another version.
    """
    return compare_runs(Path(old), Path(new))
