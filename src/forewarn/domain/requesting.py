"""What somebody asks of machines: restart, redeploy, delete, evict, reimage, maintain now.

With notice to give, an event announces it; otherwise it goes to the drivers at once.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from enum import Enum

from msgspec import Struct

from forewarn.domain.announcing import Plan, announce
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, Invalid, TooMany
from forewarn.domain.events import Actor, EventType, Operation, Source
from forewarn.domain.history import What
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import EventsPolicy, Scope
from forewarn.domain.settings import Settings, minimum_notice
from forewarn.domain.starting import settle
from forewarn.domain.texts import FAILURE, duration_of

MAINTENANCE = frozenset({EventType.REBOOT, EventType.REDEPLOY})
"""What the limit on user-initiated operations counts; a scale-in may delete as many as it likes."""


class Verb(Enum):
    """What can be asked for, in the words of the control plane."""

    RESTART = "restart"
    REDEPLOY = "redeploy"
    DELETE = "delete"
    EVICT = "simulateEviction"
    REIMAGE = "reimage"  # announced only where the machine's model wants that; drivers see a plain Reboot
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


class Request(Struct, frozen=True, kw_only=True):
    """What somebody asks of machines, in one go."""

    verb: Verb
    by: Actor
    id: str = ""  # what the operations have in common; the limit on operations counts it once
    repair: bool = False  # nobody asked for it: a scale set repairs an instance

    @property
    def impact(self) -> EventType:
        return self.verb.impact

    @property
    def source(self) -> Source:
        return Source.PLATFORM if self.repair or self.verb is Verb.EVICT else Source.USER

    @property
    def description(self) -> str | None:
        """None: as is usual for the impact. Of a Terminate nothing is said, whoever wants it."""
        return FAILURE if self.repair and self.verb is not Verb.DELETE else None


def request(
    draft: Draft, machine: Machine, impact: EventType, by: Actor, settings: Settings, new_id: Callable[[], str]
) -> Operation:
    if impact not in VERBS:
        raise Invalid(
            "Nobody can ask for a {impact}: it is the platform's to schedule.", key="platform_s", impact=impact.value
        )
    (operation,) = request_all(draft, [machine], Request(verb=VERBS[impact], by=by), settings, new_id)
    return operation


def request_all(
    draft: Draft, machines: Sequence[Machine], asked: Request, settings: Settings, new_id: Callable[[], str]
) -> list[Operation]:
    """All of them or none. A second delete of a machine waits for the first."""
    running = all_under_way(draft, asked.impact)
    _check_limit(draft, machines, asked, settings)
    operations = []
    for machine in machines:
        key = (machine.scope, machine.name)
        if key not in running or asked.verb is not Verb.DELETE:
            _check(machine, asked.verb, running.get(key))
            running[key] = _ask(draft, machine, asked, settings, new_id)
        operations.append(running[key])
    settle(draft)
    return operations


def _ask(draft: Draft, machine: Machine, asked: Request, settings: Settings, new_id: Callable[[], str]) -> Operation:
    scope = draft.scopes[machine.scope]
    notice = notice_for(scope, machine, asked.verb, settings)
    if notice is None:
        return run_at_once(draft, machine, asked, new_id)
    plan = Plan(
        scope=machine.scope,
        machines=(machine.name,),
        impact=asked.impact,
        source=asked.source,
        by=asked.by,
        notice=notice,
        at_once=asked.verb is Verb.MAINTAIN or _waived(scope.policy, asked),
        description=asked.description,
        request=asked.id,
    )
    return announce(draft, plan, new_id)


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


def run_at_once(draft: Draft, machine: Machine, asked: Request, new_id: Callable[[], str]) -> Operation:
    operation = Operation(
        id=new_id(),
        scope=machine.scope,
        impact=asked.impact,
        source=asked.source,
        machines=(machine.name,),
        requested_by=asked.by,
        requested_at=draft.now,
        pending=(machine.name,),
        request=asked.id,
    )
    draft.add_operation(operation)
    draft.act(operation, duration=duration_of(asked.impact))
    told = f"{asked.impact.value} of {machine.name}, without an event"
    draft.note(machine.scope, asked.by, What.RAN, operation.id, detail=told)
    return operation


def all_under_way(draft: Draft, impact: EventType) -> dict[tuple[str, str], Operation]:
    """What of this kind is not over yet, by the machine it is about; of two, the one that came first."""
    return {
        (scope.id, name): operation
        for scope in draft.scopes.values()
        for operation in reversed(scope.operations)
        if operation.is_live and operation.impact is impact
        for name in operation.machines
    }


def under_way(scope: Scope, machine: Machine, impact: EventType) -> Operation | None:
    return next(
        (o for o in scope.operations if o.is_live and o.impact is impact and machine.name in o.machines),
        None,
    )


def _check(machine: Machine, verb: Verb, running: Operation | None) -> None:
    if verb is Verb.EVICT and not machine.is_spot:
        raise Conflict(
            "Operation 'simulateEviction' is allowed only for Spot Virtual Machines", key="only_spot_evicted"
        )
    if running is not None:
        raise Conflict(
            "{machine} already has a {impact} under way (operation {operation}): "
            "wait until it has ended, or cancel its event.",
            key="under_way",
            machine=machine.name,
            impact=verb.impact.value,
            operation=running.id,
        )


def _check_limit(draft: Draft, machines: Sequence[Machine], asked: Request, settings: Settings) -> None:
    """A request that came in one go is one, over however many machines. Without an id, each machine is one."""
    if asked.impact not in MAINTENANCE or asked.source is not Source.USER:
        return
    for name, more in Counter(machine.scope for machine in machines).items():
        count = len({o.request or o.id for o in draft.scopes[name].operations if _is_counted(o)})
        if count + (1 if asked.id else more) > settings.user_operations:
            raise TooMany(
                "{count} user-initiated operations are under way in {scope} and no more than "
                "{most} may be (setting user_operations): wait until one has ended, or cancel one.",
                key="too_many_operations",
                count=count,
                scope=name,
                most=settings.user_operations,
            )


def _is_counted(operation: Operation) -> bool:
    return operation.is_live and operation.source is Source.USER and operation.impact in MAINTENANCE


def _waived(policy: EventsPolicy, asked: Request) -> bool:
    """Only of what users ask for can they say that it need not wait."""
    if asked.source is not Source.USER:
        return False
    return (asked.verb is Verb.RESTART and policy.approve_user_reboot) or (
        asked.verb is Verb.REDEPLOY and policy.approve_user_redeploy
    )
