"""Maintenance by the platform: what somebody has filled in, and what would come of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from forewarn.domain import maintenance
from forewarn.domain.durations import format_duration
from forewarn.domain.errors import Invalid, Refused
from forewarn.domain.events import Actor, Event, EventType
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.settings import minimum_notice
from forewarn.portal.views.rehearsing import Stage, event_of, rehearsal_ids
from forewarn.wire.durations import parse_duration

LONGEST_DESCRIPTION = 1000
ABOUT_NOTICE = ("terminate_notice", "notice_too_short", "notice_too_long", "not_a_duration", "at_once_without_notice")


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """As it was filled in."""

    type: EventType = EventType.FREEZE
    notice: str = ""
    at_once: bool = False
    description: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceView:
    order: Order
    machines: tuple[Machine, ...]
    least: str
    """The notice that the type gives if none is asked for."""
    events: tuple[Event, ...] = ()
    """Those there would be."""
    refusal: Refused | None = None

    @property
    def is_possible(self) -> bool:
        return bool(self.events)

    @property
    def is_about_notice(self) -> bool:
        """The refusal is: it belongs beside that field."""
        return self.refusal is not None and self.refusal.key in ABOUT_NOTICE


def work_of(order: Order) -> Maintenance:
    """Invalid, if what was filled in makes no sense."""
    if order.at_once and order.notice:
        raise Invalid("What happens at once gives no notice: leave the notice empty.", key="at_once_without_notice")
    if len(order.description) > LONGEST_DESCRIPTION:
        raise Invalid("A description has at most {most} characters.", key="long_description", most=LONGEST_DESCRIPTION)
    return Maintenance(
        impact=order.type,
        notice=_notice(order.notice),
        at_once=order.at_once,
        description=order.description or None,
    )


def maintenance_view(order: Order, machines: Sequence[Machine], stage: Stage, by: Actor) -> MaintenanceView:
    """`stage`: the scopes of the machines, and those that share scale sets with them."""
    least = format_duration(minimum_notice(order.type, stage.settings))
    chosen = tuple(machines)
    try:
        events = _events(work_of(order), chosen, stage, by)
    except Refused as error:
        return MaintenanceView(order=order, machines=chosen, least=least, refusal=error)
    return MaintenanceView(order=order, machines=chosen, least=least, events=events)


def _events(work: Maintenance, machines: Sequence[Machine], stage: Stage, by: Actor) -> tuple[Event, ...]:
    draft, new_id = stage.draft(), rehearsal_ids()
    by_scope: dict[str, list[Machine]] = defaultdict(list)
    for machine in machines:
        by_scope[machine.scope].append(machine)
    made = [
        operation
        for scope in sorted(by_scope)
        for operation in maintenance.schedule(draft, by_scope[scope], work, by, stage.settings, new_id)
    ]
    return tuple(event for operation in made if (event := event_of(draft, operation)) is not None)


def _notice(text: str) -> timedelta | None:
    try:
        return parse_duration(text) if text else None
    except ValueError:
        raise Invalid(
            "“{text}” is not a length of time: write 90s, 15m, 1h30m or 2d.", key="not_a_duration", text=text
        ) from None
