"""The fleet's table."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Power
from forewarn.portal.views.fleet import FleetView, Group, MachineRow, Pending, Wish


@dataclass(frozen=True, kw_only=True, slots=True)
class FleetStates:
    pages: tuple[FleetView, ...]
    """The first, one in the middle, the last; the first has all there is to see in a row."""
    nobody: FleetView


def fleet_states(now: datetime) -> FleetStates:
    rows = tuple(_rows(now))
    return FleetStates(
        pages=(_page(1, rows), _page(2, rows[:1]), _page(3, rows[:1])),
        nobody=FleetView(wish=Wish(), groups=(), shown=0, found=0, total=0, pages=1),
    )


def _page(number: int, rows: tuple[MachineRow, ...]) -> FleetView:
    groups = (Group(name="web", rows=rows), Group(name="", rows=rows[:1]))
    return FleetView(wish=Wish(page=number), groups=groups, shown=len(rows), found=234, total=1_234, pages=3)


def _rows(now: datetime) -> Iterator[MachineRow]:
    """One of each power state, and one for each type and phase that an event can be in while it lives."""
    for number, power in enumerate(Power):
        yield _row(number, now, power=power)
    live = [(kind, phase) for kind in EventType for phase in Phase if phase.is_live]
    for number, (kind, phase) in enumerate(live, len(Power)):
        at = now + timedelta(minutes=number)
        yield _row(number, now, pending=Pending(id=f"{number:08X}", type=kind, phase=phase, not_before=at))


def _row(number: int, now: datetime, *, power: Power = Power.RUNNING, pending: Pending | None = None) -> MachineRow:
    return MachineRow(
        scope="web:0",
        name=f"web_{number}",
        update_domain=number % 5,
        fault_domain=number % 2,
        host=f"host-{number % 3}",
        zone="1",
        power=power,
        is_spot=number % 4 == 3,
        enrolled=pending is not None,
        last_poll=now - timedelta(seconds=number) if number % 2 else None,
        pending=pending,
    )
