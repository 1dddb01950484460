"""Approving and cancelling what is announced, being ready for it, and choosing whose word counts."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from forewarn.domain.campaigns import after_event
from forewarn.domain.consent import ApprovalPolicy, yes
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, Forbidden
from forewarn.domain.events import Actor, Event, Phase, Readiness
from forewarn.domain.history import What
from forewarn.domain.lifecycle import Fact
from forewarn.domain.settings import Settings
from forewarn.domain.starting import record_approval, settle

MOST_TURNS = 20
"""How often a machine may become ready for one event: each time is an entry in the history."""


def approve(draft: Draft, scope: str, ids: Sequence[str], by: Actor, *, acknowledged: bool = False) -> tuple[str, ...]:
    """Approve what the scope knows; the ids it does not know come back."""
    known = {event.id: event for event in draft.scopes[scope].events}
    for event in (known[i] for i in dict.fromkeys(ids) if i in known):
        record_approval(draft, event, by, acknowledged=acknowledged)
    settle(draft)
    return tuple(i for i in ids if i not in known)


def ended_lately(event: Event | None, scope: str, now: datetime, settings: Settings) -> bool:
    """Whether this was an event of the scope until a moment ago: who approves it then is late, not mistaken."""
    if event is None or event.scope != scope or event.ended_at is None:
        return False
    return now - event.ended_at <= settings.recently_finished


def say_ready(draft: Draft, event: Event, machine: str, ready: bool) -> Event:
    """What the machine says of itself. To say again what it has said changes nothing, even when it is too late."""
    if machine not in event.resources:
        raise Forbidden(f"{machine} is not among the machines of event {event.id}: each speaks for itself only.")
    said = next((known for known in event.readiness if known.machine == machine), None)
    if ready is (said is not None and said.ready):
        return event
    if event.phase is not Phase.SCHEDULED:
        raise Conflict(f"Event {event.id} is {event.phase.value}: it is too late to be ready for it, or not.")
    times = (said.times if said is not None else 0) + ready
    if times > MOST_TURNS:
        raise Conflict(f"{machine} has become ready for event {event.id} {MOST_TURNS} times, and taken it back.")
    others = tuple(known for known in event.readiness if known is not said)
    told = Readiness(machine=machine, ready=ready, at=draft.now, times=times)
    after = replace(event, readiness=(*others, told))
    draft.put_event(after)
    what = What.READY if ready else What.NOT_READY
    draft.note(event.scope, Actor.machine(machine), what, event.id, _counted(event), _counted(after))
    settle(draft)
    return next(each for each in draft.scopes[event.scope].events if each.id == event.id)


def _counted(event: Event) -> str:
    return f"{len(yes(event))} of {len(event.resources)}"


def set_policy(draft: Draft, scope: str, policy: ApprovalPolicy, by: Actor) -> None:
    """From now on, for what is announced already too: whoever has said yes need not say it again."""
    here = draft.scopes[scope]
    if here.approval == policy:
        return
    draft.put_scope(replace(here, approval=policy))
    if here.approval_policy != policy:
        draft.note(scope, by, What.POLICY, scope, str(here.approval_policy), str(policy))


def cancel(draft: Draft, event: Event, by: Actor, why: str = "") -> None:
    draft.end(event, Fact.CANCEL, by, why)
    after_event(draft, event)
    settle(draft)
