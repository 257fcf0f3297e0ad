"""Puts what an index says wrongly into the facts of a piece: the first places, and how many there are."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from dataaudit.corpus.documents import Tally
from dataaudit.corpus.token_facts import MOST_PROBLEMS


class Place(NamedTuple):
    """Where a problem is, and what is wrong there; see ``TokenProblem``."""

    sequence: int | None
    position: int | None
    message: str


def add_problems(
    tally: Tally, kind: str, found: "Sequence[int] | NDArray[Any]", describe: Callable[[int], Place]
) -> None:
    """Adds a problem for each of *found*; all are counted, and the first of them described."""
    assert tally.token_facts is not None
    facts = tally.token_facts
    for number, each in enumerate(found[:MOST_PROBLEMS]):
        place = describe(int(each))
        count = len(found) - MOST_PROBLEMS + 1 if number == MOST_PROBLEMS - 1 else 1
        facts = facts.with_problem(kind, place.message, sequence=place.sequence, position=place.position, count=count)
    tally.token_facts = facts


def add_problem(tally: Tally, kind: str, message: str, position: int | None = None) -> None:
    """Adds a problem of the file as a whole."""
    add_problems(tally, kind, [0], lambda _: Place(None, position, message))
