"""Takes deliveries from the outbox and brings them to their webhooks, at least once each.

Each subscription with something to hear has a courier of its own for as long as there is more, so that an endpoint that
hangs holds up nobody else. A courier that dies with its process leaves what it held to the next one.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.delivering import Answered, Delivery, Unanswered
from forewarn.domain.draft import Change
from forewarn.domain.errors import Invalid
from forewarn.domain.subscriptions import Subscription
from forewarn.engine.engine import Engine
from forewarn.engine.outbox import Outbox, Outcome, Told
from forewarn.grid.calling import Unreachable, Webhooks
from forewarn.wire.eventgrid import CONTENT_TYPES, payload

log = logging.getLogger(__name__)

AT_A_TIME = 8
"""Calls under way to one endpoint."""

COURIERS = 64
GRACE = timedelta(seconds=30)
LOOK_AGAIN = 60.0
"""Seconds after which to look for leases that ran out."""

BACK_OFF = 1.0
"""Seconds to leave a failing store alone."""


@dataclass(slots=True)
class Tally:
    """Since the start."""

    delivered: int = 0
    postponed: int = 0
    dropped: int = 0


class Deliverer:
    def __init__(self, engine: Engine, webhooks: Webhooks, wall: Callable[[], datetime]) -> None:
        self.tally = Tally()
        self._outbox = Outbox(engine.store)
        self._webhooks = webhooks
        self._wall = wall
        self._lease = timedelta(seconds=webhooks.patience) + GRACE
        self._couriers: dict[str, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        engine.on_change(self._look)

    async def run(self) -> None:
        try:
            await self.start()
            while True:
                try:
                    moment = await self._send_out()
                except Exception:
                    log.exception("no delivery could be taken; trying again")
                    await asyncio.sleep(BACK_OFF)
                else:
                    await self._sleep_until(moment)
        finally:
            await self.stop()

    async def start(self) -> None:
        """Take over what a process held that is no more."""
        while True:
            try:
                await self._outbox.inherit()
                return
            except Exception:
                log.exception("the outbox could not be taken over; trying again")
                await asyncio.sleep(BACK_OFF)

    async def turn(self) -> None:
        """Everything that is due now, for who plays time."""
        while True:
            await self._send_out()
            if not self._couriers:
                return
            await asyncio.wait(self._couriers.values())

    async def stop(self) -> None:
        """Leave what is under way to whoever takes it over."""
        couriers = list(self._couriers.values())
        for courier in couriers:
            courier.cancel()
        await asyncio.gather(*couriers, return_exceptions=True)

    async def _send_out(self) -> datetime | None:
        """A courier for each subscription that waits and has none. When to look again, as far as that is known."""
        self._woken.clear()
        waiting, moment = await self._outbox.waiting(self._wall())
        for key in waiting:
            if key not in self._couriers and len(self._couriers) < COURIERS:
                courier = asyncio.create_task(self._serve(key), name=f"courier {key}")
                self._couriers[key] = courier
                courier.add_done_callback(lambda task, key=key: self._over(key, task))  # type: ignore[misc]
        return moment

    def _over(self, key: str, courier: "asyncio.Task[None]") -> None:
        self._couriers.pop(key, None)
        if not courier.cancelled() and (failure := courier.exception()) is not None:
            log.error("a courier has failed: %s", failure, exc_info=failure)
            asyncio.get_running_loop().call_later(BACK_OFF, self._woken.set)
        else:
            self._woken.set()

    async def _sleep_until(self, moment: datetime | None) -> None:
        pause = LOOK_AGAIN
        if moment is not None:
            pause = min(max((moment - self._wall()).total_seconds(), 0.0), LOOK_AGAIN)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._woken.wait()

    async def _serve(self, key: str) -> None:
        while True:
            subscription, batch = await self._outbox.lease(key, self._wall(), self._lease, AT_A_TIME)
            if not batch:
                return
            outcomes = await asyncio.gather(*(self._deliver(delivery, subscription) for delivery in batch))
            self._count(await self._outbox.report(list(zip(batch, outcomes, strict=True)), self._wall()))

    async def _deliver(self, delivery: Delivery, subscription: Subscription | None) -> Outcome:
        if subscription is None:
            return Unanswered("its subscription is gone")
        headers = {
            "Content-Type": CONTENT_TYPES[subscription.schema],
            "aeg-event-type": "Notification",
            "aeg-subscription-name": delivery.subscription.rpartition("/")[2].upper(),
            "aeg-delivery-count": str(delivery.attempts - 1),
        }
        try:
            body = payload(delivery.notice, subscription.schema)
            return Answered((await self._webhooks.call("POST", subscription.endpoint, headers, body)).status)
        except (Unreachable, Invalid) as error:
            return Unanswered(str(error))

    def _count(self, told: Told) -> None:
        self.tally.delivered += len(told.delivered)
        self.tally.postponed += len(told.postponed)
        self.tally.dropped += len(told.dropped)
        for delivery, outcome in told.dropped:
            notice = delivery.notice
            log.warning(
                "gave up telling %s of event %s (%s) after %d attempts: %s",
                delivery.subscription.rpartition("/")[2],
                notice.event.id,
                notice.status,
                delivery.attempts,
                outcome,
            )

    def _look(self, change: Change) -> None:
        if change.deliveries:
            self._woken.set()
