"""The webhooks' outbox: leases, and reports that count only for who holds one."""

from datetime import timedelta

from forewarn.domain.delivering import Answered, Unanswered
from forewarn.engine.outbox import Outbox
from forewarn.testing.builders import a_delivery
from forewarn.testing.store_checks.tools import save
from tests.engine.desk import Desk, in_a_loop
from tests.engine.test_publishing import WEB, subscribe

MINUTE = timedelta(minutes=1)


@in_a_loop
async def test_a_report_under_an_old_fence_is_not_heard() -> None:
    desk = await Desk.open([WEB])
    key = await subscribe(desk)
    outbox = Outbox(desk.store)
    await save(desk.store, deliveries=(a_delivery("A", key),))
    _, (first,) = await outbox.lease(key, desk.wall, MINUTE, 1)
    later = desk.wall + MINUTE
    _, (second,) = await outbox.lease(key, later, MINUTE, 1)
    told = await outbox.report([(first, Unanswered("too late"))], later)
    assert (told.delivered, told.postponed, told.dropped) == ([], [], [])
    told = await outbox.report([(second, Answered(200))], later)
    assert told.delivered == [second]
    assert await desk.store.read(lambda reader: reader.delivery(*second.key)) is None


@in_a_loop
async def test_what_nobody_listens_to_any_more_is_dropped() -> None:
    desk = await Desk.open([WEB])
    outbox = Outbox(desk.store)
    await save(desk.store, deliveries=(a_delivery("A", "gone"),))
    assert await outbox.waiting(desk.wall) == (["gone"], None)
    subscription, (delivery,) = await outbox.lease("gone", desk.wall, MINUTE, 1)
    assert subscription is None
    told = await outbox.report([(delivery, Unanswered("its subscription is gone"))], desk.wall)
    assert [dropped for dropped, _ in told.dropped] == [delivery]
    assert await outbox.waiting(desk.wall) == ([], None)
