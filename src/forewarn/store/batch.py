"""Group commit: many works, one transaction, one sync. A work that fails takes only itself back.

Most works that fail are refused before they have written anything, and then there is nothing to take back. When one
does fail after it wrote, the whole batch is rolled back and its works run once more, this time each in a savepoint of
its own. Savepoints for all would make every command copy each page it touches.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec import Struct

from forewarn.domain.errors import Unavailable
from forewarn.engine.ports import Transaction
from forewarn.store.connecting import Connection
from forewarn.store.errors import translated, unavailable
from forewarn.store.transaction import SqlTransaction

Work: TypeAlias = Callable[[Transaction], Any]


class Outcome(Struct, frozen=True):
    value: Any = None
    error: BaseException | None = None


class _Spoilt(Exception):
    """A work has failed after it wrote, and the works beside it must not suffer for it."""


class Batches:
    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute
        self._transaction = SqlTransaction(connection)

    def commit(self, works: Sequence[Work]) -> list[Outcome]:
        """What came of each work, all of it durable. If the commit itself fails, no work has happened."""
        try:
            return self._together(works, self._perform)
        except _Spoilt:
            return self._together(works, self._perform_apart)

    def _together(self, works: Sequence[Work], perform: Callable[[Work], Outcome]) -> list[Outcome]:
        seq = self._transaction.seq
        try:
            self._execute("begin immediate")
            outcomes = [perform(work) for work in works]
            self._execute("commit")
        except Exception as error:
            with suppress(Exception):  # the database has mostly done so by itself
                self._execute("rollback")
            self._transaction.forget(seq)
            if isinstance(error, _Spoilt):
                raise
            return [Outcome(error=unavailable(error)) for _ in works]
        return outcomes

    def _perform(self, work: Work) -> Outcome:
        writes = self._transaction.writes
        try:
            return Outcome(value=work(self._transaction))
        except BaseException as error:
            told = translated(error)
            if self._transaction.writes != writes:
                raise error if isinstance(told, Unavailable) else _Spoilt from error
            return Outcome(error=told)

    def _perform_apart(self, work: Work) -> Outcome:
        seq = self._transaction.seq
        self._execute("savepoint work")
        try:
            value = work(self._transaction)
        except BaseException as error:
            self._take_back(error)
            self._transaction.forget(seq)
            return Outcome(error=translated(error))
        self._execute("release savepoint work")
        return Outcome(value=value)

    def _take_back(self, error: BaseException) -> None:
        try:
            self._execute("rollback to savepoint work")
            self._execute("release savepoint work")
        except Exception:
            raise unavailable(error) from error  # a full or failing disk: the whole transaction is gone
