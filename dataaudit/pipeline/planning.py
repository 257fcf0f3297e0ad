"""Plans a run: looks at the inputs, and writes plan and config into the run folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from dataaudit.config.load import LoadedConfig
from dataaudit.corpus import CorpusFile, PieceList, ReadOptions, cut_pieces, find_files
from dataaudit.pipeline.check_config import check_config
from dataaudit.pipeline.listener import Listener
from dataaudit.pipeline.plan import Plan, TextBeside, write_plan
from dataaudit.pipeline.prepare import (
    earlier_plan,
    make_plan,
    read_options,
    refuse_inputs_inside,
    refuse_other_corpus,
    refuse_overlap,
    tell_what_was_found,
    token_hints,
)
from dataaudit.pipeline.run_config import has_config, write_config
from dataaudit.pipeline.stages import sweep_unplanned
from dataaudit.pipeline.store import RunFolder
from dataaudit.pipeline.text_beside import text_beside
from dataaudit.tokenize import identify


class Corpus(NamedTuple):
    """What a run is to read.

    Attributes:
        inputs: as they were given.
        files: behind the inputs.
        pieces: of the files, and which are damaged.
        options: how to read them.
        beside: the text that token ids are compared with, or None.
    """

    inputs: Sequence[str]
    files: Sequence[CorpusFile]
    pieces: PieceList
    options: ReadOptions
    beside: TextBeside | None


def look_at(
    inputs: Sequence[str], out: Path, loaded: LoadedConfig, listener: Listener, *, input_format: str | None
) -> Corpus:
    """Looks into every file of the inputs and cuts it into pieces; writes nothing.

    Raises:
        DataAuditError: of the kind that fits, with a message for the user.
    """
    check_config(loaded)
    refuse_overlap(inputs, out)
    if loaded.config.tokenizer.path is not None:
        identify(loaded.config.tokenizer.path)  # what is wrong with it is said before a large corpus is looked through
    options = read_options(loaded, input_format)
    found = find_files(inputs)
    refuse_inputs_inside(found.files, out)
    pieces = cut_pieces(
        found.files,
        options,
        loaded.config.read.shard_bytes,
        lambda: token_hints(loaded),
        ids_first=loaded.config.read.text_beside is not None,
    )
    tell_what_was_found(found.skipped, pieces, listener)
    return Corpus(inputs, found.files, pieces, options, text_beside(pieces, loaded, out, listener))


def plan_corpus(run: RunFolder, corpus: Corpus, loaded: LoadedConfig, listener: Listener) -> Plan:
    """Writes plan and config, and removes what no task of the plan has written; what is finished of it stays.

    Raises:
        UsageError: the run folder holds the audit of another corpus, or texts and token ids cannot be read together.
        NoDocumentsError: there is nothing to read.
    """
    earlier = earlier_plan(run)
    refuse_other_corpus(earlier, corpus.files, run.path)
    plan = make_plan(corpus.inputs, corpus.pieces, corpus.options, loaded, earlier, listener)
    plan = msgspec.structs.replace(plan, text_beside=corpus.beside)
    if plan != earlier or not has_config(run, loaded):
        run.retract_report()
    write_plan(run, plan)
    write_config(run, loaded)
    sweep_unplanned(run, plan)
    return plan
