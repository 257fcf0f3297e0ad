"""``dataaudit trace``: from a training step back to its documents."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dataaudit.cli.answer import say
from dataaudit.cli.report import Language


class TraceFormat(StrEnum):
    """How a trace is printed."""

    TABLE = "table"
    JSON = "json"


def trace(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder, or the output of a filter.")],
    order: Annotated[
        str, typer.Option(metavar="ORDER", help="How the trainer read it, such as hf-trainer:42; see docs/trace.md.")
    ],
    batch_size: Annotated[int, typer.Option(min=1, metavar="B", help="Samples a rank and micro-batch.")],
    step: Annotated[int | None, typer.Option(min=0, metavar="N", help="The step, as the trainer logs it.")] = None,
    loss: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Log whose spikes are traced: trainer_state.json, JSONL, CSV, event files."),
    ] = None,
    lookback: Annotated[int, typer.Option(min=0, max=100_000, metavar="K", help="Steps before it to look at.")] = 200,
    grad_accum: Annotated[int, typer.Option(min=1, metavar="G", help="Micro-batches a step.")] = 1,
    world_size: Annotated[int, typer.Option(min=1, metavar="W", help="Ranks that read different data.")] = 1,
    drop_last: Annotated[bool, typer.Option("--drop-last", help="The loader leaves out a last partial batch.")] = False,
    epochs: Annotated[int | None, typer.Option(min=1, metavar="E", help="Epochs; as many as reach the step.")] = None,
    packing: Annotated[
        str | None, typer.Option(metavar="PACKING", help="one-per-doc (default), concat or megatron.")
    ] = None,
    seq_len: Annotated[int | None, typer.Option(min=1, metavar="L", help="Tokens a sample.")] = None,
    eos_tokens: Annotated[int, typer.Option(min=0, metavar="N", help="Tokens the trainer adds after a document.")] = 1,
    map_batch: Annotated[
        int, typer.Option(min=0, metavar="N", help="Documents that concat joins at a time; 0 joins all.")
    ] = 1000,
    documents: Annotated[
        str | None, typer.Option(metavar="WHICH", help="Trained on: all, clean (no rule takes them out), or records.")
    ] = None,
    count: Annotated[int, typer.Option("-n", min=0, metavar="N", help="Documents to show in full.")] = 10,
    format: Annotated[  # noqa: A002 - the option's name
        TraceFormat, typer.Option("--format", help="How it is printed on stdout.")
    ] = TraceFormat.TABLE,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page, too.")] = None,
    lang: Annotated[Language, typer.Option(help="Language of the page; it can be switched there.")] = Language.EN,
) -> None:
    """Say which documents a training step read, and which steps before it were unusual.

    Ranks batches by how unusual they are among all batches of the run: a risk, not a cause. With --loss it finds the
    spikes of a training log and traces each.
    """
    from dataaudit.output.trace import render_trace
    from dataaudit.pipeline.trace import TraceOptions
    from dataaudit.pipeline.trace import trace as traced

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
    result = traced(run, options, step, loss or [])
    if html is not None:
        from dataaudit.report.trace.page import write_trace_page

        write_trace_page(result, html, lang=lang)
    say(result.to_json().decode() if format is TraceFormat.JSON else render_trace(result))
