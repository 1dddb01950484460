"""What an event waits for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from forewarn.domain.consent import Rule, Waiting, waits_for
from forewarn.domain.events import Event, Operation, Phase
from forewarn.domain.scopes import Scope
from forewarn.domain.starting import held_up_by, starts_by


class Wait(Enum):
    FIRST = "first"  # for an approval by whichever machine of the scope
    ALL_NAMED = "all-named"  # for the yes of all its machines
    K_OF_N = "k-of-n"  # for the yes of some of them
    HUMAN = "human"  # for a person's approval
    OTHERS = "others"  # approved, but other deletes of its scale set are not
    MOMENT = "moment"  # for nothing: it starts in a moment
    DRIVERS = "drivers"  # started: until the impact is over
    NOTHING = "nothing"  # it is over


RULES = {
    Rule.FIRST: Wait.FIRST,
    Rule.ALL_NAMED: Wait.ALL_NAMED,
    Rule.K_OF_N: Wait.K_OF_N,
    Rule.HUMAN: Wait.HUMAN,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitView:
    wait: Wait
    scope: str
    machines: tuple[str, ...] = ()
    """Whose yes is missing; or, once it has started, to whom it is still happening."""
    needed: int = 0
    """So many of them; 0 where their number is not the question."""
    others: tuple[Event, ...] = ()
    """The deletes of its scale set that hold it up, or would once it is approved."""
    until: datetime | None = None
    """When it starts at the latest."""


def wait_view(event: Event, scopes: Sequence[Scope], operation: Operation | None, now: datetime) -> WaitView:
    """`scopes`: its own, and those that share a scale set with it."""
    match event.phase:
        case Phase.SCHEDULED:
            return _scheduled(event, scopes, now)
        case Phase.STARTED:
            pending = operation.pending if operation is not None else event.resources
            return WaitView(wait=Wait.DRIVERS, scope=event.scope, machines=pending)
        case Phase.COMPLETED | Phase.CANCELED | Phase.FAILED:
            return WaitView(wait=Wait.NOTHING, scope=event.scope)


def _scheduled(event: Event, scopes: Sequence[Scope], now: datetime) -> WaitView:
    policy = next(scope.approval_policy for scope in scopes if scope.id == event.scope)
    missing = waits_for(event, policy)
    others = tuple(held_up_by(event, scopes, now))
    wait = _wait(event, missing, others, RULES[policy.rule], now)
    return WaitView(
        wait=wait,
        scope=event.scope,
        machines=missing.machines,
        needed=missing.needed,
        others=others,
        until=starts_by(event, others) if wait is Wait.OTHERS else event.not_before,
    )


def _wait(event: Event, missing: Waiting, others: Sequence[Event], rule: Wait, now: datetime) -> Wait:
    if event.not_before <= now or (missing.approved and not others):
        return Wait.MOMENT
    return Wait.OTHERS if missing.approved else rule
