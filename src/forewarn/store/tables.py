"""Tables in memory whose changes can be taken back."""

from bisect import bisect_right
from collections.abc import Callable, ItemsView, Iterator, ValuesView
from typing import Any, Generic, Protocol, TypeAlias, TypeVar


class Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=Ordered)
V = TypeVar("V")
UndoLog: TypeAlias = list[Callable[[], None]]


def take_back(undo: UndoLog) -> None:
    while undo:
        undo.pop()()


class Table(Generic[K, V]):
    """Rows by key, listed in key order."""

    def __init__(self, undo: UndoLog) -> None:
        self._undo = undo
        self._rows: dict[K, V] = {}
        self._sorted: list[K] | None = None  # None: a key came or went since they were sorted

    def get(self, key: K) -> V | None:
        return self._rows.get(key)

    def values(self) -> ValuesView[V]:
        return self._rows.values()

    def items(self) -> ItemsView[K, V]:
        return self._rows.items()

    def after(self, key: K) -> Iterator[V]:
        if self._sorted is None:
            self._sorted = sorted(self._rows)
        keys = self._sorted
        return (self._rows[keys[place]] for place in range(bisect_right(keys, key), len(keys)))

    def put(self, key: K, value: V) -> None:
        if key in self._rows:
            before = self._rows[key]
            self._undo.append(lambda: self._set(key, before))
        else:
            self._undo.append(lambda: self._delete(key))
        self._set(key, value)

    def drop(self, key: K) -> None:
        if key in self._rows:
            before = self._rows[key]
            self._undo.append(lambda: self._set(key, before))
            self._delete(key)

    def _set(self, key: K, value: V) -> None:
        if key not in self._rows:
            self._place(key)
        self._rows[key] = value

    def _place(self, key: K) -> None:
        if self._sorted and self._sorted[-1] < key:
            self._sorted.append(key)
        else:
            self._sorted = None

    def _delete(self, key: K) -> None:
        del self._rows[key]
        self._sorted = None
