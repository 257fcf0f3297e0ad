"""Finds the text that token ids are said to come from: a column of the same records, or a corpus of its own."""

from pathlib import Path

from dataaudit.config.load import LoadedConfig
from dataaudit.corpus import PieceList, ReadOptions, cut_pieces, find_files
from dataaudit.corpus.columns import listed
from dataaudit.errors import ReadError, UsageError
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.plan import TextBeside
from dataaudit.pipeline.prepare import refuse_inputs_inside, refuse_overlap, tell_what_was_found

OPTION = "--text (read.text_beside)"


def text_beside(pieces: PieceList, loaded: LoadedConfig, out: Path, listener: Listener) -> TextBeside | None:
    """Returns the text that the config names; None when it names none.

    A name of a column with text is a column; anything else is a path.

    Raises:
        UsageError: it does not go with the corpus, there is no tokenizer, or it is no text.
        ReadError: there is no such column and no such file.
    """
    given = loaded.config.read.text_beside
    if given is None:
        return None
    if loaded.config.tokenizer.path is None:
        raise UsageError(f"{OPTION} {given!r} needs the tokenizer that made the ids. Give --tokenizer FILE.")
    if pieces.pieces and not any(piece.kind == "ids" for piece in pieces.pieces):
        raise UsageError(
            f"{OPTION} {given!r} goes with a corpus of token ids, and this one is read as text. Leave it out."
        )
    read = loaded.config.read
    options = ReadOptions(document_per=read.document_per, max_record_bytes=read.max_record_bytes)
    if given in pieces.text_columns:
        _refuse_arrays(given, pieces)
        listener.note(f"text beside the token ids: column {given!r} of the same records")
        return TextBeside(given, None, options)
    return TextBeside(given, _corpus(given, pieces, options, loaded, out, listener).pieces, options)


def _refuse_arrays(given: str, pieces: PieceList) -> None:
    """Raises UsageError when some ids do not stand in a table or in JSON records."""
    for piece in pieces.pieces:
        if piece.layout is not None:
            raise UsageError(
                f"{OPTION} {given!r} is a column, and the token ids in {piece.file.name} ({piece.format}) stand in no "
                "table. Give the text as files of its own, with the same documents in the same order."
            )


def _corpus(
    given: str, pieces: PieceList, options: ReadOptions, loaded: LoadedConfig, out: Path, listener: Listener
) -> PieceList:
    refuse_overlap([given], out)
    try:
        found = find_files([given])
    except ReadError as error:
        raise ReadError(
            f"{OPTION}: there is no column {given!r} with text beside the token ids (columns with text: "
            f"{listed(sorted(pieces.text_columns))}), and as a path: {error}"
        ) from error
    refuse_inputs_inside(found.files, out)
    texts = cut_pieces(found.files, options, loaded.config.read.shard_bytes)
    listener.note("text beside the token ids:")
    tell_what_was_found(found.skipped, texts, listener)
    if not texts.pieces:
        reason = f" {texts.damaged[0][0].name}: {texts.damaged[0][1]}" if texts.damaged else ""
        raise UsageError(f"{OPTION} {given!r} holds no text that can be read.{reason}")
    ids = next((piece.file.name for piece in texts.pieces if piece.kind == "ids"), None)
    if ids is not None:
        raise UsageError(f"{OPTION} {given!r} holds token ids ({ids}), where texts are expected.")
    return texts
