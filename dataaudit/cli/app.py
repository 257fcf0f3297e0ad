"""The command line: parse, call, print, exit. Heavy imports stay inside the commands."""

import os
import sys
import traceback
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dataaudit import __version__
from dataaudit.cli import corpus_options as options
from dataaudit.cli.answer import FailOn, FailOnOption, FormatsOption, formats, say, tell
from dataaudit.cli.compare import compare
from dataaudit.cli.config import config
from dataaudit.cli.explain import explain
from dataaudit.cli.export import export
from dataaudit.cli.filter import filter_, restore
from dataaudit.cli.interrupted import interrupted
from dataaudit.cli.order import order
from dataaudit.cli.report import ExamplesOption, report
from dataaudit.cli.shared_run import finish, plan, work
from dataaudit.cli.streams import outlive_readers
from dataaudit.cli.trace import trace
from dataaudit.errors import DataAuditError, NoDocumentsError, UsageError
from dataaudit.output.visible import one_line

if TYPE_CHECKING:
    from dataaudit.config.load import LoadedConfig

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Audit a corpus before a language-model training run. Start with: dataaudit audit CORPUS -o RUN",
    epilog="Exit codes: 0 good · 1 a check failed · 2 usage, config, or not judged · 3 no documents were read",
)


class Output(StrEnum):
    """How documents are printed."""

    TABLE = "table"
    JSON = "json"


class Engine(StrEnum):
    """Where tasks run."""

    LOCAL = "local"


FormatOption = Annotated[Output, typer.Option("--format", help="How they are printed on stdout.")]


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        say(__version__)
        raise typer.Exit


@app.command()
def audit(
    inputs: options.Inputs,
    out: options.Out,
    config: options.Config = None,
    tokenizer: options.Tokenizer = None,
    model: options.Model = None,
    vocab_size: options.VocabSize = None,
    max_length: options.MaxLength = None,
    text_column: options.TextColumn = None,
    id_column: options.IdColumn = None,
    source_column: options.SourceColumn = None,
    input_format: options.InputFormat = None,
    token_dtype: options.TokenDtype = None,
    text: options.Text = None,
    eos_id: options.EosId = None,
    bos_id: options.BosId = None,
    reference: options.Reference = None,
    examples: ExamplesOption = None,
    jobs: options.Jobs = None,
    engine: Annotated[Engine, typer.Option(help="Where tasks run.")] = Engine.LOCAL,  # noqa: ARG001 - one so far
    format: FormatsOption = None,  # noqa: A002 - the option's name
    fail_on: FailOnOption = FailOn.FAIL,
    quiet: options.Quiet = False,
) -> None:
    """Read, tokenize and measure a corpus, and judge it.

    The run folder holds token shards, signals a document, what could not be read, report.json and report.html.

    The same command again takes over what is finished.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.config.load import load_config
    from dataaudit.config.override import override
    from dataaudit.pipeline.audit import default_workers, run_audit
    from dataaudit.pipeline.lookup import load_result
    from dataaudit.report import NAME, write_page

    told = formats(format)
    listener = TerminalListener(quiet=quiet)
    loaded = override(
        load_config(config),
        tokenizer=tokenizer,
        model=model,
        vocab_size=vocab_size,
        max_length=max_length,
        text_column=text_column,
        id_column=id_column,
        source_column=source_column,
        token_dtype=token_dtype,
        text_beside=text,
        eos_id=eos_id,
        bos_id=bos_id,
        reference=reference,
    )
    try:
        result = run_audit(
            inputs,
            out,
            loaded,
            listener,
            workers=jobs or default_workers(),
            input_format=input_format,
            examples=examples,
        )
        write_page(load_result(out), out / NAME)
    except KeyboardInterrupt:
        interrupted(out)
    tell(result, out, told, fail_on)


@app.command()
def check(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    config: options.Config = None,
    reference: options.Reference = None,
    examples: ExamplesOption = None,
    jobs: options.Jobs = None,
    format: FormatsOption = None,  # noqa: A002 - the option's name
    fail_on: FailOnOption = FailOn.FAIL,
    quiet: options.Quiet = False,
) -> None:
    """Judge a run again from its stored signals, with other rules, levels or model settings.

    Reads no corpus, unless --examples asks for excerpts that the report before did not have.
    """
    from dataaudit.cli.progress import TerminalListener
    from dataaudit.config.load import load_config
    from dataaudit.pipeline.audit import default_workers, run_check
    from dataaudit.pipeline.lookup import load_result
    from dataaudit.report import NAME, write_page

    told = formats(format)
    loaded: LoadedConfig | None = None if config is None else load_config(config)
    try:
        listener = TerminalListener(quiet=quiet)
        result = run_check(
            run, loaded, listener, workers=jobs or default_workers(), reference=reference, examples=examples
        )
        write_page(load_result(run), run / NAME)
    except KeyboardInterrupt:
        interrupted(run)
    tell(result, run, told, fail_on)


@app.command()
def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    doc: Annotated[int | None, typer.Option("--doc", metavar="ID", help="A doc_id of the run.")] = None,
    check: Annotated[str | None, typer.Option("--check", metavar="CHECK", help="Documents behind a check.")] = None,
    rule: Annotated[str | None, typer.Option("--rule", metavar="RULE", help="Documents that fail a rule.")] = None,
    count: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many.")] = 5,
    characters: Annotated[int, typer.Option(min=1, metavar="N", help="How much of each text.")] = 600,
    format: FormatOption = Output.TABLE,  # noqa: A002 - the option's name
) -> None:
    """Show the documents behind a number: where they stand, their signals and their text."""
    from dataaudit.cli.show import print_documents

    if sum(choice is not None for choice in (doc, check, rule)) != 1:
        raise UsageError("say which documents: one of --doc ID, --check CHECK, --rule RULE.")
    as_json = format is Output.JSON
    print_documents(run, doc=doc, check=check, rule=rule, count=count, characters=characters, as_json=as_json)


app.command()(plan)
app.command()(work)
app.command()(finish)
app.command(name="filter")(filter_)
app.command()(restore)
app.command()(report)
app.command()(compare)
app.command()(export)
app.command()(order)
app.command()(trace)
app.command()(explain)
app.command()(config)


def main() -> None:
    """Runs the command line; exit codes: 0 good, 1 a check failed, 2 could not be judged, 3 nothing was read."""
    outlive_readers()
    try:
        app()
    except NoDocumentsError as error:
        _end(error, 3)
    except DataAuditError as error:
        _end(error, 2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        _end(
            DataAuditError(
                f"{place}{error.strerror or error}. Finished work is kept: mend this and run the same command again."
            ),
            2,
        )
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if type(error).__module__.partition(".")[0] in ("polars", "pyarrow"):
            _end(
                DataAuditError(
                    f"a table cannot be read: {error}\nIf it belongs to the run folder, it is damaged: delete the "
                    "folder tasks in there and run the same audit again."
                ),
                2,
            )
        if os.environ.get("DATAAUDIT_DEBUG"):
            traceback.print_exc()
        _end(
            DataAuditError(
                f"internal error: {type(error).__name__}: {error}\n"
                "This is a fault of dataaudit. Set DATAAUDIT_DEBUG=1 for the traceback and report it."
            ),
            2,
        )


def _end(error: DataAuditError, code: int) -> None:
    """Tells an error and ends. What follows its first line is indented: no name in it can pass for a message."""
    shown = "\n  ".join(one_line(line) for line in str(error).split("\n"))
    sys.stderr.write(f"error: {shown}\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
