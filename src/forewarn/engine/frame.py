"""The frame of every command: load what it concerns, let the domain decide, save it whole, tell who watches."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from forewarn.domain.draft import Change, Draft
from forewarn.domain.history import Entry
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.engine import leaving
from forewarn.engine.locking import lock_all
from forewarn.engine.ports import Clock, Feed, News, Store, Transaction
from forewarn.engine.publishing import published

T = TypeVar("T")
Scopes = Sequence[str] | Callable[[Transaction], Sequence[str]]
"""What a command locks: known beforehand, or looked up in the same transaction."""
Lock = Callable[[Transaction, Sequence[str]], list[Scope]]
NOTHING = Change()


class Frame:
    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        feed: Feed,
        new_id: Callable[[], str],
        settings: Settings,
        heard: Callable[[str], datetime | None] = lambda scope: None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.settings = settings
        self.feed = feed
        self.new_id = new_id
        self.heard = heard  # when a scope asked last, as far as that is not saved yet
        self._wakers: list[Callable[[Change], None]] = []

    def on_change(self, waker: Callable[[Change], None]) -> None:
        """Those who sleep until something is due are told of every change, after its commit."""
        self._wakers.append(waker)

    async def command(self, scopes: Scopes, decide: Callable[[Transaction, Draft], T], lock: Lock = lock_all) -> T:
        def work(tx: Transaction) -> tuple[T, Change, Sequence[Entry]]:
            draft = Draft(lock(tx, scopes(tx) if callable(scopes) else scopes), self.clock.now())
            result = decide(tx, draft)
            leaving.follow(tx, draft)
            change = published(tx, draft.seal(self.settings), draft.now)
            return result, change, tx.save(change) if change != NOTHING else ()

        result, _, _ = await self.store.run(work, self.tell)
        return result

    def tell(self, committed: tuple[object, Change, Sequence[Entry]]) -> None:
        """Who sleeps is woken first: nobody else's trouble may make them sleep through what is due."""
        _, change, entries = committed
        for waker in self._wakers:
            waker(change)
        self.feed.publish(
            News(
                documents=[revision.after.document for revision in change.revisions],
                scopes=[revision.after for revision in change.revisions if revision.is_declaration],
                machines=change.machines,
                gone=change.gone,
                dissolved=change.dissolved,
                entries=entries,
            )
        )
