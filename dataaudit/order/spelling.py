"""How an order is written: ``KIND:VALUE,option,option=value``, and after ``+`` the order that reads what it made."""

from collections.abc import Mapping
from typing import NamedTuple

from dataaudit.errors import UsageError, suggestion


class Spelled(NamedTuple):
    """An order as it was written.

    Attributes:
        text: all of it.
        kind: such as ``torch``.
        value: its seed or file.
        options: by name; a name alone has an empty value.
        then: the order after ``+``, or None.
    """

    text: str
    kind: str
    value: str
    options: Mapping[str, str]
    then: str | None


def spelled(text: str, *, is_file: bool) -> Spelled:
    """Parts an order; what comes after the colon of an *is_file* kind is a file name and nothing else."""
    kind, _, rest = text.partition(":")
    if is_file:
        return Spelled(text, kind, rest, {}, None)
    own, plus, then = rest.partition("+")
    value, *listed = own.split(",") if own else [""]
    options = {name.strip(): given.strip() for name, _, given in (each.partition("=") for each in listed)}
    return Spelled(text, kind, value.strip(), options, then if plus else None)


def seed_of(order: Spelled) -> int:
    """Returns the seed of an order."""
    try:
        seed = int(order.value)
    except ValueError:
        raise UsageError(
            f"--order {order.text}: {order.kind} takes a whole number as seed, such as {order.kind}:42; "
            f"found {order.value!r}."
        ) from None
    if not -(1 << 63) <= seed < 1 << 64:
        raise UsageError(f"--order {order.text}: a seed has at most 64 bits.")
    return seed


def choice(order: Spelled, name: str, choices: tuple[str, ...]) -> str:
    """Returns the value of an option, the first choice without it."""
    given = order.options.get(name, choices[0])
    if given not in choices:
        near = suggestion(given, choices)
        raise UsageError(f"--order {order.text}: {name} is one of {', '.join(choices)}, not {given!r}.{near}")
    return given


def flag(order: Spelled, name: str) -> bool:
    """Says whether an option without a value is there."""
    if order.options.get(name):
        raise UsageError(f"--order {order.text}: {name} takes no value.")
    return name in order.options


def refuse_other(order: Spelled, known: tuple[str, ...], *, then: bool = False) -> None:
    """Refuses options besides the *known* ones, and a ``+`` where nothing can follow."""
    for name in order.options:
        if name not in known:
            has = f"It has: {', '.join(known)}." if known else "It has none."
            raise UsageError(
                f"--order {order.text}: {order.kind} has no option {name!r}.{suggestion(name, known)} {has}"
            )
    if order.then is not None and not then:
        raise UsageError(f"--order {order.text}: only datasets-shuffle can be followed by + and another order.")
