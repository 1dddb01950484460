"""What somebody asks of one machine: restart, redeploy, delete, evict.

With notice to give, an event announces it; otherwise it goes to the drivers at once.
"""

from collections.abc import Callable
from datetime import timedelta

from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, Invalid, TooMany
from forewarn.domain.events import Actor, Event, EventType, Operation, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import EventsPolicy, Scope
from forewarn.domain.settings import Settings, minimum_notice
from forewarn.domain.starting import settle
from forewarn.domain.texts import describe, duration_of

MAINTENANCE = frozenset({EventType.REBOOT, EventType.REDEPLOY})
"""What the limit on user-initiated operations counts; a scale-in may delete as many as it likes."""


def request(
    draft: Draft, machine: Machine, impact: EventType, by: Actor, settings: Settings, new_id: Callable[[], str]
) -> Operation:
    source = Source.PLATFORM if impact is EventType.PREEMPT else Source.USER
    scope = draft.scopes[machine.scope]
    running = under_way(scope, machine, impact)
    if running is not None and impact is EventType.TERMINATE:
        return running  # a second delete waits for the first
    _check(scope, machine, impact, running, settings)
    notice = notice_for(scope, machine, impact, settings)
    if notice is None:
        return run_at_once(draft, machine, impact, source, by, new_id)
    waived = _waived(scope.policy, impact, source)
    operation = announce_operation(
        draft,
        machine.scope,
        (machine.name,),
        impact,
        source,
        notice=notice,
        by=by,
        new_id=new_id,
        at_once=waived,
    )
    settle(draft)
    return operation


def notice_for(scope: Scope, machine: Machine, impact: EventType, settings: Settings) -> timedelta | None:
    """How long a request waits; None if it is not announced at all."""
    if not scope.is_enrolled:
        return None
    if impact is EventType.TERMINATE:
        return None if machine.is_spot else machine.terminate_notice
    return minimum_notice(impact, settings)


def announce_operation(
    draft: Draft,
    scope: str,
    machines: tuple[str, ...],
    impact: EventType,
    source: Source,
    *,
    notice: timedelta,
    by: Actor,
    new_id: Callable[[], str],
    at_once: bool = False,
    description: str | None = None,
    duration: int | None = None,
    campaign: str | None = None,
) -> Operation:
    """An operation and the event that announces it, scheduled; or already started where there is no notice to give."""
    operation = Operation(
        id=new_id(),
        scope=scope,
        impact=impact,
        source=source,
        machines=machines,
        requested_by=by,
        requested_at=draft.now,
        event=new_id(),
        pending=machines,
    )
    event = Event(
        id=str(operation.event),
        scope=scope,
        operation=operation.id,
        type=impact,
        source=source,
        resources=machines,
        scheduled_at=draft.now,
        not_before=draft.now if at_once else draft.now + notice,
        phase=Phase.STARTED if at_once else Phase.SCHEDULED,
        started_at=draft.now if at_once else None,
        description=describe(impact, source) if description is None else description,
        duration=duration_of(impact) if duration is None else duration,
        campaign=campaign,
    )
    draft.put_operation(operation)
    draft.put_event(event)
    what = What.STRUCK if at_once else What.SCHEDULED
    detail = f"{impact.value} of {', '.join(machines)}"
    draft.note(scope, by, what, event.id, "", event.phase.value, detail)
    if at_once:
        draft.act(operation, duration=event.duration)
    return operation


def run_at_once(
    draft: Draft, machine: Machine, impact: EventType, source: Source, by: Actor, new_id: Callable[[], str]
) -> Operation:
    operation = Operation(
        id=new_id(),
        scope=machine.scope,
        impact=impact,
        source=source,
        machines=(machine.name,),
        requested_by=by,
        requested_at=draft.now,
        pending=(machine.name,),
    )
    draft.put_operation(operation)
    draft.act(operation, duration=duration_of(impact))
    draft.note(machine.scope, by, What.RAN, operation.id, detail=f"{impact.value} of {machine.name}, without an event")
    return operation


def under_way(scope: Scope, machine: Machine, impact: EventType) -> Operation | None:
    return next(
        (o for o in scope.operations if o.is_live and o.impact is impact and machine.name in o.machines),
        None,
    )


def _check(scope: Scope, machine: Machine, impact: EventType, running: Operation | None, settings: Settings) -> None:
    if impact is EventType.FREEZE:
        raise Invalid("Nobody can ask for a Freeze: it is the platform's to schedule.")
    if impact is EventType.PREEMPT and not machine.is_spot:
        raise Conflict("Operation 'simulateEviction' is allowed only for Spot Virtual Machines")
    if running is not None:
        raise Conflict(
            f"{machine.name} already has a {impact.value} under way (operation {running.id}): "
            "wait until it has ended, or cancel its event."
        )
    if impact in MAINTENANCE:
        count = sum(o.is_live and o.source is Source.USER and o.impact in MAINTENANCE for o in scope.operations)
        if count >= settings.user_operations:
            raise TooMany(
                f"{count} user-initiated operations are under way in {scope.id} and no more than "
                f"{settings.user_operations} may be (setting user_operations): wait until one has ended, or cancel one."
            )


def _waived(policy: EventsPolicy, impact: EventType, source: Source) -> bool:
    if source is not Source.USER:
        return False
    return (impact is EventType.REBOOT and policy.approve_user_reboot) or (
        impact is EventType.REDEPLOY and policy.approve_user_redeploy
    )
