"""What packing documents into windows of a context length costs, from the lengths alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataaudit.kernels.packing import pack_best_fit
from dataaudit.sketches.lengths import Lengths


class Packing(NamedTuple):
    """Two ways of filling windows of one context length.

    Concatenating joins all documents and cuts the stream into windows. Best fit cuts only documents longer than a
    window and places the pieces, longest first, each into the fullest window with room.

    Attributes:
        context: tokens in a window.
        documents: documents with at least one token.
        tokens: all their tokens.
        longer_documents: documents longer than a window.
        unavoidable_cuts: cuts that any packing makes: ⌈length / context⌉ − 1 in each document.
        concatenated_windows: full windows of the joined stream.
        concatenated_remainder: tokens after the last full window: dropped, or padded to one more window.
        expected_truncated_documents: documents that concatenating cuts more often than it must, on average over
            the place where a document starts (see ``expected_truncated_documents``).
        best_fit_windows: windows that best fit needs.
        best_fit_padding: tokens of padding in them.
        best_fit_efficiency: share of tokens that are not padding; None without tokens.
    """

    context: int
    documents: int
    tokens: int
    longer_documents: int
    unavoidable_cuts: int
    concatenated_windows: int
    concatenated_remainder: int
    expected_truncated_documents: float
    best_fit_windows: int
    best_fit_padding: int
    best_fit_efficiency: float | None


def packing(lengths: Lengths, context: int) -> Packing:
    """Returns what packing costs at a context length.

    Args:
        lengths: exact lengths, as ``LengthHistogram.distinct`` gives them; order does not matter.
        context: tokens in a window.

    Raises:
        ValueError: if *context* is not positive.

    Source: Ding et al. 2024, arXiv 2404.10830.
    """
    best = pack_best_fit(lengths.lengths, lengths.documents, context)
    held = lengths.lengths > 0
    sizes, documents = lengths.lengths[held], lengths.documents[held]
    tokens = int(sizes @ documents)
    return Packing(
        context=context,
        documents=int(documents.sum()),
        tokens=tokens,
        longer_documents=int(documents[sizes > context].sum()),
        unavoidable_cuts=int(((sizes - 1) // context) @ documents),
        concatenated_windows=tokens // context,
        concatenated_remainder=tokens % context,
        expected_truncated_documents=expected_truncated_documents(lengths, context),
        best_fit_windows=best.windows,
        best_fit_padding=best.padding,
        best_fit_efficiency=tokens / (best.windows * context) if tokens else None,
    )


def expected_truncated_documents(lengths: Lengths, context: int) -> float:
    """Returns how many documents concatenating is expected to cut more often than it must.

    A document of n tokens that starts at offset a of a window is cut ⌊(a + n − 1) / L⌋ times. Over all L equally likely
    offsets the mean is (n − 1) / L; ⌊(n − 1) / L⌋ = ⌈n / L⌉ − 1 of it is unavoidable; what is left,
    ((n − 1) mod L) / L, is the chance of the one further cut. Exact when starts are uniform, as in a shuffled corpus;
    for a given order see ``concatenation_cuts``.
    """
    held = lengths.lengths > 0
    return int(((lengths.lengths[held] - 1) % context) @ lengths.documents[held]) / context


class Cuts(NamedTuple):
    """Cuts of each document when documents are joined in a given order.

    Attributes:
        cuts: int64[docs], cuts inside each document.
        avoidable: int64[docs], those beyond ⌈length / context⌉ − 1; 0 or 1.
    """

    cuts: NDArray[np.int64]
    avoidable: NDArray[np.int64]


def concatenation_cuts(lengths: NDArray[np.int64], context: int) -> Cuts:
    """Returns the cuts of documents of these lengths, joined in this order and cut every *context* tokens."""
    stops = np.cumsum(lengths)
    cuts = np.where(lengths > 0, (stops - 1) // context - (stops - lengths) // context, 0)
    return Cuts(cuts, cuts - np.maximum(lengths - 1, 0) // context)
