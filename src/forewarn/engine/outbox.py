"""The webhooks' outbox: what is to be delivered, taken by lease, and what became of it.

Its clock is the wall clock: a virtual fleet may play an hour in a second, and the endpoint on the other side does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.delivering import Answered, Delivery, Unanswered, tried_again
from forewarn.domain.draft import Change
from forewarn.domain.subscriptions import Subscription, subscription_of
from forewarn.engine.ports import Reader, Store, Transaction

Outcome = Answered | Unanswered


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What a report came to."""

    delivered: Sequence[Delivery] = ()
    postponed: Sequence[Delivery] = ()
    dropped: Sequence[tuple[Delivery, Outcome]] = ()


class Outbox:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def inherit(self) -> None:
        """Whatever is held was left by a dead process: this one is alone."""
        await self._store.run(lambda tx: tx.free_deliveries())

    async def waiting(self, wall: datetime) -> tuple[Sequence[str], datetime | None]:
        """The subscriptions with something to deliver now, and when there is more."""
        return await self._store.read(lambda r: (r.subscriptions_waiting(wall), r.next_delivery(wall)))

    async def lease(
        self, subscription: str, wall: datetime, length: timedelta, limit: int
    ) -> tuple[Subscription | None, Sequence[Delivery]]:
        """Some deliveries to a subscription, and the subscription as it is now; None if it is gone."""

        def work(tx: Transaction) -> tuple[Subscription | None, Sequence[Delivery]]:
            return _subscription(tx, subscription), tx.lease_deliveries(subscription, wall, wall + length, limit)

        return await self._store.run(work)

    async def report(self, outcomes: Sequence[tuple[Delivery, Outcome]], wall: datetime) -> Told:
        """A report under an old fence is from somebody who lost the lease, and is not heard."""

        def work(tx: Transaction) -> Told:
            heard = [(d, o) for d, o in outcomes if (held := tx.delivery(*d.key)) is not None and held.fence == d.fence]
            told = _settled(tx, heard, wall)
            over = [*told.delivered, *(delivery for delivery, _ in told.dropped)]
            tx.save(Change(deliveries=tuple(told.postponed), delivered=tuple(delivery.key for delivery in over)))
            return told

        return await self._store.run(work)


def _settled(reader: Reader, outcomes: Sequence[tuple[Delivery, Outcome]], wall: datetime) -> Told:
    delivered: list[Delivery] = []
    postponed: list[Delivery] = []
    dropped: list[tuple[Delivery, Outcome]] = []
    for delivery, outcome in outcomes:
        subscription = _subscription(reader, delivery.subscription)
        again = tried_again(delivery, outcome, subscription, wall) if subscription is not None else None
        if isinstance(outcome, Answered) and outcome.is_taken:
            delivered.append(delivery)
        elif again is not None:
            postponed.append(again)
        else:
            dropped.append((delivery, outcome))
    return Told(delivered=delivered, postponed=postponed, dropped=dropped)


def _subscription(reader: Reader, key: str) -> Subscription | None:
    resource = reader.resource(key)
    return subscription_of(resource) if resource is not None else None
