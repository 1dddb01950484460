"""What one command is about to change.

A draft is local to one decision: the rules write into it, the engine seals it into a `Change`, and the store saves that
whole. It is also the only place where an incarnation moves: sealing compares what could be seen before with what can be
seen now.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Actor, Event, Operation, OperationState, Phase, announce
from forewarn.domain.history import Entry, What
from forewarn.domain.lifecycle import Fact, step
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scopes import Scope, disenrol_at
from forewarn.domain.settings import Settings

T = TypeVar("T", bound=Event | Operation)

ENDINGS = {
    Fact.COMPLETE: (What.COMPLETED, OperationState.SUCCEEDED),
    Fact.FAIL: (What.FAILED, OperationState.FAILED),
    Fact.CANCEL: (What.CANCELED, OperationState.CANCELED),
}


class Revision(Struct, frozen=True, kw_only=True):
    """One scope before and after, and when it wants to be looked at again. Without a before, it is new."""

    before: Scope | None
    after: Scope
    due: datetime | None

    @property
    def is_declaration(self) -> bool:
        """Whether it says what the scope is, not only what happens in it."""
        before, after = self.before, self.after
        return before is None or (before.kind, before.scale_set) != (after.kind, after.scale_set)


class Change(Struct, frozen=True, kw_only=True):
    """Everything one command changes, saved together or not at all."""

    revisions: tuple[Revision, ...] = ()
    actions: tuple[Action, ...] = ()  # for the drivers: new ones, and those to be tried again later
    finished: tuple[tuple[str, str], ...] = ()  # (operation, machine) of actions that are over
    machines: tuple[Machine, ...] = ()  # new or changed
    gone: tuple[tuple[str, str], ...] = ()  # (scope, name)
    entries: tuple[Entry, ...] = ()
    dissolved: tuple[str, ...] = ()  # scopes that are no more
    resources: tuple[Resource, ...] = ()  # new or changed
    dropped: tuple[str, ...] = ()  # keys of resources that are no more
    jobs: tuple[Job, ...] = ()
    notices: tuple[Notice, ...] = ()  # events as they are told outside from now on
    withdrawn: tuple[str, ...] = ()  # ids of events that are not told of any more
    deliveries: tuple[Delivery, ...] = ()  # for the webhooks: new ones, and those to be tried again later
    delivered: tuple[tuple[str, str], ...] = ()  # (notice, subscription) of those that are over


class Draft:
    def __init__(self, scopes: Sequence[Scope], now: datetime) -> None:
        self.now = now
        self._before = {scope.id: scope for scope in scopes}
        self.scopes = dict(self._before)
        self.actions: list[Action] = []
        self.finished: list[tuple[str, str]] = []
        self.machines: list[Machine] = []
        self.gone: list[tuple[str, str]] = []
        self.entries: list[Entry] = []
        self.dissolved: list[str] = []
        self.resources: dict[str, Resource] = {}
        self.dropped: set[str] = set()
        self.jobs: list[Job] = []
        self.ended: list[Operation] = []

    def note(
        self, scope: str, who: Actor, what: What, subject: str, before: str = "", after: str = "", detail: str = ""
    ) -> None:
        self.entries.append(
            Entry(
                scope=scope, at=self.now, who=who, what=what, subject=subject, before=before, after=after, detail=detail
            )
        )

    def operation(self, scope: str, operation: str) -> Operation | None:
        return next((o for o in self.scopes[scope].operations if o.id == operation), None)

    def put_scope(self, scope: Scope) -> None:
        self.scopes[scope.id] = scope

    def put_resource(self, resource: Resource) -> None:
        self.resources[resource.key] = resource

    def add_operation(self, operation: Operation, event: Event | None = None) -> None:
        """A new one, and the event that announces it."""
        scope = self.scopes[operation.scope]
        events = scope.events if event is None else (*scope.events, event)
        self.put_scope(replace(scope, operations=(*scope.operations, operation), events=events))

    def put_event(self, event: Event) -> None:
        scope = self.scopes[event.scope]
        self.put_scope(replace(scope, events=_replaced(scope.events, event)))

    def put_operation(self, operation: Operation) -> None:
        scope = self.scopes[operation.scope]
        self.put_scope(replace(scope, operations=_replaced(scope.operations, operation)))

    def start(self, event: Event, by: Actor) -> None:
        """The event starts: the document says so, and the drivers get their orders in the same commit."""
        started = step(event, Fact.START, self.now)
        self.put_event(started)
        self.note(event.scope, by, What.STARTED, event.id, event.phase.value, started.phase.value)
        operation = self.operation(event.scope, event.operation)
        if operation is not None:
            self.act(operation, duration=event.duration)

    def act(self, operation: Operation, duration: int) -> None:
        self.actions.extend(
            Action(
                operation=operation.id,
                machine=machine,
                scope=operation.scope,
                event=operation.event,
                impact=operation.impact,
                source=operation.source,
                started_at=self.now,
                due=self.now,
                duration=duration,
            )
            for machine in operation.pending
        )

    def end(self, event: Event, fact: Fact, by: Actor, why: str = "") -> None:
        """The event leaves the document, and the operation it announced ends with it."""
        what, state = ENDINGS[fact]
        ended = step(event, fact, self.now)
        self.put_event(ended)
        self.note(event.scope, by, what, event.id, event.phase.value, ended.phase.value, why)
        operation = self.operation(event.scope, event.operation)
        if operation is not None:
            self.end_operation(operation, state, why)

    def end_operation(self, operation: Operation, state: OperationState, message: str) -> None:
        ended = replace(operation, state=state, message=message, pending=(), ended_at=self.now)
        self.put_operation(ended)
        self.ended.append(ended)

    def seal(self, settings: Settings) -> Change:
        return Change(
            revisions=tuple(self._revisions(settings)),
            actions=tuple(self.actions),
            finished=tuple(self.finished),
            machines=tuple(self.machines),
            gone=tuple(self.gone),
            entries=tuple(self.entries),
            dissolved=tuple(self.dissolved),
            resources=tuple(resource for key, resource in self.resources.items() if key not in self.dropped),
            dropped=tuple(sorted(self.dropped)),
            jobs=tuple(self.jobs),
        )

    def _revisions(self, settings: Settings) -> Iterable[Revision]:
        for after in self.scopes.values():
            before = self._before.get(after.id)
            if after is before:
                continue
            if before is None:
                yield Revision(before=None, after=after, due=next_due(after, settings))
                continue
            if after.epoch == before.epoch:
                after = replace(after, incarnation=before.incarnation + visible_changes(before, after))
            yield Revision(before=before, after=after, due=next_due(after, settings))


def visible_changes(before: Scope, after: Scope) -> int:
    """How many events appeared, look different or disappeared; each moves the incarnation by one, as in Azure."""
    seen = {event.id: event for event in before.events if event.phase.is_live}
    shown = {event.id: event for event in after.events if event.phase.is_live}
    gone = seen.keys() - shown.keys()
    return len(gone) + sum(_looks_different(seen.get(event.id), event) for event in shown.values())


def _looks_different(before: Event | None, after: Event) -> bool:
    return before is not after and (before is None or announce(before) != announce(after))


def next_due(scope: Scope, settings: Settings) -> datetime | None:
    """The next moment at which something may happen here by itself."""
    moments = [event.not_before for event in scope.events if event.phase is Phase.SCHEDULED]
    others = (scope.walk.due if scope.walk else None, disenrol_at(scope, settings.disenrol_after))
    moments += [moment for moment in others if moment is not None]
    return min(moments, default=None)


def _replaced(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    for place, known in enumerate(items):
        if known.id == item.id:
            return (*items[:place], item, *items[place + 1 :])
    return (*items, item)
