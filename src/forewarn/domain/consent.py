"""Whose yes lets an event start before its NotBefore: the approval policies of scopes, as tables.

A machine says yes by approving, or by saying that it is ready; what it said of being ready it can take back. Under
Azure's rule readiness lets nothing start. Whoever has the right to acknowledge speaks for all machines.
"""

from enum import Enum
from operator import itemgetter

from msgspec import Struct

from forewarn.domain.errors import Invalid
from forewarn.domain.events import Actor, ActorKind, Approval, Event

MOST = 100_000
"""Approvals that a policy may ask for."""


class Rule(Enum):
    FIRST = "first"  # Azure's: the first approval, by whichever machine of the scope
    ALL_NAMED = "all-named"  # every machine that the event names has said yes
    K_OF_N = "k-of-n"  # so many of the machines that it names have; all of them, if it names fewer
    HUMAN = "human"  # a user; what machines say is noted and shown


class ApprovalPolicy(Struct, frozen=True, kw_only=True):
    rule: Rule = Rule.FIRST
    count: int = 0  # the k of K_OF_N; 0 for the others

    def __str__(self) -> str:
        return f"{self.count}-of-n" if self.rule is Rule.K_OF_N else self.rule.value


FIRST = ApprovalPolicy()

ALONE: dict[Rule, frozenset[ActorKind]] = {
    Rule.FIRST: frozenset(ActorKind),
    Rule.ALL_NAMED: frozenset({ActorKind.USER, ActorKind.SYSTEM}),
    Rule.K_OF_N: frozenset({ActorKind.USER, ActorKind.SYSTEM}),
    Rule.HUMAN: frozenset({ActorKind.USER}),
}
"""Whose approval is enough by itself."""


def policy_of(rule: Rule, count: int | None) -> ApprovalPolicy:
    """What somebody asks for, if it makes sense."""
    if rule is not Rule.K_OF_N and count is not None:
        raise Invalid(f"Only {Rule.K_OF_N.value} takes a number: say {rule.value} without one.")
    if rule is Rule.K_OF_N and (count is None or not 1 <= count <= MOST):
        raise Invalid(f"{Rule.K_OF_N.value} needs the number of machines that have to say yes, from 1 to {MOST:,}.")
    return ApprovalPolicy(rule=rule, count=count or 0)


def let_by(event: Event, policy: ApprovalPolicy) -> Actor | None:
    """Whose word was the last that the event needed; None while it needs more."""
    alone = [approval.by for approval in event.approvals if _is_enough(approval, policy.rule)]
    if alone:
        return alone[-1]
    said, needed = yes(event), _needed(event, policy)
    return Actor.machine(said[-1]) if needed is not None and len(said) >= needed else None


def is_approved(event: Event, policy: ApprovalPolicy) -> bool:
    return let_by(event, policy) is not None


def yes(event: Event) -> list[str]:
    """The machines that the event names and that have said yes, in the order in which they did."""
    said = [(approval.at, approval.by.name) for approval in event.approvals if _is_of_machine(approval)]
    said += [(readiness.at, readiness.machine) for readiness in event.readiness if readiness.ready]
    said.sort(key=itemgetter(0))
    return list(dict.fromkeys(name for _, name in said if name in event.resources))


class Waiting(Struct, frozen=True, kw_only=True):
    """What an event still needs to start early."""

    approved: bool  # its policy is satisfied: if it waits, it is for other deletes of its scale set
    machines: tuple[str, ...]  # those that it names and that have not said yes
    needed: int  # so many of them; 0 where their number is not the question


def waits_for(event: Event, policy: ApprovalPolicy) -> Waiting:
    said = yes(event)
    missing = tuple(name for name in event.resources if name not in said)
    approved = is_approved(event, policy)
    needed = 0 if approved else max((_needed(event, policy) or 0) - len(said), 0)
    return Waiting(approved=approved, machines=missing, needed=needed)


def _is_enough(approval: Approval, rule: Rule) -> bool:
    kind = approval.by.kind
    return kind in ALONE[rule] or (approval.acknowledged and kind is ActorKind.MACHINE and rule is not Rule.HUMAN)


def _is_of_machine(approval: Approval) -> bool:
    """Said through its own metadata endpoint; through the control plane, it may be a machine of another scope."""
    return approval.by.kind is ActorKind.MACHINE and not approval.acknowledged


def _needed(event: Event, policy: ApprovalPolicy) -> int | None:
    """How many of its machines must have said yes; None where that is not the question."""
    match policy.rule:
        case Rule.FIRST | Rule.HUMAN:
            return None
        case Rule.ALL_NAMED:
            return len(event.resources)
        case Rule.K_OF_N:
            return min(policy.count, len(event.resources))
