"""What would come of it: the domain decides on a draft that nobody saves, so what is told is what would be done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from itertools import count

from msgspec import structs

from forewarn.domain import approving, repairing, scaling
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Refused
from forewarn.domain.events import Actor, Event, EventType, Operation, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Request, Verb, notice_for, request_all, under_way
from forewarn.domain.resources import Resource
from forewarn.domain.scalesets import RepairAction, SetSpec
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.engine.behind import usable


class Outlook(Enum):
    """What becomes of something that somebody is about to ask for."""

    ANNOUNCED = "announced"  # an event tells of it, and it waits
    STARTS = "starts"  # an event tells of it that starts at once: a policy says so, or nothing runs there
    UNENROLLED = "unenrolled"  # no event: nobody there asks for any
    UNANNOUNCED = "unannounced"  # no event: this machine gets none for this
    UNDER_WAY = "under-way"  # it was asked for already
    REFUSED = "refused"  # a rule says no


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    outlook: Outlook
    impact: EventType
    machine: str
    scope: str
    not_before: datetime | None = None
    """When it starts by itself, if it is announced and asked for now."""
    notice: timedelta | None = None
    event: str | None = None
    """The one that tells of what is under way."""
    replaced: bool = False
    """Another instance takes the machine's place."""
    refusal: Refused | None = None

    @property
    def is_possible(self) -> bool:
        return self.outlook not in (Outlook.REFUSED, Outlook.UNDER_WAY)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Where it is rehearsed. `scopes`: the one it is about, and those that share a scale set with it."""

    scopes: Sequence[Scope]
    settings: Settings
    now: datetime

    def draft(self) -> Draft:
        return Draft(self.scopes, self.now)


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """The scale set that a machine is an instance of."""

    resource: Resource
    spec: SetSpec
    members: Sequence[Machine]


def request_preview(verb: Verb, machine: Machine, stage: Stage, by: Actor) -> Preview:
    running = under_way(_home(machine, stage), machine, verb.impact)
    if running is not None:
        return _under_way(running, machine)
    return _asked(machine, stage, Request(verb=verb, by=by))


def repair_preview(machine: Machine, stage: Stage, owner: Owner) -> Preview:
    """What the scale set does if the machine is reported unhealthy."""
    draft, action = stage.draft(), owner.spec.repairs.action
    running = repairing.in_hand(draft, machine, owner.spec)
    if running is not None:
        return _under_way(running, machine)
    asked = Request(verb=repairing.VERBS[action], by=repairing.REPAIRER, id="rehearsal", repair=True)
    try:
        usable(owner.resource)
        repairing.check(draft, machine, owner.spec, scaling.staying(draft, owner.members))
    except Refused as error:
        return _refused(asked.impact, machine, error)
    return replace(_asked(machine, stage, asked), replaced=action is RepairAction.REPLACE)


def starts_if_approved(event: Event, stage: Stage, by: Actor) -> bool:
    """Whether it starts at once if this user approves it."""
    draft = stage.draft()
    approving.approve(draft, event.scope, [event.id], by, acknowledged=True)
    return event.id in _started(draft)


def started_by_cancel(event: Event, stage: Stage, by: Actor) -> tuple[Event, ...]:
    """The events that were only waiting for this one, and start once it is called off."""
    draft = stage.draft()
    approving.cancel(draft, event, by)
    started = _started(draft)
    return tuple(other for scope in stage.scopes for other in scope.events if other.id in started)


def event_of(draft: Draft, operation: Operation) -> Event | None:
    return next((event for event in draft.scopes[operation.scope].events if event.id == operation.event), None)


def rehearsal_ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"rehearsal-{next(numbers)}"


def _started(draft: Draft) -> set[str]:
    return {action.event for action in draft.actions if action.event is not None}


def _home(machine: Machine, stage: Stage) -> Scope:
    return next(scope for scope in stage.scopes if scope.id == machine.scope)


def _asked(machine: Machine, stage: Stage, asked: Request) -> Preview:
    draft = stage.draft()
    try:
        (operation,) = request_all(draft, [machine], asked, stage.settings, rehearsal_ids())
    except Refused as error:
        return _refused(asked.impact, machine, error)
    event = event_of(draft, operation)
    return Preview(
        outlook=_outlook(event) if event is not None else _without_event(machine, stage, asked.verb),
        impact=asked.impact,
        machine=machine.name,
        scope=machine.scope,
        not_before=event.not_before if event is not None else None,
        notice=event.not_before - stage.now if event is not None else None,
    )


def _outlook(event: Event) -> Outlook:
    return Outlook.ANNOUNCED if event.phase is Phase.SCHEDULED else Outlook.STARTS


def _without_event(machine: Machine, stage: Stage, verb: Verb) -> Outlook:
    """Why there is none: would there be one if somebody asked for events?"""
    enrolled = structs.replace(_home(machine, stage), enrolled_at=stage.now)
    if notice_for(enrolled, machine, verb, stage.settings) is not None:
        return Outlook.UNENROLLED
    return Outlook.UNANNOUNCED


def _under_way(running: Operation, machine: Machine) -> Preview:
    return Preview(
        outlook=Outlook.UNDER_WAY,
        impact=running.impact,
        machine=machine.name,
        scope=machine.scope,
        event=running.event,
    )


def _refused(impact: EventType, machine: Machine, error: Refused) -> Preview:
    return Preview(outlook=Outlook.REFUSED, impact=impact, machine=machine.name, scope=machine.scope, refusal=error)
