"""The fleet: its machines, found, grouped and paged."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from forewarn.domain.events import Event, EventType, Phase
from forewarn.domain.machines import Machine, Power
from forewarn.domain.scopes import Scope, idle_since

PAGE = 100


class Grouping(Enum):
    SET = "set"  # by the scope, or the scale set that its scopes make up
    HOST = "host"
    UPDATE_DOMAIN = "update-domain"  # of each set


class Kept(Enum):
    """Which machines are shown."""

    ALL = "all"
    WITH_EVENT = "with-event"
    NOT_ENROLLED = "not-enrolled"
    NOT_RUNNING = "not-running"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What somebody wants to see of the fleet."""

    search: str = ""
    group: Grouping = Grouping.SET
    kept: Kept = Kept.ALL
    page: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Pending:
    id: str
    type: EventType
    phase: Phase
    not_before: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineRow:
    scope: str
    name: str
    update_domain: int
    fault_domain: int
    host: str
    zone: str
    power: Power
    is_spot: bool
    enrolled: bool
    last_poll: datetime | None
    pending: Pending | None
    """The event that starts next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    name: str
    rows: tuple[MachineRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FleetView:
    wish: Wish
    groups: tuple[Group, ...]
    shown: int
    found: int
    total: int
    pages: int


def fleet_view(
    machines: Iterable[Machine],
    scopes: Mapping[str, Scope],
    wish: Wish,
    heard: Callable[[str], datetime | None] = lambda scope: None,
) -> FleetView:
    """`heard`: when a scope asked last, as far as that is later than what is written down."""
    pending = pending_of(scopes.values())
    everybody = list(machines)
    found = sorted(_wanted(everybody, scopes, pending, wish), key=_order(scopes, wish.group))
    pages = max(1, -(-len(found) // PAGE))
    first = (min(max(wish.page, 1), pages) - 1) * PAGE
    shown = found[first : first + PAGE]
    groups: dict[str, list[MachineRow]] = {}
    for machine in shown:
        row = _row(machine, scopes.get(machine.scope), pending.get((machine.scope, machine.name)), heard)
        groups.setdefault(_group(machine, scopes, wish.group), []).append(row)
    return FleetView(
        wish=wish,
        groups=tuple(Group(name=name, rows=tuple(rows)) for name, rows in groups.items()),
        shown=len(shown),
        found=len(found),
        total=len(everybody),
        pages=pages,
    )


def pending_of(scopes: Iterable[Scope]) -> dict[tuple[str, str], Event]:
    """By machine, the event that is under way, or else starts next."""
    first: dict[tuple[str, str], Event] = {}
    live = (event for scope in scopes for event in scope.events if event.phase.is_live)
    for event in sorted(live, key=lambda e: (e.phase is not Phase.STARTED, e.not_before), reverse=True):
        first |= {(event.scope, name): event for name in event.resources}
    return first


def _wanted(
    machines: list[Machine], scopes: Mapping[str, Scope], pending: Mapping[tuple[str, str], Event], wish: Wish
) -> list[Machine]:
    """Whoever asks for nothing in particular gets everybody, and soon."""
    if wish.kept is not Kept.ALL:
        machines = [m for m in machines if _is_kept(m, scopes.get(m.scope), pending, wish.kept)]
    words = wish.search.lower().split()
    return [machine for machine in machines if _fits(machine, words)] if words else machines


def _is_kept(machine: Machine, scope: Scope | None, pending: Mapping[tuple[str, str], Event], kept: Kept) -> bool:
    match kept:
        case Kept.ALL:
            return True
        case Kept.WITH_EVENT:
            return (machine.scope, machine.name) in pending
        case Kept.NOT_ENROLLED:
            return scope is None or not scope.is_enrolled
        case Kept.NOT_RUNNING:
            return machine.power is not Power.RUNNING


def _fits(machine: Machine, words: list[str]) -> bool:
    text = f"{machine.name} {machine.scope} {machine.host} {machine.computer_name}".lower()
    return all(word in text for word in words)


def _group(machine: Machine, scopes: Mapping[str, Scope], grouping: Grouping) -> str:
    scope = scopes.get(machine.scope)
    owner = (scope.scale_set if scope else None) or machine.scope
    match grouping:
        case Grouping.SET:
            return owner
        case Grouping.HOST:
            return machine.host
        case Grouping.UPDATE_DOMAIN:
            return f"{owner} · {machine.update_domain}"


def _order(scopes: Mapping[str, Scope], grouping: Grouping) -> Callable[[Machine], tuple[object, ...]]:
    return lambda machine: (_group(machine, scopes, grouping), len(machine.name), machine.name)


def _pending(event: Event) -> Pending:
    return Pending(id=event.id, type=event.type, phase=event.phase, not_before=event.not_before)


def _row(
    machine: Machine, scope: Scope | None, event: Event | None, heard: Callable[[str], datetime | None]
) -> MachineRow:
    polls = [at for at in (idle_since(scope) if scope else None, heard(machine.scope)) if at is not None]
    return MachineRow(
        scope=machine.scope,
        name=machine.name,
        update_domain=machine.update_domain,
        fault_domain=machine.fault_domain,
        host=machine.host,
        zone=machine.zone,
        power=machine.power,
        is_spot=machine.is_spot,
        enrolled=scope is not None and scope.is_enrolled,
        last_poll=max(polls) if polls else None,
        pending=None if event is None else _pending(event),
    )
