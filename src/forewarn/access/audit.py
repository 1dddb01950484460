"""The part of the history that is about access: roles given and taken away, new keys, and whoever was refused."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from forewarn.domain.draft import Change
from forewarn.domain.events import Actor
from forewarn.domain.history import ACCESS, Entry, What
from forewarn.engine.ports import Store, Transaction

T = TypeVar("T")


class Audit:
    def __init__(
        self, store: Store, now: Callable[[], datetime], tell: Callable[[Sequence[Entry]], None] = lambda entries: None
    ) -> None:
        """`now`: the fleet's time, as everywhere in the history. `tell`: those who watch, after the commit."""
        self.store = store
        self.now = now
        self._tell = tell

    def entry(
        self, who: Actor, what: What, subject: str, *, before: str = "", after: str = "", detail: str = ""
    ) -> Entry:
        return Entry(
            scope=ACCESS,
            at=self.now(),
            who=who,
            what=what,
            subject=subject,
            before=before,
            after=after,
            detail=detail,
        )

    async def run(
        self, work: Callable[[Transaction], tuple[T, Sequence[Entry]]], then: Callable[[T], None] = lambda done: None
    ) -> T:
        """What `work` does, and the entries it comes back with, in one commit."""

        def both(tx: Transaction) -> tuple[T, Sequence[Entry]]:
            done, entries = work(tx)
            return done, tx.save(Change(entries=tuple(entries))) if entries else ()

        def told(outcome: tuple[T, Sequence[Entry]]) -> None:
            then(outcome[0])
            self._tell(outcome[1])

        done, _ = await self.store.run(both, told)
        return done

    async def write(self, entries: Sequence[Entry]) -> None:
        await self.run(lambda tx: (None, entries))
