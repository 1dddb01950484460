"""One machine: what it is, what happens to it, what happened lately, and what can be done to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from forewarn.domain.events import Actor, Event, EventType, Operation, Phase
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Verb
from forewarn.domain.scopes import Scope, idle_since
from forewarn.portal.views.rehearsing import Owner, Preview, Stage, repair_preview, request_preview

LATELY = 25


class Deed(Enum):
    """What a person can have done to a machine."""

    RESTART = "restart"
    REDEPLOY = "redeploy"
    EVICT = "evict"
    DELETE = "delete"
    UNHEALTHY = "unhealthy"  # report it so: its scale set repairs it


VERBS = {
    Deed.RESTART: Verb.RESTART,
    Deed.REDEPLOY: Verb.REDEPLOY,
    Deed.EVICT: Verb.EVICT,
    Deed.DELETE: Verb.DELETE,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    deed: Deed
    preview: Preview


@dataclass(frozen=True, kw_only=True, slots=True)
class Late:
    """Something that was done to the machine, or with it."""

    at: datetime
    who: Actor
    what: What
    impact: EventType | None = None
    event: Event | None = None
    operation: Operation | None = None
    before: str = ""
    after: str = ""
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineView:
    machine: Machine
    scope: Scope
    metadata_url: str
    last_poll: datetime | None
    events: tuple[Event, ...]
    """Live, in the order in which they start."""
    operations: tuple[Operation, ...]
    """Under way without an event."""
    lately: tuple[Late, ...]
    offers: tuple[Offer, ...]


def machine_view(
    machine: Machine,
    scope: Scope,
    *,
    metadata_url: str,
    heard: datetime | None = None,
    lately: Sequence[Late] = (),
    offers: Sequence[Offer] = (),
) -> MachineView:
    polls = [at for at in (idle_since(scope), heard) if at is not None]
    mine = [event for event in scope.events if event.phase.is_live and machine.name in event.resources]
    return MachineView(
        machine=machine,
        scope=scope,
        metadata_url=metadata_url,
        last_poll=max(polls, default=None),
        events=tuple(sorted(mine, key=lambda e: (e.phase is not Phase.STARTED, e.not_before))),
        operations=tuple(o for o in scope.operations if o.is_live and o.event is None and machine.name in o.machines),
        lately=tuple(lately),
        offers=tuple(offers),
    )


def offers_for(machine: Machine, stage: Stage, owner: Owner | None, by: Actor) -> tuple[Offer, ...]:
    """What can be done to it, each with what would come of it. Only Spot machines are evicted, and only a scale set
    with automatic repairs wants to know of its instances' health."""
    deeds = [Deed.RESTART, Deed.REDEPLOY, *([Deed.EVICT] if machine.is_spot else []), Deed.DELETE]
    offers = [Offer(deed=deed, preview=request_preview(VERBS[deed], machine, stage, by)) for deed in deeds]
    if owner is not None and owner.spec.repairs.enabled:
        offers.append(Offer(deed=Deed.UNHEALTHY, preview=repair_preview(machine, stage, owner)))
    return tuple(offers)


def lately_of(
    name: str, entries: Sequence[Entry], events: Mapping[str, Event], operations: Mapping[str, Operation]
) -> tuple[Late, ...]:
    """What the last entries of its scope tell of the machine, the newest first.

    `events` and `operations`: those that the entries are about, by id.
    """
    told = (_late(name, entry, events.get(entry.subject), operations.get(entry.subject)) for entry in reversed(entries))
    return tuple(late for late in told if late is not None)[:LATELY]


BIRTHS = (What.SCHEDULED, What.STRUCK, What.RAN)
"""Entries of which there is one for each event, or for each operation without one."""


def _late(name: str, entry: Entry, event: Event | None, operation: Operation | None) -> Late | None:
    if entry.subject == name:
        return Late(
            at=entry.at, who=entry.who, what=entry.what, before=entry.before, after=entry.after, detail=entry.detail
        )
    if entry.what not in BIRTHS:
        return None
    if event is not None and name in event.resources:
        return Late(at=entry.at, who=entry.who, what=entry.what, impact=event.type, event=event)
    if operation is not None and name in operation.machines:
        return Late(at=entry.at, who=entry.who, what=entry.what, impact=operation.impact, operation=operation)
    return None
