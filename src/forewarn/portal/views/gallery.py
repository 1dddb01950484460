"""Made-up values for the gallery: each state that a component can be in."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Power
from forewarn.portal.views.fleet import FleetView, Group, MachineRow, Pending, Wish
from forewarn.portal.views.rehearsing import Outlook, Preview
from forewarn.portal.views.rolling import Pace, Step, StepState
from forewarn.portal.views.scale_set_fates import End, Fate


@dataclass(frozen=True, kw_only=True, slots=True)
class GalleryView:
    types: tuple[EventType, ...]
    phases: tuple[Phase, ...]
    soon: datetime
    later: datetime
    previews: tuple[Preview, ...]
    fates: tuple[Fate, ...]
    paces: tuple[Pace, ...]
    steps: tuple[Step, ...]
    fleet: FleetView
    nobody: FleetView


def gallery_view(now: datetime) -> GalleryView:
    return GalleryView(
        types=tuple(EventType),
        phases=tuple(Phase),
        soon=now + timedelta(seconds=42),
        later=now + timedelta(minutes=14, seconds=59),
        previews=tuple(_preview(outlook, now) for outlook in Outlook),
        fates=tuple(Fate(name=f"web_{n}", end=end, not_before=_in_time(end, now)) for n, end in enumerate(End)),
        paces=tuple(Pace),
        steps=tuple(_step(number, state, now) for number, state in enumerate(StepState)),
        fleet=_fleet(tuple(_rows(now))),
        nobody=_fleet(()),
    )


def _preview(outlook: Outlook, now: datetime) -> Preview:
    return Preview(
        outlook=outlook,
        impact=EventType.REBOOT,
        machine="web_3",
        scope="web:0",
        not_before=now + timedelta(minutes=15),
        notice=timedelta(minutes=15),
        event="00000001",
        refusal="ten operations are under way in web:0.",
    )


def _in_time(end: End, now: datetime) -> datetime | None:
    return now + timedelta(minutes=10) if end is End.ANNOUNCED else None


def _step(number: int, state: StepState, now: datetime) -> Step:
    until = now + timedelta(minutes=9) if state is StepState.NOTICE else None
    return Step(domain=number, state=state, machines=3, not_before=until)


def _fleet(rows: tuple[MachineRow, ...]) -> FleetView:
    groups = (Group(name="web", rows=rows), Group(name="", rows=rows[:1])) if rows else ()
    total = 1_234 if rows else 0
    return FleetView(wish=Wish(page=2), groups=groups, shown=len(rows), found=total, total=total, pages=3)


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
