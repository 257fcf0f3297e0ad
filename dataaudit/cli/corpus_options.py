"""The options that say what a corpus is and how it is read, of every command that plans an audit."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class TokenType(StrEnum):
    """Types of raw token ids."""

    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"


Inputs = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files, folders, globs, fsspec addresses, or hub:NAME.")
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="RUN", help="The run folder; the same one resumes.")]
Config = Annotated[
    str | None, typer.Option("--config", "-c", metavar="CONFIG", help="Preset or YAML file; see: dataaudit config.")
]
Tokenizer = Annotated[str | None, typer.Option(metavar="FILE", help="A tokenizer.json.")]
Model = Annotated[str | None, typer.Option(metavar="FILE", help="The model's config.json (Hugging Face).")]
VocabSize = Annotated[int | None, typer.Option(min=1, metavar="N", help="Rows of the model's embedding.")]
MaxLength = Annotated[int | None, typer.Option(min=1, metavar="N", help="The model's context in tokens.")]
TextColumn = Annotated[str | None, typer.Option(metavar="NAME", help="Column of the text; a.b is nested.")]
IdColumn = Annotated[str | None, typer.Option(metavar="NAME", help="Column with the user's own id.")]
SourceColumn = Annotated[str | None, typer.Option(metavar="NAME", help="Column that names the source.")]
InputFormat = Annotated[str | None, typer.Option(metavar="FORMAT", help="Force a reader, such as jsonl.")]
TokenDtype = Annotated[
    TokenType | None, typer.Option(metavar="TYPE", help="Type of raw token ids that no header says, such as uint32.")
]
Text = Annotated[
    str | None,
    typer.Option(metavar="COLUMN|PATH", help="The text that token ids were made of, to be tokenized again."),
]
EosId = Annotated[int | None, typer.Option(min=0, metavar="N", help="The id that ends a document.")]
BosId = Annotated[int | None, typer.Option(min=0, metavar="N", help="The id that starts a document.")]
Reference = Annotated[str | None, typer.Option(metavar="RUN", help="An earlier run folder to compare the corpus with.")]
Jobs = Annotated[
    int | None, typer.Option("-j", "--jobs", min=1, metavar="N", help="Worker processes; all cores by default.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on stderr.")]
