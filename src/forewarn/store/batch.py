"""Group commit: many works, one transaction, one sync. A work that fails takes only itself back."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from forewarn.engine.ports import Transaction
from forewarn.store.connecting import Connection
from forewarn.store.errors import translated, unavailable
from forewarn.store.transaction import SqlTransaction

Work: TypeAlias = Callable[[Transaction], Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    value: Any = None
    error: BaseException | None = None


class Batches:
    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute
        self._transaction = SqlTransaction(connection)

    def commit(self, works: Sequence[Work]) -> list[Outcome]:
        """What came of each work, all of it durable. If the commit itself fails, no work has happened."""
        seq = self._transaction.seq
        try:
            self._execute("begin immediate")
            outcomes = [self._perform(work) for work in works]
            self._execute("commit")
        except Exception as error:
            with suppress(Exception):  # the database has mostly done so by itself
                self._execute("rollback")
            self._transaction.forget(seq)
            return [Outcome(error=unavailable(error)) for _ in works]
        return outcomes

    def _perform(self, work: Work) -> Outcome:
        writes, seq = self._transaction.writes, self._transaction.seq
        self._execute("savepoint work")
        try:
            value = work(self._transaction)
        except BaseException as error:
            if self._transaction.writes != writes:
                self._take_back(error)
                self._transaction.forget(seq)
            self._execute("release savepoint work")
            return Outcome(error=translated(error))
        self._execute("release savepoint work")
        return Outcome(value=value)

    def _take_back(self, error: BaseException) -> None:
        try:
            self._execute("rollback to savepoint work")
        except Exception:
            raise unavailable(error) from error  # a full or failing disk: the whole transaction is gone
