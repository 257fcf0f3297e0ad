"""An iterable of batches that shows each to a monitor."""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Watching(Protocol):
    """What a monitor has for this."""

    def update(self, batch: Any) -> None: ...  # noqa: D102
    def new_epoch(self) -> None: ...  # noqa: D102


class Watched(Generic[T]):
    """Gives the batches of a loader unchanged; has its length and its attributes.

    Each time after the first that it is gone through is a new epoch: its samples are no copies of those before.
    """

    def __init__(self, monitor: Watching, loader: Iterable[T]) -> None:
        self._monitor = monitor
        self._loader = loader
        self._is_first = True

    def __iter__(self) -> Iterator[T]:
        if not self._is_first:
            self._monitor.new_epoch()
        self._is_first = False
        for batch in self._loader:
            self._monitor.update(batch)
            yield batch

    def __len__(self) -> int:
        return len(self._loader)  # type: ignore[arg-type]  # a loader without a length raises TypeError, as it should

    def __bool__(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)
