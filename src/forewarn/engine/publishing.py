"""Telling the outside of what a command changed, in the command's own commit.

Whatever a document shows differently is noted for who looks events up; and for each step of an event's life, each
subscription that wants to hear of it gets a delivery of its own.
"""

from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from forewarn.domain.delivering import Delivery
from forewarn.domain.draft import Change, Revision
from forewarn.domain.notices import Notice, news, notice, withdrawn
from forewarn.domain.resources import Resource
from forewarn.domain.subscriptions import EVENT_SUBSCRIPTION, TOPIC_SUBSCRIPTION, Subscription, subscription_of
from forewarn.engine.ports import Reader


def published(reader: Reader, change: Change, now: datetime) -> Change:
    """The change, with what it has to tell."""
    notices: list[Notice] = []
    steps: list[Notice] = []
    gone: list[str] = []
    for revision in change.revisions:
        gone += withdrawn(revision.before, revision.after)
        for told, is_step in _told(reader, change, revision, now):
            notices.append(told)
            steps += [told] if is_step else []
    if not notices and not gone:
        return change
    deliveries = tuple(_deliveries(reader, steps)) if steps else ()
    return replace(change, notices=tuple(notices), withdrawn=tuple(gone), deliveries=deliveries)


def _told(reader: Reader, change: Change, revision: Revision, now: datetime) -> Iterable[tuple[Notice, bool]]:
    changed = list(news(revision.before, revision.after))
    owner = _owner(reader, change, revision.after.owner) if changed else None
    if owner is not None:
        for event, is_step in changed:
            yield notice(event, revision.after, owner, now), is_step


def _owner(reader: Reader, change: Change, key: str) -> Resource | None:
    new = next((resource for resource in change.resources if resource.key == key), None)
    return new or (reader.resource(key) if key else None)


def _deliveries(reader: Reader, notices: Iterable[Notice]) -> Iterable[Delivery]:
    subscriptions = list(subscribed(reader))
    for told in notices:
        for key, subscription in subscriptions:
            if subscription.wants(told):
                yield Delivery(notice=told, subscription=key)


def subscribed(reader: Reader) -> Iterable[tuple[str, Subscription]]:
    """Every subscription, with the key of its resource."""
    for kind in (EVENT_SUBSCRIPTION, TOPIC_SUBSCRIPTION):
        after = ""
        while page := reader.list_resources(kind=kind, after=after):
            yield from ((resource.key, subscription_of(resource)) for resource in page)
            after = page[-1].key
