"""What somebody asks of machines: restart, redeploy, delete, evict, reimage, maintain now.

With notice to give, an event announces it; otherwise it goes to the drivers at once.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from enum import Enum

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


class Verb(Enum):
    """What can be asked for, in the words of the control plane."""

    RESTART = "restart"
    REDEPLOY = "redeploy"
    DELETE = "delete"
    EVICT = "simulateEviction"
    REIMAGE = "reimage"  # announced only where the machine's model wants that
    MAINTAIN = "performMaintenance"  # the owner has chosen the moment: it starts now

    @property
    def impact(self) -> EventType:
        return IMPACTS[self]


IMPACTS = {
    Verb.RESTART: EventType.REBOOT,
    Verb.REDEPLOY: EventType.REDEPLOY,
    Verb.DELETE: EventType.TERMINATE,
    Verb.EVICT: EventType.PREEMPT,
    Verb.REIMAGE: EventType.REBOOT,
    Verb.MAINTAIN: EventType.REDEPLOY,
}
VERBS = {Verb.RESTART.impact: Verb.RESTART} | {verb.impact: verb for verb in (Verb.REDEPLOY, Verb.DELETE, Verb.EVICT)}
"""The plain way to ask for an impact. Nobody can ask for a Freeze."""


def request(
    draft: Draft, machine: Machine, impact: EventType, by: Actor, settings: Settings, new_id: Callable[[], str]
) -> Operation:
    if impact not in VERBS:
        raise Invalid(f"Nobody can ask for a {impact.value}: it is the platform's to schedule.")
    (operation,) = request_all(draft, [machine], VERBS[impact], by, settings, new_id)
    return operation


def request_all(
    draft: Draft,
    machines: Sequence[Machine],
    verb: Verb,
    by: Actor,
    settings: Settings,
    new_id: Callable[[], str],
    request: str = "",
) -> list[Operation]:
    """All of them or none. `request` is what they have in common; the limit on operations counts it once."""
    operations = [_ask(draft, machine, verb, by, settings, new_id, request) for machine in machines]
    settle(draft)
    return operations


def _ask(
    draft: Draft,
    machine: Machine,
    verb: Verb,
    by: Actor,
    settings: Settings,
    new_id: Callable[[], str],
    request: str,
) -> Operation:
    impact = verb.impact
    source = Source.PLATFORM if verb is Verb.EVICT else Source.USER
    scope = draft.scopes[machine.scope]
    running = under_way(scope, machine, impact)
    if running is not None and verb is Verb.DELETE:
        return running  # a second delete waits for the first
    _check(scope, machine, verb, running, settings, request)
    notice = notice_for(scope, machine, verb, settings)
    if notice is None:
        return run_at_once(draft, machine, impact, source, by, new_id, request)
    return announce_operation(
        draft,
        machine.scope,
        (machine.name,),
        impact,
        source,
        notice=notice,
        by=by,
        new_id=new_id,
        at_once=verb is Verb.MAINTAIN or _waived(scope.policy, verb),
        request=request,
    )


def notice_for(scope: Scope, machine: Machine, verb: Verb, settings: Settings) -> timedelta | None:
    """How long a request waits; None if it is not announced at all."""
    if not scope.is_enrolled:
        return None
    match verb:
        case Verb.DELETE:
            return None if machine.is_spot else machine.terminate_notice
        case Verb.REIMAGE:
            return machine.os_image_notice
        case Verb.RESTART | Verb.REDEPLOY | Verb.EVICT | Verb.MAINTAIN:
            return minimum_notice(verb.impact, settings)


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
    request: str = "",
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
        request=request,
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
    draft: Draft,
    machine: Machine,
    impact: EventType,
    source: Source,
    by: Actor,
    new_id: Callable[[], str],
    request: str = "",
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
        request=request,
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


def _check(
    scope: Scope, machine: Machine, verb: Verb, running: Operation | None, settings: Settings, request: str
) -> None:
    if verb is Verb.EVICT and not machine.is_spot:
        raise Conflict("Operation 'simulateEviction' is allowed only for Spot Virtual Machines")
    if running is not None:
        raise Conflict(
            f"{machine.name} already has a {verb.impact.value} under way (operation {running.id}): "
            "wait until it has ended, or cancel its event."
        )
    if verb.impact in MAINTENANCE:
        asked = {o.request or o.id for o in scope.operations if _is_counted(o)} - {request}
        count = len(asked)
        if count >= settings.user_operations:
            raise TooMany(
                f"{count} user-initiated operations are under way in {scope.id} and no more than "
                f"{settings.user_operations} may be (setting user_operations): wait until one has ended, or cancel one."
            )


def _is_counted(operation: Operation) -> bool:
    return operation.is_live and operation.source is Source.USER and operation.impact in MAINTENANCE


def _waived(policy: EventsPolicy, verb: Verb) -> bool:
    return (verb is Verb.RESTART and policy.approve_user_reboot) or (
        verb is Verb.REDEPLOY and policy.approve_user_redeploy
    )
