"""``dataaudit order``: is the order of training good?"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dataaudit.cli.answer import FailOn, FailOnOption, end, say


class OrderFormat(StrEnum):
    """How the result is printed."""

    TABLE = "table"
    JSON = "json"


def order(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder, or the output of a filter.")],
    order: Annotated[
        str | None, typer.Option(metavar="ORDER", help="How the trainer reads, such as hf-trainer:42; docs/order.md.")
    ] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, metavar="B", help="Samples a rank and micro-batch.")] = None,
    grad_accum: Annotated[int | None, typer.Option(min=1, metavar="G", help="Micro-batches a step.")] = None,
    world_size: Annotated[int | None, typer.Option(min=1, metavar="W", help="Ranks that read different data.")] = None,
    drop_last: Annotated[
        bool | None, typer.Option("--drop-last", help="The loader leaves out a last partial batch.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, metavar="E", help="Epochs.")] = None,
    packing: Annotated[
        str | None, typer.Option(metavar="PACKING", help="one-per-doc (default), concat or megatron.")
    ] = None,
    seq_len: Annotated[int | None, typer.Option(min=1, metavar="L", help="Tokens a sample.")] = None,
    eos_tokens: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Tokens the trainer adds after a document.")
    ] = None,
    map_batch: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Documents that concat joins at a time; 0 joins all.")
    ] = None,
    documents: Annotated[
        str | None, typer.Option(metavar="WHICH", help="Trained on: all, clean (no rule takes them out), or records.")
    ] = None,
    config: Annotated[
        str | None, typer.Option("--config", "-c", metavar="CONFIG", help="Levels and order; the run's own if none.")
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        OrderFormat, typer.Option("--format", help="How it is printed on stdout.")
    ] = OrderFormat.TABLE,
    fail_on: FailOnOption = FailOn.FAIL,
) -> None:
    """Judge the order of a training run before it starts: repeats, replays, shuffle, mixture, copies close together.

    Options that are not given are those of the config's section order.
    """
    from dataaudit.config.load import load_config
    from dataaudit.output.order import render_order
    from dataaudit.pipeline.order_check import run_order_check

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
    result = run_order_check(run, None if config is None else load_config(config), options)
    say(result.to_json().decode() if format is OrderFormat.JSON else render_order(result))
    end(result.counts, result.verdict, fail_on)
