"""Approving and cancelling what is announced."""

from collections.abc import Sequence
from datetime import datetime

from forewarn.domain.campaigns import after_event
from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Event
from forewarn.domain.lifecycle import Fact
from forewarn.domain.settings import Settings
from forewarn.domain.starting import record_approval, settle


def approve(draft: Draft, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
    """Approve what the scope knows; the ids it does not know come back."""
    known = {event.id: event for event in draft.scopes[scope].events}
    for event in (known[i] for i in dict.fromkeys(ids) if i in known):
        record_approval(draft, event, by)
    settle(draft)
    return tuple(i for i in ids if i not in known)


def ended_lately(event: Event | None, scope: str, now: datetime, settings: Settings) -> bool:
    """Whether this was an event of the scope until a moment ago: who approves it then is late, not mistaken."""
    if event is None or event.scope != scope or event.ended_at is None:
        return False
    return now - event.ended_at <= settings.recently_finished


def cancel(draft: Draft, event: Event, by: Actor, why: str = "") -> None:
    draft.end(event, Fact.CANCEL, by, why)
    after_event(draft, event)
    settle(draft)
