"""When may an event start? The one place where that is decided."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from forewarn.domain.consent import is_approved, let_by
from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Approval, Event, EventType, Phase
from forewarn.domain.history import What
from forewarn.domain.scopes import Scope

NOT_BEFORE = Actor.system("NotBefore")
ALL_DOWN = Actor.system("all-instances-down")


def settle(draft: Draft) -> None:
    """Start whatever may start now. Every decision that could let an event start ends with this."""
    _approve_where_nothing_runs(draft)
    for event, by in startable(draft):
        draft.start(event, by)


def startable(draft: Draft) -> list[tuple[Event, Actor]]:
    """The scheduled events that may start now, with what lets them.

    At NotBefore an event starts by itself. Before that it needs what its scope's approval policy asks for; and a
    Terminate in a scale set needs all pending deletes of that set to be approved or due, so that equal NotBefore means
    all or none.
    """
    start: list[tuple[Event, Actor]] = []
    waiting: dict[str, list[tuple[Event, Actor | None]]] = defaultdict(list)  # those decided together
    for scope in draft.scopes.values():
        for event in scope.events:
            if event.phase is not Phase.SCHEDULED:
                continue
            if event.not_before <= draft.now:
                start.append((event, NOT_BEFORE))
            else:
                waiting[_decided_with(event, scope)].append((event, let_by(event, scope.approval_policy)))
    for together in waiting.values():
        let = [(event, by) for event, by in together if by is not None]
        start += let if len(let) == len(together) else []
    return start


def _decided_with(event: Event, scope: Scope) -> str:
    return scope.scale_set if event.type is EventType.TERMINATE and scope.scale_set else event.id


def held_up_by(event: Event, scopes: Sequence[Scope], now: datetime) -> list[Event]:
    """The other events that must be approved, or due, before this one can start ahead of its NotBefore.

    `scopes`: its own, and those that share a scale set with it.
    """
    homes = {scope.id: scope for scope in scopes}
    together = _decided_with(event, homes[event.scope])
    return [
        other
        for scope in scopes
        for other in scope.events
        if other.id != event.id
        and other.phase is Phase.SCHEDULED
        and other.not_before > now
        and _decided_with(other, scope) == together
        and not is_approved(other, scope.approval_policy)
    ]


def starts_by(event: Event, others: Sequence[Event]) -> datetime:
    """When an approved event starts at the latest, if these hold it up."""
    return min(event.not_before, max((other.not_before for other in others), default=event.not_before))


def record_approval(draft: Draft, event: Event, by: Actor, *, acknowledged: bool = False) -> None:
    """Note it once per approver, and once more if that one also acknowledges. Nothing visible changes by it."""
    approval = Approval(by=by, at=draft.now, acknowledged=acknowledged)
    known = {(each.by, each.acknowledged) for each in event.approvals}
    if event.phase is not Phase.SCHEDULED or (by, acknowledged) in known:
        return
    draft.put_event(replace(event, approvals=(*event.approvals, approval)))
    draft.note(event.scope, by, What.APPROVED, event.id, event.phase.value, event.phase.value)


def _approve_where_nothing_runs(draft: Draft) -> None:
    for scope in list(draft.scopes.values()):
        if scope.policy.approve_all_instances_down and not scope.any_running:
            for event in scope.events:
                if not is_approved(event, scope.approval_policy):
                    record_approval(draft, event, ALL_DOWN)
