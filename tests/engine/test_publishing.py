"""What is told outside is told in the commit of the step it tells of."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Unavailable
from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.domain.subscriptions import EVENT_SUBSCRIPTION, Subscription, holding
from forewarn.engine.estate import Estate
from forewarn.engine.ports import Failed
from tests.engine.desk import ALICE, Desk, a_fleet, in_a_loop

WEB = Scope(id="web", kind=ScopeKind.AVAILABILITY_SET, policy=EventsPolicy(publish=True, publish_version="2019-08-01"))
EVERYTHING = f"/subscriptions/{'0' * 8}-0000-0000-0000-{'0' * 12}"


async def subscribe(desk: Desk, name: str = "hook", **changes: object) -> str:
    kept = Resource(id=f"{EVERYTHING}/providers/{EVENT_SUBSCRIPTION}/{name}", type=EVENT_SUBSCRIPTION, name=name)
    wanted = replace(Subscription(source=EVERYTHING, endpoint="https://example.com/"), **changes)
    await Estate(desk.engine).put(kept.key, lambda known: holding(kept, wanted))
    return kept.key


async def published(desk: Desk) -> list[Notice]:
    return list(await desk.store.read(lambda reader: reader.list_published()))


async def waiting(desk: Desk) -> list[tuple[str, str]]:
    """Subscription and status of every delivery, as they would be taken."""
    found: list[tuple[str, str]] = []
    for key in await desk.store.read(lambda reader: reader.subscriptions_waiting(desk.wall)):
        found += [(key.rpartition("/")[2], status) for status in await _taken(desk, key)]
    return found


async def _taken(desk: Desk, key: str) -> list[str]:
    leased = await desk.store.run(lambda tx: tx.lease_deliveries(key, desk.wall, desk.wall, 100))
    return [delivery.notice.status for delivery in leased]


@in_a_loop
async def test_a_step_is_told_to_each_subscription_that_wants_it() -> None:
    desk = await Desk.open([WEB])
    for name in ("one", "two"):
        await subscribe(desk, name)
    await subscribe(desk, "deaf", ends="/nothing")
    await desk.schedule("web_0")
    assert await waiting(desk) == [("one", "Scheduled"), ("two", "Scheduled")]
    (notice,) = await published(desk)
    assert notice.owner.endswith("/providers/Microsoft.Compute/availabilitySets/web")
    assert (notice.version, notice.at) == ("2019-08-01", desk.clock.now())


@in_a_loop
async def test_a_scope_that_does_not_publish_tells_nothing() -> None:
    desk = await Desk.open(["web"])
    await subscribe(desk)
    await desk.start("web_0")
    await desk.player.settle()
    assert (await waiting(desk), await published(desk)) == ([], [])


@in_a_loop
async def test_every_step_is_told_once_and_a_failure_as_completed() -> None:
    desk = await Desk.open([WEB])
    await subscribe(desk)
    desk.driver.tell("web_0", *[Failed("broken")] * 5)
    await desk.start("web_0")
    await desk.player.advance(timedelta(hours=1))
    assert sorted(status for _, status in await waiting(desk)) == ["Completed", "Scheduled", "Started"]
    assert [notice.event.phase for notice in await published(desk)] == [Phase.FAILED]


@in_a_loop
async def test_what_was_called_off_is_told() -> None:
    desk = await Desk.open([WEB])
    await subscribe(desk)
    operation = await desk.schedule("web_0")
    await desk.engine.cancel_event(str(operation.event), ALICE)
    assert sorted(status for _, status in await waiting(desk)) == ["Canceled", "Scheduled"]


@in_a_loop
async def test_an_event_that_lost_a_machine_looks_different_but_made_no_step() -> None:
    machines = [Machine(scope="web", name=f"web_{i}", host="one") for i in range(2)]
    desk = await Desk.open([WEB], machines)
    await subscribe(desk)
    await desk.schedule("web_0", "web_1")
    await desk.engine.load_fleet(a_fleet([WEB], machines[:1]), "second")
    assert [notice.event.resources for notice in await published(desk)] == [("web_0",)]
    assert await waiting(desk) == [("hook", "Scheduled")]


@in_a_loop
async def test_an_approval_that_starts_nothing_is_not_told() -> None:
    scope = replace(WEB, kind=ScopeKind.PLACEMENT_GROUP, scale_set="set")
    desk = await Desk.open([scope])
    await subscribe(desk)
    first, _ = [await desk.schedule(f"web_{i}", impact=EventType.TERMINATE) for i in range(2)]
    before = await published(desk)
    await desk.engine.approve_event(str(first.event), ALICE)
    assert await published(desk) == before
    assert [status for _, status in await waiting(desk)] == ["Scheduled", "Scheduled"]


@in_a_loop
async def test_the_end_of_the_last_machine_of_a_set_is_told_although_the_set_goes_with_it() -> None:
    machine = Machine(scope="vm", name="vm", terminate_notice=timedelta(minutes=5))
    scope = Scope(id="vm", kind=ScopeKind.STANDALONE, policy=EventsPolicy(publish=True), declared=False)
    desk = await Desk.open([scope], [machine])
    await subscribe(desk)
    resource = next(iter(await desk.store.read(lambda r: r.resources_of_machine("vm", "vm"))))
    job = await Estate(desk.engine).delete([resource.key], ALICE)
    await desk.player.advance(timedelta(minutes=5))
    assert await desk.store.read(lambda reader: reader.scope("vm")) is None
    assert [notice.status for notice in await published(desk)] == ["Completed"]
    assert sorted(status for _, status in await waiting(desk)) == ["Completed", "Scheduled", "Started"]
    ended = await Estate(desk.engine).job(job.id)
    assert ended is not None
    assert ended.ended_at is not None


@in_a_loop
async def test_a_command_that_fails_tells_nothing() -> None:
    desk = await Desk.open([WEB])
    await subscribe(desk)
    desk.store.failing = Unavailable("the disk is full")
    with pytest.raises(Unavailable):
        await desk.schedule("web_0")
    desk.store.failing = None
    assert (await waiting(desk), await published(desk)) == ([], [])
