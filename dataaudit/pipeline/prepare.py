"""From inputs to a plan: what is there, how it is read, and with which tokenizer."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import pyarrow as pa

from dataaudit.config.load import LoadedConfig
from dataaudit.corpus import (
    CorpusFile,
    FileNote,
    Piece,
    PieceList,
    ReadOptions,
    Tally,
    TokenHints,
    TokenLayout,
    read_piece,
)
from dataaudit.corpus.token_array import native
from dataaudit.errors import NoDocumentsError, UsageError
from dataaudit.kernels.overlap import SCALE
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.map_shard import signal_versions
from dataaudit.pipeline.plan import (
    PLAN_FORMAT,
    DamagedFile,
    DuplicateSettings,
    MapSettings,
    ModelIds,
    Plan,
    PoolSettings,
    TokenizerSettings,
    load_plan,
    pack,
)
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.versions import versions
from dataaudit.tokenize import compare_engines, identify, special_ids
from dataaudit.tokenize.tokenizer_file import locate

LISTED_NOTES = 20
SAMPLED_PIECES, SAMPLED_DOCUMENTS, SAMPLED_BYTES = 8, 64, 1 << 20
"""How much text the two tokenizer engines are compared on."""
BLOCKS_IN_A_WINDOW = 10


def refuse_overlap(inputs: Sequence[str], out: Path) -> None:
    """Raises UsageError when the run folder lies inside an input folder."""
    target = out.resolve()
    for name in inputs:
        path = Path(name)
        if path.is_dir() and (path.resolve() == target or path.resolve() in target.parents):
            raise UsageError(
                f"the run folder {out} lies inside the input {name}: the next audit would read its own results. "
                "Give --out a folder elsewhere."
            )


def refuse_inputs_inside(files: Sequence[CorpusFile], out: Path) -> None:
    """Raises UsageError when a file of the corpus lies inside the run folder."""
    target = str(out.resolve())
    folders: dict[str, str] = {}
    for file in files:
        folder = os.path.dirname(file.path)  # noqa: PTH120 - a Path a file takes a minute for a million of them
        if folder not in folders:
            folders[folder] = str(Path(folder).resolve())
        if folders[folder] == target or folders[folder].startswith(target + os.sep):
            raise UsageError(
                f"the input {file.path} lies inside the run folder {out}. Give --out a folder of its own, or name the "
                "inputs so that they leave it out."
            )


def refuse_other_corpus(earlier: Plan | None, files: Sequence[CorpusFile], out: Path) -> None:
    """Raises UsageError when the run folder holds the audit of other files, none of which are among these.

    A file is the same by its path, or by its size and time: it may be named from another folder, or have been moved.
    """
    if earlier is None:
        return
    audited = [piece.file for shard in earlier.shards for piece in shard]
    if audited and files and _marks(audited).isdisjoint(_marks(files)):
        more = f" and {len(earlier.inputs) - 1:,} more" if len(earlier.inputs) > 1 else ""
        raise UsageError(
            f"the run folder {out} holds the audit of another corpus, {earlier.inputs[0]}{more}, with no file "
            "in common. Give --out another folder, or delete this one."
        )


def _marks(files: Sequence[CorpusFile]) -> set[str | tuple[int, str]]:
    """Returns what each of some files can be known by."""
    marks: set[str | tuple[int, str]] = {file.path for file in files}
    return marks | {(file.size, file.stamp) for file in files if file.size and file.stamp}


def read_options(loaded: LoadedConfig, input_format: str | None) -> ReadOptions:
    """Returns how to read; *input_format* forces a reader."""
    read = loaded.config.read
    return ReadOptions(
        text_column=read.text_column,
        id_column=read.id_column,
        source_column=read.source_column,
        number_columns=read.number_columns,
        format=input_format,
        document_per=read.document_per,
        max_record_bytes=read.max_record_bytes,
    )


def token_hints(loaded: LoadedConfig) -> TokenHints:
    """Returns what files of token ids do not say: from the model, and from the tokenizer where that is silent."""
    model = loaded.config.model
    space, bos, eos = model.vocab_size, model.bos_id, model.eos_id
    if (path := loaded.config.tokenizer.path) is not None:
        named = special_ids(path)
        space = identify(path).id_space if space is None else space
        bos = named.bos_id if bos is None else bos
        eos = named.eos_id if eos is None else eos
    return TokenHints(loaded.config.read.token_dtype, space, bos, eos, model.max_length)


def tell_what_was_found(skipped: Sequence[tuple[str, str]], pieces: PieceList, listener: Listener) -> None:
    """Says which formats and columns were found, what is damaged and what was left out."""
    for text in _found_in(pieces.notes):
        listener.note(text)
    for file, reason in pieces.damaged:
        listener.warn(f"{file.name}: {reason}")
    if skipped:
        path, reason = skipped[0]
        listener.note(f"left out: {len(skipped)} (such as {path}: {reason})")


def _found_in(notes: Sequence[FileNote]) -> Iterator[str]:
    """Says what was found in the files, one line for all that are alike."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for note in notes:
        alike.setdefault(_facts(note), []).append(note.file.name)
    for facts, names in sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))[:LISTED_NOTES]:
        yield f"found {len(names):,} {'file' if len(names) == 1 else 'files'} ({names[0]}): {', '.join(facts)}"
    if len(alike) > LISTED_NOTES:
        yield f"... and {len(alike) - LISTED_NOTES:,} more kinds of files; manifest.json lists every file."


def _facts(note: FileNote) -> tuple[str, ...]:
    if note.empty:
        return ("empty",)
    if note.layout is not None:
        return note.format, *_how_ids_stand(note.layout)
    what = "text" if note.kind == "text" else "token ids"
    return (
        f"{note.format} {note.compression}" if note.compression else note.format,
        f"{what} in {note.content!r}" if note.content else f"all of it {what}",
        f"id in {note.id_column!r}" if note.id_column else "no id column",
        *([f"source in {note.source_column!r}"] if note.source_column else []),
    )


_SAYS = {
    "header": "its header",
    "sidecar": "what lies beside it",
    "option": "the option",
    "vocab_size": "the size of the vocabulary",
    "default": "habit",
}
_NEITHER = "Give --eos-id or --bos-id to cut it into documents, or --max-length for another length"


def _how_ids_stand(layout: TokenLayout) -> tuple[str, str]:
    """Says how the ids of a token array are read."""
    ids = f"{native(layout.dtype)} ids, by {_SAYS[layout.dtype_from]}"
    match layout.delimited_by:
        case "eos":
            return ids, f"a document ends after each id {layout.delimiter}"
        case "bos":
            return ids, f"a document starts at each id {layout.delimiter}"
        case "length":
            why = "no id is known to delimit documents"
            if layout.missing is not None:
                why = f"id {layout.missing} is to delimit documents and does not occur at the beginning"
            return ids, f"sequences of {layout.length:,} tokens, for {why}. {_NEITHER}"
        case "row":
            return ids, f"a document is a row of {layout.length:,} tokens"
        case other:
            return ids, f"a document is a sequence of the {other}" if other == "index" else "a document is a sample"


def earlier_plan(run: RunFolder) -> Plan | None:
    """Returns the plan that the run folder holds; None when there is none, or it is damaged or of another version."""
    try:
        plan = load_plan(run.path)
    except (OSError, msgspec.DecodeError):
        return None
    return plan if plan.format == PLAN_FORMAT else None


def make_plan(
    inputs: Sequence[str],
    pieces: PieceList,
    options: ReadOptions,
    loaded: LoadedConfig,
    earlier: Plan | None,
    listener: Listener,
) -> Plan:
    """Returns the plan of a run; raises NoDocumentsError when there is nothing to read."""
    if not pieces.pieces:
        raise NoDocumentsError(_nothing_to_read(inputs, pieces))
    _refuse_mixed(pieces.pieces, loaded)
    return Plan(
        format=PLAN_FORMAT,
        inputs=list(inputs),
        config_name=loaded.name,
        shards=pack(pieces.pieces, loaded.config.read.shard_bytes),
        damaged=[DamagedFile(file, reason) for file, reason in pieces.damaged],
        map=MapSettings(
            read=options,
            tokenizer=_tokenizer(pieces.pieces, options, loaded, earlier, listener),
            special_strings=loaded.config.tokenizer.special_strings,
            signals=signal_versions("text", "tokens", "labels", "mask"),
            block_documents=max(1, loaded.config.drift.window_documents // BLOCKS_IN_A_WINDOW),
            drift_unit=_drift_unit(pieces, loaded),
            shingle_units=loaded.config.duplicates.shingle_units if loaded.config.duplicates.enabled else None,
            versions=versions(),
            model_ids=_model_ids(pieces, loaded),
        ),
        pool=pool_settings(loaded),
        duplicates=duplicate_settings(loaded),
    )


def _refuse_mixed(pieces: Sequence[Piece], loaded: LoadedConfig) -> None:
    """Raises UsageError when there are texts and token ids, and no tokenizer: their lengths have no unit in common."""
    first = {piece.kind: piece.file.name for piece in reversed(pieces)}
    if len(first) > 1 and loaded.config.tokenizer.path is None:
        raise UsageError(
            f"the corpus holds texts ({first['text']}) and token ids ({first['ids']}), which have no unit of length in "
            "common. Give --tokenizer FILE, so that the texts are counted in tokens too, or audit the two apart."
        )


def _nothing_to_read(inputs: Sequence[str], pieces: PieceList) -> str:
    if not pieces.damaged:
        return f"no files to read in {', '.join(inputs)}."
    reasons = [f"{file.name}: {reason}" for file, reason in pieces.damaged[:LISTED_NOTES]]
    count = len(pieces.damaged)
    said = "the one file found cannot be read." if count == 1 else f"none of the {count:,} files found can be read."
    return "\n".join([said, *reasons])


def _drift_unit(pieces: PieceList, loaded: LoadedConfig) -> Literal["tokens", "words"]:
    has_ids = loaded.config.tokenizer.path is not None or any(piece.kind == "ids" for piece in pieces.pieces)
    return "tokens" if has_ids else "words"


def _model_ids(pieces: PieceList, loaded: LoadedConfig) -> ModelIds | None:
    model = loaded.config.model
    has_ids = any(piece.kind == "ids" for piece in pieces.pieces)
    return ModelIds(model.bos_id, model.eos_id, model.pad_id) if has_ids else None


def pool_settings(loaded: LoadedConfig) -> PoolSettings:
    """Returns what the second pass depends on."""
    model = loaded.config.model
    return PoolSettings(
        model.vocab_size, model.max_length, model.bos_id, model.eos_id, signal_versions("pooled"), model.pad_id
    )


def duplicate_settings(loaded: LoadedConfig) -> DuplicateSettings:
    """Returns what comparing documents depends on."""
    wanted = loaded.config.duplicates
    return DuplicateSettings(round(wanted.threshold * SCALE), wanted.sample, signal_versions("duplicates"))


def _tokenizer(
    pieces: Sequence[Piece], options: ReadOptions, loaded: LoadedConfig, earlier: Plan | None, listener: Listener
) -> TokenizerSettings | None:
    wanted = loaded.config.tokenizer
    if wanted.path is None:
        listener.note(_without_tokenizer(pieces))
        return None
    identity = identify(wanted.path)
    for token in identity.renumbered:
        listener.warn(f"{wanted.path}: {token.token!r} loads as id {token.actual}, not as {token.declared}.")
    chosen = TokenizerSettings(
        path=str(locate(wanted.path).absolute()),
        sha256=identity.sha256,
        model_type=identity.model_type,
        id_space=identity.id_space,
        asked=wanted.engine,
        engine="tokenizers",
        engine_reason="",
        special_text=wanted.special_text,
        add_special_tokens=wanted.add_special_tokens,
    )
    if earlier is not None and earlier.map.tokenizer is not None and earlier.map.read == options:
        known = earlier.map.tokenizer
        again = msgspec.structs.replace(chosen, engine=known.engine, engine_reason=known.engine_reason)
        if again == known and [piece for shard in earlier.shards for piece in shard] == list(pieces):
            return again
    choice = compare_engines(
        wanted.path,
        _sample(pieces, options),
        engine=wanted.engine,
        special_text=wanted.special_text,
        add_special_tokens=wanted.add_special_tokens,
    )
    tell = listener.warn if choice.fell_back else listener.note
    tell(f"tokenizer engine: {choice.engine}. {choice.reason}")
    return msgspec.structs.replace(chosen, engine=choice.engine, engine_reason=choice.reason)


def _without_tokenizer(pieces: Sequence[Piece]) -> str:
    kinds = {piece.kind for piece in pieces}
    if kinds == {"ids"}:
        return "no tokenizer given: ids are counted, but compared with no vocabulary. Give --tokenizer FILE for that."
    skipped = "token checks are skipped" if kinds == {"text"} else "token checks see the token ids alone"
    return f"no tokenizer given: text is measured, {skipped}. Give --tokenizer FILE for them."


def _sample(pieces: Sequence[Piece], options: ReadOptions) -> pa.LargeStringArray:
    """Returns the first documents of pieces spread evenly over the corpus."""
    texts = [piece for piece in pieces if piece.kind == "text"]
    step = max(1, len(texts) // SAMPLED_PIECES)
    sample: list[str] = []
    few = msgspec.structs.replace(options, batch_rows=SAMPLED_DOCUMENTS, batch_bytes=SAMPLED_BYTES)
    for piece in texts[::step][:SAMPLED_PIECES]:
        for batch in read_piece(piece, few, Tally()):
            room = SAMPLED_BYTES // SAMPLED_PIECES
            for text in batch.column("text").to_pylist():
                room -= len(text)
                if room < 0:
                    break
                sample.append(text)
            break
    return pa.array(sample, pa.large_string())
