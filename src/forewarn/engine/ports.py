"""What the engine asks of the world, told by its promises."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from msgspec import Struct

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.draft import Change
from forewarn.domain.events import Action, Document
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.engine.readers import Reader

__all__ = [
    "JOBS_KEPT",
    "Clock",
    "Done",
    "Driver",
    "Failed",
    "Feed",
    "News",
    "Reader",
    "Running",
    "Store",
    "Transaction",
]

T = TypeVar("T")

JOBS_KEPT = timedelta(days=30)


class Clock(Protocol):
    """The fleet's time, which may be real, standing still, or faster than life."""

    def now(self) -> datetime: ...

    async def wait_until(self, moment: datetime | None) -> None:
        """Return once `moment` has come (None: never), or earlier, when somebody set the clock: look again then."""
        ...


class Transaction(Reader, Protocol):
    """One unit of work. It alone sees its own writes until it is committed."""

    def lock(self, scope: str) -> Sequence[Scope]:
        """The scope with its live events and operations, and all scopes of the same scale set, locked in id order.

        Empty if there is no such scope.
        """
        ...

    def save(self, change: Change) -> Sequence[Entry]:
        """Write it all. The entries come back with their `seq` and digest.

        An event comes with the operation it announces, in the same scope, and ends with it.
        Conflict if a scope without a before is already there. Actions are free to be leased again; what is gone,
        finished, dissolved or dropped is so, even if the same change also writes it. Jobs that began before
        `JOBS_KEPT` are forgotten when a new one is saved; so are notices of events that ended `notices.KEPT` before
        another. Deliveries are free to be leased again.
        """
        ...

    def save_campaign(self, campaign: Campaign) -> None: ...

    def mark_seen(self, scope: str, at: datetime, due: datetime | None) -> None:
        """Somebody in the scope asked at this time: the scope's `last_seen` and `due`, nothing else."""
        ...

    def lease(self, now: datetime, wall: datetime, until: datetime, limit: int) -> Sequence[Action]:
        """Take actions due by `now` whose lease, by the wall clock, nobody holds. Each comes with a greater fence."""
        ...

    def lease_deliveries(self, subscription: str, wall: datetime, until: datetime, limit: int) -> Sequence[Delivery]:
        """Take deliveries to this subscription that are due and held by nobody, both by the wall clock; the longest due
        first, and of those the earliest notice. Each comes with a greater fence."""
        ...

    def free_deliveries(self) -> None:
        """Nobody holds any: for the start of the only process that delivers."""
        ...

    def put_note(self, key: str, text: str) -> None: ...

    def put_answer(self, key: str, text: str, at: datetime) -> None: ...

    def forget_answers(self, before: datetime) -> None:
        """Those given before then; their keys may be used anew."""
        ...


class Store(Protocol):
    """Where things live.

    When `run` returns, everything `work` did is durable; when it raises, none of it happened. `work` may run in another
    thread, may be run a second time after the first was rolled back, and must not keep the transaction. Works run one
    after another where they lock the same scope. `then` is called with the result in the caller's event loop, in the
    order of the commits, even if the caller is gone by then.
    """

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T: ...

    async def read(self, work: Callable[[Reader], T]) -> T: ...

    async def close(self) -> None: ...


class News(Struct, frozen=True, kw_only=True):
    """What a commit changed, for those who watch."""

    documents: Sequence[Document] = ()
    scopes: Sequence[Scope] = ()  # only those that are new, or declared anew
    machines: Sequence[Machine] = ()
    gone: Sequence[tuple[str, str]] = ()
    dissolved: Sequence[str] = ()
    entries: Sequence[Entry] = ()


class Feed(Protocol):
    def publish(self, news: News) -> None:
        """Told after the commit, in the order of commits. Must not block."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """The impact has happened and is over."""


@dataclass(frozen=True, slots=True)
class Running:
    """The impact is under way; ask again then, by the fleet's clock."""

    until: datetime


@dataclass(frozen=True, slots=True)
class Failed:
    """It did not work this time."""

    reason: str


class Driver(Protocol):
    """Makes an impact real.

    Idempotent on (operation, machine): asked again, it tells how far it is. Must not act for a fence lower than one it
    has seen for the same pair. `time_limit` bounds one call, in seconds of real time.
    """

    time_limit: float

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed: ...
