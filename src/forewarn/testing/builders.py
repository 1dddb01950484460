"""Values for tests: each call gives a whole, plausible one, and the test names only what matters to it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Actor, Event, EventType, Operation, Source
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.scopes import Scope, ScopeKind

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SOMEBODY = Actor.user("somebody")


def a_scope(name: str = "s", **changes: Any) -> Scope:
    return replace(Scope(id=name, kind=ScopeKind.AVAILABILITY_SET), **changes)


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
