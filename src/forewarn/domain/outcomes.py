"""What the drivers report, and what follows from it."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from msgspec.structs import replace

from forewarn.domain.campaigns import after_event, halt
from forewarn.domain.draft import Draft
from forewarn.domain.events import Action, Actor, Event, EventType, Operation, OperationState, Phase
from forewarn.domain.history import What
from forewarn.domain.lifecycle import Fact
from forewarn.domain.machines import EvictionPolicy, Machine, Power, any_runs
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle

DRIVER = Actor.system("driver")
END = Actor.system("end-of-scope")
LONGEST_WAIT = timedelta(minutes=30)
"""Between two attempts, however many there were."""


def retry_at(action: Action, now: datetime, settings: Settings) -> datetime | None:
    """When a failed action is tried again; None once it is given up."""
    if action.attempts >= settings.driver_attempts:
        return None
    doublings = min(max(action.attempts - 1, 0), 20)
    return now + min(settings.driver_backoff * (1 << doublings), max(settings.driver_backoff, LONGEST_WAIT))


def asked_again(action: Action, until: datetime) -> Action:
    """The action of a driver that is at work until then: it has not failed, so that was no attempt."""
    return replace(action, due=until, attempts=max(action.attempts - 1, 0))


LASTING = (EventType.PREEMPT, EventType.TERMINATE)
"""What makes another machine of the machine, or none."""
FRESH = (EventType.REBOOT, EventType.REDEPLOY)
"""What makes it begin anew."""


def leaves_mark(draft: Draft, action: Action) -> bool:
    """Whether the machine is another one once the action is done. When one began anew, only scale sets want to know."""
    return action.impact in LASTING or (action.impact in FRESH and draft.scopes[action.scope].scale_set is not None)


def performed(draft: Draft, action: Action, machine: Machine | None) -> None:
    """The action is done: the machine is what the impact made of it. It need not be known where that leaves no mark."""
    if machine is not None:
        _leave_mark(draft, machine, action.impact)
    _finish(draft, action, failure=None)


def given_up(draft: Draft, action: Action, reason: str) -> None:
    _finish(draft, action, failure=f"{action.machine}: {reason}")


def _finish(draft: Draft, action: Action, failure: str | None) -> None:
    draft.finished.append((action.operation, action.machine))
    operation = draft.operation(action.scope, action.operation)
    if operation is not None:
        operation = replace(
            operation,
            pending=tuple(name for name in operation.pending if name != action.machine),
            failures=(*operation.failures, failure) if failure else operation.failures,
        )
        draft.put_operation(operation)
        if not operation.pending:
            _end(draft, operation)
    settle(draft)


def _end(draft: Draft, operation: Operation) -> None:
    why = "; ".join(operation.failures)
    event = next((e for e in draft.scopes[operation.scope].events if e.id == operation.event), None)
    if event is None:
        state = OperationState.FAILED if why else OperationState.SUCCEEDED
        draft.end_operation(operation, state, why)
        draft.note(operation.scope, DRIVER, What.FAILED if why else What.DONE, operation.id, detail=why)
        return
    draft.end(event, Fact.FAIL if why else Fact.COMPLETE, DRIVER, why)
    if why:
        halt(draft, event)
    after_event(draft, event)


def _leave_mark(draft: Draft, machine: Machine, impact: EventType) -> None:
    match impact:
        case EventType.TERMINATE:
            remove_machine(draft, machine, DRIVER)
        case EventType.PREEMPT if machine.eviction_policy is EvictionPolicy.DELETE:
            remove_machine(draft, machine, DRIVER)
        case EventType.PREEMPT:
            set_power(draft, machine, Power.DEALLOCATED, DRIVER)
        case EventType.REBOOT | EventType.REDEPLOY:
            draft.machines.append(replace(machine, changed_at=draft.now))
        case EventType.FREEZE:
            pass


def abandon(draft: Draft, scope: str) -> None:
    """The scope comes to its end, and whatever is under way there with it. The drivers need not report any more."""
    here = draft.scopes[scope]
    why = f"{scope} is gone"
    waiting = {event.operation for event in here.events if event.phase is Phase.SCHEDULED}
    acting = [operation for operation in here.operations if operation.is_live and operation.id not in waiting]
    draft.finished += [(operation.id, name) for operation in acting for name in operation.pending]
    for event in here.events:
        if event.phase.is_live:
            draft.end(event, Fact.CANCEL if event.phase is Phase.SCHEDULED else Fact.FAIL, END, why)
    for operation in draft.scopes[scope].operations:
        if operation.is_live:
            draft.end_operation(operation, OperationState.FAILED, why)
            draft.note(scope, END, What.FAILED, operation.id, detail=why)
    if here.walk is not None:
        draft.put_scope(replace(draft.scopes[scope], walk=None))
        draft.note(scope, END, What.CAMPAIGN, here.walk.campaign, "", why)


def set_power(draft: Draft, machine: Machine, power: Power, by: Actor) -> None:
    if machine.power is power:
        return
    draft.machines.append(replace(machine, power=power, changed_at=draft.now))
    draft.note(machine.scope, by, What.POWER, machine.name, machine.power.value, power.value)


def recount(draft: Draft, scopes: Iterable[str], known: Callable[[str], Iterable[Machine]]) -> None:
    """Whether any machine of these scopes runs after what the draft did to them.

    `known`: a scope's machines as they were; asked for only where those in the draft do not tell.
    """
    gone = set(draft.gone)
    changed: dict[str, dict[str, Power]] = defaultdict(dict)
    for machine in draft.machines:
        if (machine.scope, machine.name) not in gone:
            changed[machine.scope][machine.name] = machine.power
    for scope in scopes:
        powers = changed[scope]
        if Power.RUNNING not in powers.values():
            powers = {m.name: m.power for m in known(scope) if (scope, m.name) not in gone} | powers
        runs = any_runs(powers.values())
        if draft.scopes[scope].any_running is not runs:
            draft.put_scope(replace(draft.scopes[scope], any_running=runs))


def remove_machine(draft: Draft, machine: Machine, by: Actor) -> None:
    """The machine leaves its scope, and the announcements that named it."""
    draft.gone.append((machine.scope, machine.name))
    draft.note(machine.scope, by, What.REMOVED, machine.name)
    for event in draft.scopes[machine.scope].events:
        if event.phase is Phase.SCHEDULED and machine.name in event.resources:
            _without(draft, event, machine.name, by)


def _without(draft: Draft, event: Event, name: str, by: Actor) -> None:
    left = tuple(resource for resource in event.resources if resource != name)
    if not left:
        draft.end(event, Fact.CANCEL, by, f"{name} is gone")
        after_event(draft, event)
        return
    draft.put_event(replace(event, resources=left))
    operation = draft.operation(event.scope, event.operation)
    if operation is not None:
        draft.put_operation(replace(operation, machines=left, pending=left))
    draft.note(event.scope, by, What.SHRUNK, event.id, ", ".join(event.resources), ", ".join(left))
