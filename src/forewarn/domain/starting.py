"""When may an event start? The one place where that is decided."""

from collections import defaultdict

from msgspec.structs import replace

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

    At NotBefore an event starts by itself. Before that it needs an approval; and a Terminate in a scale set needs all
    pending deletes of that set to be approved or due, so that equal NotBefore means all or none.
    """
    start: list[tuple[Event, Actor]] = []
    waiting: dict[str, list[Event]] = defaultdict(list)  # those decided together
    for scope in draft.scopes.values():
        for event in scope.events:
            if event.phase is not Phase.SCHEDULED:
                continue
            if event.not_before <= draft.now:
                start.append((event, NOT_BEFORE))
            else:
                waiting[_decided_with(event, scope)].append(event)
    for together in waiting.values():
        if all(event.is_approved for event in together):
            start += [(event, event.approvals[-1].by) for event in together]
    return start


def _decided_with(event: Event, scope: Scope) -> str:
    return scope.scale_set if event.type is EventType.TERMINATE and scope.scale_set else event.id


def record_approval(draft: Draft, event: Event, by: Actor) -> None:
    """Note it once per approver. Nothing visible changes by it."""
    if event.phase is not Phase.SCHEDULED or any(approval.by == by for approval in event.approvals):
        return
    draft.put_event(replace(event, approvals=(*event.approvals, Approval(by=by, at=draft.now))))
    draft.note(event.scope, by, What.APPROVED, event.id, event.phase.value, event.phase.value)


def _approve_where_nothing_runs(draft: Draft) -> None:
    for scope in list(draft.scopes.values()):
        if scope.policy.approve_all_instances_down and not scope.any_running:
            for event in scope.events:
                if not event.is_approved:
                    record_approval(draft, event, ALL_DOWN)
