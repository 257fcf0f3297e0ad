"""What a raw token array says about itself, in integers that merge: no model is needed to count them."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

MOST_PROBLEMS = 20
"""Problems of each kind that are kept with their place; all are counted."""
_BLOCK = 1 << 20


class TokenProblem(msgspec.Struct, frozen=True):
    """A place where an index, a sidecar or a header and the tokens do not agree.

    Attributes:
        kind: a word for what is wrong: ``pointer``, ``order``, ``first``, ``last``, ``empty``, ``sidecar``, ...
        sequence: number of the sequence, from 0, as ``record`` counts them; None for the file as a whole.
        position: token in the file, from 0, where it shows; None when there is none.
        message: what was found and what was expected, for a person.
    """

    kind: str
    sequence: int | None
    position: int | None
    message: str


class TokenFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of a token file or of a piece of it.

    Attributes:
        dtype: how the ids are stored: ``uint16``, ``int32``, ...
        dtype_from: what says so: ``header``, ``sidecar``, ``option``, ``vocab_size`` or ``default``.
        itemsize: bytes an id.
        delimited_by: what ends a document: ``index``, ``eos``, ``bos``, ``length``, ``row`` or ``sample``.
        tokens: ids that are there.
        extra_bytes: bytes after the last whole id; only on a file's first piece.
        declared_tokens: ids that the file should hold by its header, index or sidecar; None when nothing says; only on
            a file's first piece.
        declared_by: what says so.
        small_even, small_odd, low_zero, low_zero_swapped, leading_zeros, trailing_zeros, longest_zero_run: see
            ``kernels.raw_tokens``.
        bit_lengths, bit_lengths_swapped: ids by the bits they take, from 0 up, then the negative ones last.
        problems: at most MOST_PROBLEMS of each kind.
        problem_counts: all of them, by kind.
    """

    dtype: str
    itemsize: int
    dtype_from: str = "header"
    delimited_by: str = "index"
    tokens: int = 0
    extra_bytes: int = 0
    declared_tokens: int | None = None
    declared_by: str | None = None
    small_even: int = 0
    small_odd: int = 0
    low_zero: int = 0
    low_zero_swapped: int = 0
    leading_zeros: int = 0
    trailing_zeros: int = 0
    longest_zero_run: int = 0
    bit_lengths: list[int] = []
    bit_lengths_swapped: list[int] = []
    problems: list[TokenProblem] = []
    problem_counts: dict[str, int] = {}

    def merge(self, later: "TokenFacts") -> "TokenFacts":
        """Returns the facts of both, *later* being what follows in the same file."""
        declared = [each for each in (self.declared_tokens, later.declared_tokens) if each is not None]
        joined = self.trailing_zeros + later.leading_zeros
        is_zero, later_is_zero = self.trailing_zeros == self.tokens, later.trailing_zeros == later.tokens
        inner = self.longest_zero_run if later_is_zero else max(self.longest_zero_run, later.longest_zero_run, joined)
        counts = dict(self.problem_counts)
        for kind, count in later.problem_counts.items():
            counts[kind] = counts.get(kind, 0) + count
        return msgspec.structs.replace(
            self,
            tokens=self.tokens + later.tokens,
            extra_bytes=self.extra_bytes + later.extra_bytes,
            declared_tokens=sum(declared) if declared else None,
            declared_by=self.declared_by or later.declared_by,
            small_even=self.small_even + later.small_even,
            small_odd=self.small_odd + later.small_odd,
            low_zero=self.low_zero + later.low_zero,
            low_zero_swapped=self.low_zero_swapped + later.low_zero_swapped,
            leading_zeros=self.leading_zeros + (later.leading_zeros if is_zero else 0),
            trailing_zeros=joined if later_is_zero else later.trailing_zeros,
            longest_zero_run=inner,
            bit_lengths=_added(self.bit_lengths, later.bit_lengths),
            bit_lengths_swapped=_added(self.bit_lengths_swapped, later.bit_lengths_swapped),
            problems=_first_of_each([*self.problems, *later.problems]),
            problem_counts=counts,
        )

    def with_tokens(self, ids: NDArray[Any], first: int | None = None) -> "TokenFacts":
        """Returns the facts with the ids of the array that follows counted too.

        Args:
            ids: 1-D, whole numbers of ``itemsize`` bytes in the machine's byte order; it may be mapped from a file.
            first: place of its first id in the file; None means right after those counted.
        """
        from dataaudit.kernels.raw_tokens import raw_tokens  # loads the compiler, which finding files does without

        place = self.tokens if first is None else first
        facts = self
        for start in range(0, len(ids), _BLOCK):
            block = ids[start : start + _BLOCK]
            counts = raw_tokens(block, place + start)._asdict()
            values = {name: each.tolist() if isinstance(each, np.ndarray) else each for name, each in counts.items()}
            facts = facts.merge(TokenFacts(dtype=self.dtype, itemsize=self.itemsize, tokens=len(block), **values))
        return facts

    def with_problem(
        self, kind: str, message: str, *, sequence: int | None = None, position: int | None = None, count: int = 1
    ) -> "TokenFacts":
        """Returns the facts with a problem more; *count* says how many like it there are, this being the first."""
        return msgspec.structs.replace(
            self,
            problems=_first_of_each([*self.problems, TokenProblem(kind, sequence, position, message)]),
            problem_counts=self.problem_counts | {kind: self.problem_counts.get(kind, 0) + count},
        )


def measure(ids: NDArray[Any], *, first: int = 0, **facts: Any) -> TokenFacts:
    """Returns the facts of one array; *facts* are the fields that the array itself does not tell.

    Raises:
        TypeError: it holds no whole numbers in the machine's byte order.
    """
    if ids.dtype.kind not in "iu" or not ids.dtype.isnative:
        raise TypeError(f"token ids are whole numbers in this machine's byte order, not {ids.dtype.str}")
    empty = TokenFacts(dtype=ids.dtype.name, itemsize=ids.dtype.itemsize, **facts)
    return empty.with_tokens(ids, first)


def _added(first: list[int], second: list[int]) -> list[int]:
    return [a + b for a, b in zip(first, second, strict=True)] if first and second else first or second


def _first_of_each(problems: list[TokenProblem]) -> list[TokenProblem]:
    seen: dict[str, int] = {}
    kept = []
    for problem in problems:
        seen[problem.kind] = seen.get(problem.kind, 0) + 1
        if seen[problem.kind] <= MOST_PROBLEMS:
            kept.append(problem)
    return kept
