"""``dataaudit export``: token ids as files that trainers read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataaudit.cli.answer import say
from dataaudit.errors import UsageError

if TYPE_CHECKING:
    from dataaudit.pipeline.export_plan import Delimiter

FORMATS = "datatrove, hf-arrow, llmc, megatron, nanogpt, npy, olmo"


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder, or the output of a filter.")],
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"One of {FORMATS}.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where to write: a new or empty folder.")],
    dtype: Annotated[str | None, typer.Option(metavar="TYPE", help="Type of the ids, such as uint16.")] = None,
    append_eos: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id for the end of documents that do not end with it, or none."),
    ] = None,
    prepend_bos: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id for the start of documents that do not start with it, or none."),
    ] = None,
    max_shard_bytes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="About how many bytes of ids a file holds.")
    ] = None,
    vocab_size: Annotated[int | None, typer.Option(min=1, metavar="N", help="Rows of the model's embedding.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on stderr.")] = False,
) -> None:
    """Write the token ids of a run as files that trainers read: every document, in its order, no id changed.

    An id that a type or the model cannot hold is an error that names the document; nothing is written then.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.export_result import to_json
    from dataaudit.output.export import render_export
    from dataaudit.pipeline.export_plan import ExportSettings
    from dataaudit.pipeline.export_run import run_export

    settings = ExportSettings(
        format=to,
        dtype=dtype,
        append_eos=_delimiter("--append-eos", append_eos),
        prepend_bos=_delimiter("--prepend-bos", prepend_bos),
        max_shard_bytes=max_shard_bytes,
        vocab_size=vocab_size,
    )
    try:
        result = run_export(run, out, settings, TerminalListener(quiet=quiet))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    say(to_json(result) if as_json else render_export(result, str(out)))


def _delimiter(option: str, value: str | None) -> "Delimiter":
    if value is None:
        return "default"
    if value == "none":
        return "none"
    if value.isascii() and value.isdigit():
        return int(value)
    raise UsageError(f"{option} takes a token id or none, not {value!r}.")
