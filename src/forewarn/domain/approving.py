"""Approving and cancelling what is announced."""

from collections.abc import Sequence

from forewarn.domain.campaigns import after_event
from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Event
from forewarn.domain.lifecycle import Fact
from forewarn.domain.starting import record_approval, settle


def approve(draft: Draft, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
    """Approve what the scope knows; the ids it does not know come back."""
    known = {event.id: event for event in draft.scopes[scope].events}
    for event in (known[i] for i in dict.fromkeys(ids) if i in known):
        record_approval(draft, event, by)
    settle(draft)
    return tuple(i for i in ids if i not in known)


def cancel(draft: Draft, event: Event, by: Actor, why: str = "") -> None:
    draft.end(event, Fact.CANCEL, by, why)
    after_event(draft, event)
    settle(draft)
