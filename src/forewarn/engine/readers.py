"""What a store can be asked, noun by noun. Lists come in key order and are paged by the last key seen."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Event, Operation
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scopes import Scope


class FleetReader(Protocol):
    """Scopes, and the machines in them."""

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


class WorkReader(Protocol):
    """What is to happen, what happened, and who acts on it."""

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


class HistoryReader(Protocol):
    """What was done, in the order of the commits."""

    def history(
        self, *, after: int = 0, limit: int = 1000, scope: str | None = None, subject: str | None = None
    ) -> Sequence[Entry]:
        """Entries with a greater `seq`, in order."""
        ...

    def last_entry(self) -> int:
        """The greatest `seq` there is; 0 if there is none."""
        ...


class DueReader(Protocol):
    """When something is to be done next."""

    def due_scopes(self, now: datetime, limit: int) -> Sequence[str]:
        """Scopes whose moment has come, the longest due first."""
        ...

    def next_due(self) -> datetime | None: ...

    def next_action(self) -> datetime | None:
        """When the next action that nobody has leased is to be tried. A lease that ran out still counts as one."""
        ...


class EstateReader(Protocol):
    """What owners described, and what they wait for."""

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


class OutboxReader(Protocol):
    """What is told outside, and to whom it still has to be."""

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


class NotesReader(Protocol):
    """What its writer alone understands."""

    def note(self, key: str) -> str | None: ...

    def answer(self, key: str) -> str | None:
        """What was answered to the command with this idempotency key."""
        ...


class Reader(FleetReader, WorkReader, HistoryReader, DueReader, EstateReader, OutboxReader, NotesReader, Protocol):
    """A consistent look at all that is stored."""
