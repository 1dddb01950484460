"""Values for tests: each call gives a whole, plausible one, and the test names only what matters to it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Actor, Event, EventType, Operation, OperationState, Source
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import VIRTUAL_MACHINE, Job, Resource
from forewarn.domain.scopes import Scope, ScopeKind

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SOMEBODY = Actor.user("somebody")


def a_scope(name: str = "s", **changes: Any) -> Scope:
    return replace(Scope(id=name, kind=ScopeKind.AVAILABILITY_SET), **changes)


def a_scope_with(events: Sequence[Event], name: str = "s", **changes: Any) -> Scope:
    """A scope with these events, and the operations they announce."""
    return a_scope(name, events=tuple(events), operations=tuple(map(operation_of, events)), **changes)


def a_machine(name: str = "vm", scope: str = "s", **changes: Any) -> Machine:
    return replace(Machine(scope=scope, name=name), **changes)


def an_event(name: str = "E", scope: str = "s", **changes: Any) -> Event:
    event = Event(
        id=name,
        scope=scope,
        operation=f"operation-of-{name}",
        type=EventType.REBOOT,
        source=Source.PLATFORM,
        resources=("vm",),
        scheduled_at=NOON,
        not_before=NOON + timedelta(minutes=15),
    )
    return replace(event, **changes)


def an_operation(name: str = "operation", scope: str = "s", **changes: Any) -> Operation:
    operation = Operation(
        id=name,
        scope=scope,
        impact=EventType.REBOOT,
        source=Source.USER,
        machines=("vm",),
        requested_by=SOMEBODY,
        requested_at=NOON,
        pending=("vm",),
    )
    return replace(operation, **changes)


def operation_of(event: Event) -> Operation:
    """What the event announces. It ends when the event does."""
    state = OperationState.IN_PROGRESS if event.phase.is_live else OperationState.SUCCEEDED
    return an_operation(event.operation, event.scope, event=event.id, state=state)


def an_action(operation: str = "operation", machine: str = "vm", **changes: Any) -> Action:
    action = Action(
        operation=operation,
        machine=machine,
        scope="s",
        event=None,
        impact=EventType.REBOOT,
        source=Source.USER,
        started_at=NOON,
        due=NOON,
    )
    return replace(action, **changes)


def a_resource(name: str = "vm", kind: str = VIRTUAL_MACHINE, **changes: Any) -> Resource:
    resource = Resource(
        id=f"/subscriptions/S/resourceGroups/G/providers/{kind}/{name}", type=kind, name=name, group="g"
    )
    return replace(resource, **changes)


def a_job(name: str = "JOB", **changes: Any) -> Job:
    return replace(Job(id=name, target="vm", started_at=NOON, operations=("operation",)), **changes)


def a_campaign(name: str = "campaign", **changes: Any) -> Campaign:
    campaign = Campaign(id=name, impact=EventType.REBOOT, scopes=("s",), requested_by=SOMEBODY, requested_at=NOON)
    return replace(campaign, **changes)


def an_entry(subject: str = "E", scope: str = "s", **changes: Any) -> Entry:
    return replace(Entry(scope=scope, at=NOON, who=SOMEBODY, what=What.SCHEDULED, subject=subject), **changes)


def a_notice(event: str = "E", *, at: datetime = NOON, **changes: Any) -> Notice:
    """`changes` are the event's."""
    owner = "/subscriptions/S/resourceGroups/g/providers/Microsoft.Compute/availabilitySets/s"
    return Notice(at=at, event=an_event(event, **changes), owner=owner, location="local", version="2020-07-01")


def a_delivery(event: str = "E", subscription: str = "hook", *, at: datetime = NOON, **changes: Any) -> Delivery:
    return replace(Delivery(notice=a_notice(event, at=at), subscription=subscription), **changes)
