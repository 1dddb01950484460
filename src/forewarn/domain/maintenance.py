"""What the platform does to machines, with notice or, when hardware fails, without."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta

from msgspec import Struct

from forewarn.domain.announcing import Plan, announce
from forewarn.domain.draft import Draft
from forewarn.domain.durations import format_duration
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import Actor, EventType, Operation, Source
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import under_way
from forewarn.domain.settings import Settings, minimum_notice
from forewarn.domain.starting import settle
from forewarn.domain.texts import FAILURE

LONGEST = timedelta(days=366)
"""The most notice that can be given. Azure announces degraded hardware a week ahead."""


class Maintenance(Struct, frozen=True, kw_only=True):
    """What is to be done to some machines of one scope."""

    impact: EventType
    notice: timedelta | None = None  # None: the least that the type allows
    at_once: bool = False  # hardware has failed: no notice at all
    description: str | None = None  # None: the text Azure uses
    duration: int | None = None
    campaign: str | None = None


def plan(machines: Sequence[Machine]) -> list[tuple[Machine, ...]]:
    """The machines of each event: together only if one host takes them down together, never over two update domains."""
    groups: dict[tuple[int, str, str], list[Machine]] = defaultdict(list)
    for machine in machines:
        alone = "" if machine.host else machine.name
        groups[machine.update_domain, machine.host, alone].append(machine)
    return [tuple(groups[key]) for key in sorted(groups)]


def schedule(
    draft: Draft,
    machines: Sequence[Machine],
    work: Maintenance,
    by: Actor,
    settings: Settings,
    new_id: Callable[[], str],
) -> list[Operation]:
    """One event for each group of machines that goes down together."""
    if work.impact is EventType.TERMINATE:
        _check_not_leaving(draft, machines)
    operations = [announce(draft, _plan(group, work, by, settings), new_id) for group in _groups(machines, work)]
    settle(draft)
    return operations


def _plan(group: Sequence[Machine], work: Maintenance, by: Actor, settings: Settings) -> Plan:
    return Plan(
        scope=group[0].scope,
        machines=tuple(machine.name for machine in group),
        impact=work.impact,
        source=Source.PLATFORM,
        by=by,
        notice=max(_notice(machine, work, settings) for machine in group),
        at_once=work.at_once,
        description=FAILURE if work.at_once and work.description is None else work.description,
        duration=work.duration,
        campaign=work.campaign,
    )


def _groups(machines: Sequence[Machine], work: Maintenance) -> list[tuple[Machine, ...]]:
    if work.impact is EventType.TERMINATE:
        return [(machine,) for machine in machines]  # each machine approves its own
    return plan(machines)


def _check_not_leaving(draft: Draft, machines: Sequence[Machine]) -> None:
    """A machine ends once: a second Terminate would hold up the first, or outlive it."""
    for machine in machines:
        running = under_way(draft.scopes[machine.scope], machine, EventType.TERMINATE)
        if running is not None:
            raise Conflict(
                "{machine} is already being deleted (operation {operation}): leave it out.",
                key="leaving_already",
                machine=machine.name,
                operation=running.id,
            )


def _notice(machine: Machine, work: Maintenance, settings: Settings) -> timedelta:
    least = minimum_notice(work.impact, settings)
    match work.impact:
        case EventType.PREEMPT if not machine.is_spot:
            raise Conflict(
                "{machine} is not a Spot machine: it cannot get Preempt.", key="not_spot", machine=machine.name
            )
        case EventType.TERMINATE:
            if machine.is_spot:
                raise Conflict(
                    "{machine} is a Spot machine: it gets Preempt, never Terminate.", key="spot", machine=machine.name
                )
            notice = work.notice if work.notice is not None else machine.terminate_notice or least
            if not settings.terminate_min <= notice <= settings.terminate_max:
                raise Invalid(
                    "Terminate gives {shortest} to {longest} of notice, not {notice} "
                    "(settings terminate_min and terminate_max).",
                    key="terminate_notice",
                    shortest=format_duration(settings.terminate_min),
                    longest=format_duration(settings.terminate_max),
                    notice=format_duration(notice),
                )
            return notice
        case _:
            pass
    check_notice(work.impact, work.notice, settings)
    return least if work.notice is None else work.notice


def check_notice(impact: EventType, notice: timedelta | None, settings: Settings) -> None:
    least = minimum_notice(impact, settings)
    if notice is not None and notice < least:
        raise Invalid(
            "{impact} gives at least {least} of notice, not {notice}: ask for more, or lower the setting {setting}.",
            key="notice_too_short",
            impact=impact.value,
            least=format_duration(least),
            notice=format_duration(notice),
            setting=f"notice_{impact.value.lower()}",
        )
    if notice is not None and notice > LONGEST:
        raise Invalid(
            "Nothing is announced more than {days} days ahead: give less notice than {notice}.",
            key="notice_too_long",
            days=LONGEST.days,
            notice=format_duration(notice),
        )
