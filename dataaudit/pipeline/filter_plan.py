"""The plan of a filter: which run, which rules, and where each file's records go."""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import msgspec

from dataaudit.config.schema import Rule
from dataaudit.corpus import CorpusFile, Piece
from dataaudit.corpus.leave_out import REASONS_ENDING
from dataaudit.corpus.sequence_files import files_of, own_format, sequence_file
from dataaudit.corpus.token_readers import names as array_formats
from dataaudit.corpus.token_writers import token_formats
from dataaudit.errors import RunError, UsageError, suggestion
from dataaudit.filter_result import Restored
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import LOCK, MARKERS, TEMPORARY, RunFolder

RECORD_FORMATS = ("same", "jsonl.zst", "parquet")
"""Formats of clean files that hold records; the others are those of token ids, which a filter exports to."""
FILTER_FORMAT = 1
PLAN_NAME = "filter_plan.json"
RESULT_NAME = "filter.json"
ENDINGS = {"jsonl.zst": ".jsonl.zst", "parquet": ".parquet"}
AS_LINES = ("csv", "text")
"""Formats whose quarantine is JSON lines: they have no place for reasons."""


def refuse_format(name: str) -> None:
    """Makes sure that there is a format of clean files.

    Raises:
        UsageError: there is none of this name.
    """
    formats = (*RECORD_FORMATS, *token_formats())
    if name not in formats:
        raise UsageError(
            f"no format {name!r} of clean files.{suggestion(name, formats)} There are: {', '.join(formats)}."
        )


class PieceNames(msgspec.Struct, frozen=True):
    """Where the records of a piece go, relative to OUT.

    Attributes:
        clean: kept records; an empty text where they are exported as token ids, all together.
        quarantine, unreadable: quarantined records, and what could not be read.
        reasons: why each sequence is in quarantine, where the format has no place for it; else None.
        sidecars: files that may stand beside *clean* and *quarantine*.
    """

    clean: str
    quarantine: str
    unreadable: str
    reasons: str | None = None
    sidecars: tuple[str, ...] = ()

    @property
    def all(self) -> list[str]:
        """Every file that may be written for the piece."""
        more = [] if self.reasons is None else [self.reasons]
        clean = [self.clean] if self.clean else []
        return [*clean, self.quarantine, self.unreadable, *more, *self.sidecars]


class FilterPlan(msgspec.Struct, frozen=True):
    """What a filter does.

    Attributes:
        format: FILTER_FORMAT.
        run: absolute path of the run folder.
        run_key: digest of the run's results that the filter uses.
        inputs: the INPUT arguments of the run.
        config_name, config_digest: where the rules come from.
        rules: with the limits of the step.
        step: the training step that limits were taken at, or None.
        output: format of the clean files: one of RECORD_FORMATS, or of token ids.
        restored: failures that no longer count.
        names: by shard and piece.
        moving: for a curriculum, the rules as they were given; *rules* then have each limit where it keeps most.
    """

    format: int
    run: str
    run_key: str
    inputs: list[str]
    config_name: str
    config_digest: str
    rules: tuple[Rule, ...]
    step: int | None
    output: str
    restored: list[Restored]
    names: list[list[PieceNames]]
    moving: tuple[Rule, ...] = ()


@lru_cache(maxsize=1)
def _decode(path: Path, stamp: tuple[int, int, int]) -> FilterPlan:  # noqa: ARG001 - the stamp is there for the cache
    return msgspec.json.decode(path.read_bytes(), type=FilterPlan)


def load_filter_plan(out: Path) -> FilterPlan | None:
    """Returns the plan of a filter's output folder, or None when it is none, or of another version."""
    path = out / PLAN_NAME
    try:
        facts = path.stat()
        plan = _decode(path, (facts.st_mtime_ns, facts.st_ino, facts.st_size))
    except (OSError, msgspec.DecodeError):
        return None
    return plan if plan.format == FILTER_FORMAT else None


def output_names(plan: Plan, output: str, *, with_fields: bool = False) -> list[list[PieceNames]]:
    """Returns where the records of each piece go, by shard and piece.

    A file of one piece keeps its name. One that was cut becomes a folder with the file's stem as its name, and in it
    ``part-00000-of-00003.jsonl`` and so on, which sort in the file's order. *with_fields* is for kept records that get
    fields of their own, for which some formats have no place.
    """
    pieces = [piece for shard in plan.shards for piece in shard]
    counts: dict[str, int] = {}
    for piece in pieces:
        counts[piece.file.name] = counts.get(piece.file.name, 0) + 1
    taken: set[str] = set()
    seen: dict[str, int] = {}
    names: list[list[PieceNames]] = []
    for shard in plan.shards:
        names.append([])
        for piece in shard:
            number = seen.get(piece.file.name, 0)
            seen[piece.file.name] = number + 1
            name = _unique(
                _relative(piece.file, number, counts[piece.file.name]), piece, output, taken, with_fields=with_fields
            )
            names[-1].append(name)
    return names


def _relative(file: CorpusFile, number: int, of: int) -> str:
    """Returns a path below OUT/clean; nothing in the file's name can lead out of it."""
    parts = [part for part in file.name.split("/") if part not in ("", ".", "..")] or ["file"]
    if of == 1:
        return "/".join(parts)
    stem, _, ending = parts[-1][1:].partition(".")
    stem = parts[-1][0] + stem
    part = f"part-{number:05d}-of-{of:05d}"
    return "/".join([*parts[:-1], stem, f"{part}.{ending}" if ending else part])


def _unique(relative: str, piece: Piece, output: str, taken: set[str], *, with_fields: bool) -> PieceNames:
    """Returns names that no other file has, and that are no folder of another."""
    while True:
        names = _names(relative, piece, output, with_fields=with_fields)
        paths = set(names.all)
        folders = {str(parent) for path in paths for parent in Path(path).parents}
        if not (paths | folders) & taken and not {f"{path}/" for path in paths} & taken:
            # Folders are marked by a slash at their end: many files may share one.
            taken |= paths | {f"{folder}/" for folder in folders}
            return names
        folder, _, last = relative.rpartition("/")
        relative = f"{folder}/_{last}" if folder else f"_{last}"


def _names(relative: str, piece: Piece, output: str, *, with_fields: bool) -> PieceNames:
    unreadable = f"quarantine/{relative}.unreadable.jsonl"
    own = own_format(piece)
    if output not in RECORD_FORMATS:
        return msgspec.structs.replace(_names(relative, piece, "same", with_fields=True), clean="")
    if own is None:
        as_quarantine = with_fields and output == "same"
        clean = _quarantine_name(relative, piece) if as_quarantine else _clean_name(relative, piece, output)
        return PieceNames(f"clean/{clean}", f"quarantine/{_quarantine_name(relative, piece)}", unreadable)
    as_table = with_fields or output != "same"
    same = sequence_file(relative, own)
    clean = f"clean/{_clean_name(relative, piece, output) if as_table else same}"
    quarantine = f"quarantine/{same}"
    sidecars = [] if as_table else files_of(clean, own, losses=True)[1:]
    sidecars += files_of(quarantine, own, losses=True)[1:]
    return PieceNames(clean, quarantine, unreadable, quarantine + REASONS_ENDING, tuple(sidecars))


def _clean_name(relative: str, piece: Piece, output: str) -> str:
    if output == "same":
        return relative + _ending(piece)
    folder, _, last = relative.rpartition("/")
    stem = last[0] + last[1:].partition(".")[0]
    return f"{folder}/{stem}{ENDINGS[output]}" if folder else f"{stem}{ENDINGS[output]}"


def _ending(piece: Piece) -> str:
    """Returns what is put behind the name of a file that is written as a table, which it was not."""
    if piece.format in array_formats():
        return ".arrow"
    return ".parquet" if piece.format == "hub" else ""


def _quarantine_name(relative: str, piece: Piece) -> str:
    if ending := _ending(piece):
        return relative + ending
    if piece.format not in AS_LINES:
        return relative
    compressed = piece.compression is not None and "." in relative.rpartition("/")[2][1:]
    return (relative.rpartition(".")[0] if compressed else relative) + ".jsonl"


def possible_outputs(plan: FilterPlan) -> Iterator[str]:
    """Gives every file that a filter may write below clean/, quarantine/ and tokens/."""
    for shard, names in enumerate(plan.names):
        yield f"tokens/part-{shard:05d}.arrow"
        for each in names:
            yield from each.all


def refuse_place(out: Path, run: Path, inputs: Sequence[str], option: str = "--to") -> None:
    """Makes sure that OUT lies neither in the run nor in an input, nor they in it; *option* is the one that named it.

    Raises:
        UsageError: it does.
    """
    target = out.resolve()
    places = [(run, "the run folder"), *((Path(name), "the input") for name in inputs)]
    for path, what in places:
        other = path.resolve()
        if path.exists() and (other == target or (path.is_dir() and other in target.parents)):
            raise UsageError(f"{out} lies inside {what} {path}. Give {option} another folder.")
        if target in other.parents and path.exists():
            raise UsageError(f"{out} holds {what} {path}. Give {option} a folder of its own.")


@contextmanager
def open_out(out: Path) -> Iterator[RunFolder]:
    """Gives the output folder, held by this process alone until the end of the block.

    Raises:
        RunError: it is not empty and no filter's, cannot be written, or another process is using it.
    """
    if out.exists() and not out.is_dir():
        raise RunError(f"{out} is a file, not a folder. Give another folder to --to.")
    if (out / "plan.json").exists():
        raise RunError(f"{out} is a run folder of dataaudit audit. Give another folder to --to.")
    ours = (out / PLAN_NAME).exists() or _only_begun(out)
    if out.is_dir() and any(out.iterdir()) and not ours:
        raise RunError(f"{out} is not empty and not the output of a filter. Give --to a new or an empty folder.")
    try:
        (out / MARKERS).mkdir(parents=True, exist_ok=True)
        lock = (out / MARKERS / LOCK).open("w")
    except OSError as error:
        raise RunError(f"{out}: cannot be written ({error.strerror}).") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunError(f"{out}: another dataaudit process is writing there. Wait for it to end.") from error
        yield RunFolder(out)


def _only_begun(out: Path) -> bool:
    """Whether a filter was killed there before it had written its plan."""
    names = {path.name for path in out.iterdir()} if out.is_dir() else set()
    return names <= {MARKERS, TEMPORARY} and MARKERS in names and not list((out / MARKERS).glob("*.json"))


@contextmanager
def reading(run: Path) -> Iterator[None]:
    """Makes sure that no audit changes the run folder meanwhile.

    Raises:
        RunError: one is at work there.
    """
    try:
        lock = (run / MARKERS / LOCK).open("r")
    except OSError:
        yield
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            raise RunError(f"{run}: an audit is at work in this run folder. Wait for it to end.") from error
        yield
