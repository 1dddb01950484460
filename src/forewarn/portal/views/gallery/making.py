"""Values of the domain as the gallery needs them: whole and plausible, around one moment."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from forewarn.domain.events import Actor, Approval, Event, EventType, Operation, Phase, Source
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, ScopeKind

MINUTE = timedelta(minutes=1)
ALICE = Actor.user("alice")
RULE = Actor.system("not-before")


def an_event(number: int, now: datetime, **changes: Any) -> Event:
    """Announced five minutes ago, with ten more to go; its moments follow from its phase."""
    phase: Phase = changes.get("phase", Phase.SCHEDULED)
    event = Event(
        id=f"{number:08X}",
        scope="web:0",
        operation=f"operation-{number}",
        type=EventType.REBOOT,
        source=Source.PLATFORM,
        resources=("web_1",),
        scheduled_at=now - 5 * MINUTE,
        not_before=now + 10 * MINUTE,
        started_at=None if phase in (Phase.SCHEDULED, Phase.CANCELED) else now - 3 * MINUTE,
        ended_at=None if phase.is_live else now - MINUTE,
    )
    return replace(event, **changes)


def a_scope(events: Sequence[Event] = (), **changes: Any) -> Scope:
    scope = Scope(id="web:0", kind=ScopeKind.PLACEMENT_GROUP, scale_set="web", events=tuple(events))
    return replace(scope, **changes)


def an_operation(event: Event, /, **changes: Any) -> Operation:
    operation = Operation(
        id=event.operation,
        scope=event.scope,
        impact=event.type,
        source=event.source,
        machines=event.resources,
        requested_by=ALICE,
        requested_at=event.scheduled_at,
        event=event.id,
        pending=event.resources,
    )
    return replace(operation, **changes)


def a_machine(number: int, **changes: Any) -> Machine:
    machine = Machine(
        scope="web:0", name=f"web_{number}", instance=str(number), update_domain=number % 5, fault_domain=number % 2
    )
    return replace(machine, **changes)


def an_approval(at: datetime, by: Actor = ALICE) -> Approval:
    return Approval(by=by, at=at, acknowledged=by is ALICE)


def an_entry(at: datetime, what: What, subject: str, **changes: Any) -> Entry:
    return replace(Entry(scope="web:0", at=at, who=ALICE, what=what, subject=subject), **changes)
