"""The tables of the store in memory, and how they are read."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice, takewhile

from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Event, Operation
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine, Power, any_runs
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scopes import Scope
from forewarn.store.tables import Table, UndoLog


class MemoryReader:
    def __init__(self, undo: UndoLog) -> None:
        self._scopes: Table[str, Scope] = Table(undo)
        self._due: Table[str, datetime] = Table(undo)
        self._machines: Table[tuple[str, str], Machine] = Table(undo)
        self._events: Table[str, Event] = Table(undo)
        self._operations: Table[str, Operation] = Table(undo)
        self._campaigns: Table[str, Campaign] = Table(undo)
        self._actions: Table[tuple[str, str], Action] = Table(undo)
        self._leases: Table[tuple[str, str], datetime] = Table(undo)
        self._history: Table[int, Entry] = Table(undo)
        self._digests: Table[str, str] = Table(undo)
        self._resources: Table[str, Resource] = Table(undo)
        self._jobs: Table[str, Job] = Table(undo)
        self._published: Table[str, Notice] = Table(undo)
        self._deliveries: Table[tuple[str, str], Delivery] = Table(undo)
        self._held_deliveries: Table[tuple[str, str], datetime] = Table(undo)
        self._notes: Table[str, str] = Table(undo)
        self._answers: Table[str, tuple[str, datetime]] = Table(undo)

    def scope(self, scope: str) -> Scope | None:
        found = self._scopes.get(scope)
        return None if found is None else self._counted(found)

    def list_scopes(self, *, after: str = "", limit: int = 1000, campaign: str | None = None) -> Sequence[Scope]:
        found = (s for s in self._scopes.after(after) if campaign is None or (s.walk and s.walk.campaign == campaign))
        return [self._counted(scope) for scope in islice(found, limit)]

    def scopes_of_scale_set(self, scale_set: str) -> Sequence[Scope]:
        return [self._counted(scope) for scope in self._scopes.after("") if scope.scale_set == scale_set]

    def machines(self, scope: str, names: Sequence[str] | None = None) -> Sequence[Machine]:
        if names is None:
            return list(self._members(scope))
        found = (self._machines.get((scope, name)) for name in sorted(set(names)))
        return [machine for machine in found if machine is not None]

    def some_machines(self, scope: str, limit: int) -> Sequence[Machine]:
        return sorted(self._members(scope), key=lambda machine: machine.power is not Power.RUNNING)[:limit]

    def machines_named(self, name: str) -> Sequence[Machine]:
        return sorted((m for m in self._machines.values() if m.name == name), key=lambda m: m.scope)

    def list_machines(self, *, after: tuple[str, str] = ("", ""), limit: int = 1000) -> Sequence[Machine]:
        return list(islice(self._machines.after(after), limit))

    def event(self, event: str) -> Event | None:
        return self._events.get(event)

    def list_events(
        self, *, scope: str | None = None, live: bool = True, after: str = "", limit: int = 1000
    ) -> Sequence[Event]:
        found = (e for e in self._events.after(after) if scope in (None, e.scope) and (e.phase.is_live or not live))
        return list(islice(found, limit))

    def operation(self, operation: str) -> Operation | None:
        return self._operations.get(operation)

    def list_operations(
        self, *, scope: str | None = None, live: bool = True, after: str = "", limit: int = 1000
    ) -> Sequence[Operation]:
        found = (o for o in self._operations.after(after) if scope in (None, o.scope) and (o.is_live or not live))
        return list(islice(found, limit))

    def campaign(self, campaign: str) -> Campaign | None:
        return self._campaigns.get(campaign)

    def list_campaigns(self, *, after: str = "", limit: int = 1000) -> Sequence[Campaign]:
        return list(islice(self._campaigns.after(after), limit))

    def action(self, operation: str, machine: str) -> Action | None:
        return self._actions.get((operation, machine))

    def history(
        self, *, after: int = 0, limit: int = 1000, scope: str | None = None, subject: str | None = None
    ) -> Sequence[Entry]:
        entries = self._history.after(after)
        found = (e for e in entries if scope in (None, e.scope) and subject in (None, e.subject))
        return list(islice(found, limit))

    def last_entry(self) -> int:
        return len(self._history.values())

    def due_scopes(self, now: datetime, limit: int) -> Sequence[str]:
        return [scope for _, scope in sorted((due, scope) for scope, due in self._due.items() if due <= now)[:limit]]

    def next_due(self) -> datetime | None:
        return min(self._due.values(), default=None)

    def next_action(self) -> datetime | None:
        free = (action.due for key, action in self._actions.items() if self._leases.get(key) is None)
        return min(free, default=None)

    def resource(self, key: str) -> Resource | None:
        return self._resources.get(key)

    def list_resources(
        self, *, group: str | None = None, kind: str | None = None, after: str = "", limit: int = 1000
    ) -> Sequence[Resource]:
        wanted = None if kind is None else kind.lower()
        found = (
            resource
            for resource in self._resources.after(after)
            if group in (None, resource.group) and wanted in (None, resource.type.lower())
        )
        return list(islice(found, limit))

    def resources_of_machine(self, scope: str, machine: str) -> Sequence[Resource]:
        return [r for r in self._resources.after("") if (r.scope, r.machine) == (scope, machine)]

    def job(self, job: str) -> Job | None:
        return self._jobs.get(job)

    def list_published(self, *, after: str = "", limit: int = 1000) -> Sequence[Notice]:
        return list(islice(self._published.after(after), limit))

    def delivery(self, notice: str, subscription: str) -> Delivery | None:
        return self._deliveries.get((notice, subscription))

    def subscriptions_waiting(self, wall: datetime) -> Sequence[str]:
        return sorted({delivery.subscription for delivery in self._free_deliveries(wall)})

    def next_delivery(self, after: datetime) -> datetime | None:
        free = (d.due for key, d in self._deliveries.items() if self._held_deliveries.get(key) is None)
        return min((due for due in free if due > after), default=None)

    def _free_deliveries(self, wall: datetime) -> Iterable[Delivery]:
        for key, delivery in self._deliveries.items():
            held = self._held_deliveries.get(key)
            if delivery.due <= wall and (held is None or held <= wall):
                yield delivery

    def note(self, key: str) -> str | None:
        return self._notes.get(key)

    def answer(self, key: str) -> str | None:
        answer = self._answers.get(key)
        return None if answer is None else answer[0]

    def _members(self, scope: str) -> Iterable[Machine]:
        return takewhile(lambda machine: machine.scope == scope, self._machines.after((scope, "")))

    def _counted(self, scope: Scope) -> Scope:
        """The scope, and whether any of its machines runs now."""
        runs = any_runs([machine.power for machine in self._members(scope.id)])
        return scope if scope.any_running is runs else replace(scope, any_running=runs)
