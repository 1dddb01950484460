"""What the engine asks of the world, told by its promises."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from msgspec import Struct

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.draft import Change
from forewarn.domain.events import Action, Document, Event, Operation
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scopes import Scope

T = TypeVar("T")

JOBS_KEPT = timedelta(days=30)


class Clock(Protocol):
    """The fleet's time, which may be real, standing still, or faster than life."""

    def now(self) -> datetime: ...

    async def wait_until(self, moment: datetime | None) -> None:
        """Return once `moment` has come (None: never), or earlier, when somebody set the clock: look again then."""
        ...


class Reader(Protocol):
    """A consistent look at what is stored. Lists come in key order and are paged by the last key seen."""

    def scope(self, scope: str) -> Scope | None: ...

    def list_scopes(self, *, after: str = "", limit: int = 1000, campaign: str | None = None) -> Sequence[Scope]: ...

    def scopes_of_scale_set(self, scale_set: str) -> Sequence[Scope]:
        """Its placement groups, by id."""
        ...

    def machines(self, scope: str, names: Sequence[str] | None = None) -> Sequence[Machine]:
        """The machines of a scope, by name; those of `names` that exist, or all."""
        ...

    def some_machines(self, scope: str, limit: int) -> Sequence[Machine]:
        """So many of a scope's machines, first those that run: few tell whether any is left, and whether any runs."""
        ...

    def machines_named(self, name: str) -> Sequence[Machine]:
        """The machines of that name, in whatever scope."""
        ...

    def list_machines(self, *, after: tuple[str, str] = ("", ""), limit: int = 1000) -> Sequence[Machine]: ...

    def event(self, event: str) -> Event | None:
        """Any event that ever was, live or ended."""
        ...

    def list_events(
        self, *, scope: str | None = None, live: bool = True, after: str = "", limit: int = 1000
    ) -> Sequence[Event]:
        """Events by id; only the live ones unless told otherwise."""
        ...

    def operation(self, operation: str) -> Operation | None: ...

    def list_operations(
        self, *, scope: str | None = None, live: bool = True, after: str = "", limit: int = 1000
    ) -> Sequence[Operation]: ...

    def campaign(self, campaign: str) -> Campaign | None: ...

    def list_campaigns(self, *, after: str = "", limit: int = 1000) -> Sequence[Campaign]: ...

    def action(self, operation: str, machine: str) -> Action | None: ...

    def history(
        self, *, after: int = 0, limit: int = 1000, scope: str | None = None, subject: str | None = None
    ) -> Sequence[Entry]:
        """Entries with a greater `seq`, in order."""
        ...

    def last_entry(self) -> int:
        """The greatest `seq` there is; 0 if there is none."""
        ...

    def due_scopes(self, now: datetime, limit: int) -> Sequence[str]:
        """Scopes whose moment has come, the longest due first."""
        ...

    def next_due(self) -> datetime | None: ...

    def next_action(self) -> datetime | None:
        """When the next action that nobody has leased is to be tried. A lease that ran out still counts as one."""
        ...

    def resource(self, key: str) -> Resource | None: ...

    def list_resources(
        self, *, group: str | None = None, kind: str | None = None, after: str = "", limit: int = 1000
    ) -> Sequence[Resource]:
        """Resources by key: all, those of a group (its key), those of a type (in any letter case), or both."""
        ...

    def resources_of_machine(self, scope: str, machine: str) -> Sequence[Resource]:
        """What stands for this machine."""
        ...

    def job(self, job: str) -> Job | None: ...

    def list_published(self, *, after: str = "", limit: int = 1000) -> Sequence[Notice]:
        """The last notice of each event that is told outside, by the event's id."""
        ...

    def delivery(self, notice: str, subscription: str) -> Delivery | None: ...

    def subscriptions_waiting(self, wall: datetime) -> Sequence[str]:
        """Those with deliveries that could be leased now, by key."""
        ...

    def next_delivery(self, after: datetime) -> datetime | None:
        """When the next delivery that nobody has leased is to be tried, later than `after`."""
        ...

    def note(self, key: str) -> str | None: ...

    def answer(self, key: str) -> str | None:
        """What was answered to the command with this idempotency key."""
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
