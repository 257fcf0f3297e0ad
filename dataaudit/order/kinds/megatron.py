"""Megatron's index files: which windows of which documents, and in which order."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.errors import ReadError
from dataaudit.order.batches import Order
from dataaudit.order.epochs import EpochOrder
from dataaudit.order.files import index_file, refuse_decreasing, refuse_outside
from dataaudit.order.packing import Packing
from dataaudit.order.packings.megatron import MegatronWindows
from dataaudit.order.setup import Setup, layout_of, whole
from dataaudit.order.spelling import Spelled, refuse_other

FORM = "megatron:PREFIX"
ABOUT = "Megatron's document, sample and shuffle index files that start with PREFIX (or lie in that folder)."
IS_FILE = True
NAMES = {
    "document": ("document_index.npy", "doc_idx.npy"),
    "sample": ("sample_index.npy", "sample_idx.npy"),
    "shuffle": ("shuffle_index.npy", "shuffle_idx.npy"),
}


class MegatronFiles(NamedTuple):
    """The three files, mapped.

    Attributes:
        documents: document of each place of the stream, all epochs.
        samples: where each sample starts, [samples + 1, 2]: place in *documents*, and token of that document.
        shuffle: the sample that is read at each place of the run.
        path: of the sample index, for messages.
    """

    documents: NDArray[Any]
    samples: NDArray[Any]
    shuffle: NDArray[Any]
    path: Path


def build(order: Spelled, setup: Setup) -> Order:
    """Returns the order: the run reads the shuffle index once; a last batch that is not full is left out."""
    files = open_files(order)
    layout = layout_of(setup, "blocks")
    length = whole(len(files.shuffle), layout.step_samples, drop_last=True)
    return EpochOrder(order.text, lambda _: files.shuffle, length, layout, repeats=False)


def packing(order: Spelled, lengths: NDArray[np.int64], eos: int) -> Packing:
    """Returns the windows that the files define over documents of these lengths."""
    files = open_files(order)
    return MegatronWindows(lengths, eos, files.documents, files.samples, files.path)


def open_files(order: Spelled) -> MegatronFiles:
    """Opens the three files.

    Raises:
        ReadError: one is missing, cannot be read, or they do not belong together.
    """
    refuse_other(order, ())
    paths = {kind: _find(Path(order.value), names) for kind, names in NAMES.items()}
    documents, shuffle = index_file(paths["document"]), index_file(paths["shuffle"])
    samples = index_file(paths["sample"], dimensions=(2,))
    if samples.shape[1] != 2 or len(samples) < 2:
        raise ReadError(f"{paths['sample']}: expected two columns; found {samples.shape[1]}.")
    refuse_outside(shuffle, len(samples) - 1, paths["shuffle"])
    refuse_outside(samples[:, 0], len(documents), paths["sample"])
    refuse_decreasing(samples[:, 0], paths["sample"])
    return MegatronFiles(documents, samples, shuffle, paths["sample"])


def _find(prefix: Path, names: tuple[str, ...]) -> Path:
    if prefix.is_dir():
        found = sorted(path for path in prefix.iterdir() if path.name.endswith(names))
    else:
        tries = [prefix.with_name(f"{prefix.name}{joint}{name}") for name in names for joint in ("-", "_", "")]
        found = [path for path in tries if path.is_file()]
    if len(found) == 1:
        return found[0]
    listed = " or ".join(f"*{name}" for name in names)
    if found:
        raise ReadError(f"{prefix}: {len(found)} files end in {listed}. Give what the names of one set start with.")
    raise ReadError(f"{prefix}: no file {listed} starts so. Give what Megatron's index files start with.")
