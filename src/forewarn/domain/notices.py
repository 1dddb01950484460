"""What is told of events outside their documents: to who subscribes to them, and to who looks them up.

A scope's policy says whether that is wanted. What is told follows from what a command changed, so a step that nobody
could see in the document is not told either; and a notice's id follows from the event and its status, so that telling
it twice is telling the same.
"""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import Struct

from forewarn.domain.events import Announcement, Event, Phase, announce
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import Scope

KEPT = timedelta(days=1)
"""How long an event that is over can still be looked up."""

STATUSES: dict[Phase, str] = {
    Phase.SCHEDULED: "Scheduled",
    Phase.STARTED: "Started",
    Phase.COMPLETED: "Completed",
    Phase.CANCELED: "Canceled",
    Phase.FAILED: "Completed",  # Azure has no fifth word. It began and is over; "Canceled" would say nothing was hit
}

_IDS = uuid.UUID("8a5f7c0e-3b1d-5c49-9e07-d1f3a2b64c58")


class Notice(Struct, frozen=True, kw_only=True):
    """An event as it is told outside, at one moment."""

    at: datetime
    event: Event
    owner: str  # ARM id of the machine or set that the event's scope was made for
    location: str
    version: str  # of the document it is told in: ScheduledEventApiVersion

    @property
    def id(self) -> str:
        return str(uuid.uuid5(_IDS, f"{self.event.id}/{self.status}"))

    @property
    def status(self) -> str:
        return STATUSES[self.event.phase]

    @property
    def subject(self) -> str:
        return f"{self.owner}/providers/microsoft.maintenance/scheduledevents/{self.event.id}"

    @property
    def announcement(self) -> Announcement:
        return announce(self.event)


def notice(event: Event, scope: Scope, owner: Resource, now: datetime) -> Notice:
    return Notice(at=now, event=event, owner=owner.id, location=owner.location, version=scope.policy.publish_version)


def news(before: Scope | None, after: Scope) -> Iterator[tuple[Event, bool]]:
    """The events that look different outside, and whether by a step of their life, of which subscribers hear."""
    if not after.policy.publish:
        return
    known = {event.id: event for event in before.events} if before is not None else {}
    shown = before is not None and before.policy.publish
    for event in after.events:
        was = known.get(event.id)
        if was is event and shown:
            continue
        if was is None or not shown or announce(was) != announce(event):
            yield event, was is None or was.phase is not event.phase


def withdrawn(before: Scope | None, after: Scope) -> list[str]:
    """The events that are not told of any more, because their scope does not want it."""
    if before is None or not before.policy.publish or after.policy.publish:
        return []
    return [event.id for event in before.events]
