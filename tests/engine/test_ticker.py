"""The ticker sleeps until the next moment that matters, and its cost is by what is due."""

import asyncio
from contextlib import suppress

import pytest

from forewarn.domain.errors import Unavailable
from forewarn.domain.events import EventType, Phase
from forewarn.engine import waiting
from forewarn.engine.ports import News
from forewarn.engine.ticker import Ticker
from tests.engine.desk import ALICE, NOON, Desk, idle, in_a_loop, minutes


async def running(desk: Desk) -> "asyncio.Task[None]":
    task = asyncio.create_task(desk.ticker.run())
    await idle()
    return task


async def stop(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@in_a_loop
async def test_at_not_before_it_starts_what_waits() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    task = await running(desk)
    desk.clock.step_to(NOON + minutes(15))
    await idle()
    assert await desk.phase(operation) is Phase.STARTED
    await stop(task)


@in_a_loop
async def test_while_nothing_is_due_it_asks_for_nothing() -> None:
    desk = await Desk.open()
    await desk.schedule("web_0")
    task = await running(desk)
    asked = desk.store.reads
    await idle()
    assert desk.store.reads == asked
    await stop(task)


@in_a_loop
async def test_what_is_due_later_than_it_sleeps_does_not_wake_it() -> None:
    desk = await Desk.open()
    await desk.schedule("web_0")
    task = await running(desk)
    await desk.schedule("web_1", notice=minutes(60))
    asked = desk.store.reads
    await desk.schedule("web_2", notice=minutes(60))
    await idle()
    assert desk.store.reads == asked
    await stop(task)


@in_a_loop
async def test_what_is_due_earlier_does() -> None:
    desk = await Desk.open()
    await desk.schedule("web_0", notice=minutes(60))
    task = await running(desk)
    earlier = await desk.schedule("web_1", impact=EventType.REDEPLOY)
    await idle()
    desk.clock.step_to(NOON + minutes(10))
    await idle()
    assert await desk.phase(earlier) is Phase.STARTED
    await stop(task)


@in_a_loop
async def test_with_nothing_to_wait_for_it_still_wakes_for_the_first_thing() -> None:
    desk = await Desk.open(enrolled=False)
    task = await running(desk)
    operation = await desk.schedule("web_0")
    await idle()
    desk.clock.step_to(NOON + minutes(15))
    await idle()
    assert await desk.phase(operation) is Phase.STARTED
    await stop(task)


@in_a_loop
async def test_its_cost_is_by_what_is_due_and_not_by_the_fleet() -> None:
    desk = await Desk.open([f"s{i:03}" for i in range(300)], 1)
    for i in range(300):
        await desk.schedule(f"s{i:03}_0", notice=minutes(60))
    due = await desk.schedule("s007_0", impact=EventType.REDEPLOY)
    desk.clock.step_to(NOON + minutes(10))
    runs, reads = desk.store.runs, desk.store.reads
    assert await desk.ticker.turn()
    assert (desk.store.runs - runs, desk.store.reads - reads) == (1, 2)
    assert await desk.phase(due) is Phase.STARTED


@in_a_loop
async def test_it_is_woken_even_if_telling_the_others_fails() -> None:
    class Lost(Exception):
        pass

    def lose(news: News) -> None:
        raise Lost

    desk = await Desk.open()
    task = await running(desk)
    reads = desk.store.reads
    desk.feed.publish = lose  # type: ignore[method-assign]
    with pytest.raises(Lost):
        await desk.schedule("web_0")
    await idle()
    assert desk.store.reads > reads, "it has looked when the event is due"
    await stop(task)


@in_a_loop
async def test_a_turn_with_nothing_due_says_so() -> None:
    desk = await Desk.open()
    assert not await desk.ticker.turn()
    await desk.schedule("web_0")
    assert not await desk.ticker.turn()


@in_a_loop
async def test_more_than_it_takes_at_a_time_is_done_in_one_turn() -> None:
    desk = await Desk.open([f"s{i:03}" for i in range(300)], 1)
    for i in range(300):
        await desk.schedule(f"s{i:03}_0")
    desk.clock.step_to(NOON + minutes(15))
    await desk.ticker.turn()
    live = await desk.store.read(lambda r: r.list_events())
    assert {event.phase for event in live} == {Phase.STARTED}


@in_a_loop
async def test_a_store_that_fails_is_left_alone_for_a_moment_and_then_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "BACK_OFF", 0.0)
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    task = await running(desk)
    desk.store.failing = Unavailable("The disk is full.")
    desk.clock.step_to(NOON + minutes(15))
    await idle()
    assert not task.done()
    desk.store.failing = None
    await idle()
    assert await desk.phase(operation) is Phase.STARTED
    await stop(task)


@in_a_loop
async def test_a_turn_tells_its_caller_that_the_store_failed() -> None:
    desk = await Desk.open()
    await desk.schedule("web_0")
    desk.clock.step_to(NOON + minutes(15))
    desk.store.failing = Unavailable("The disk is full.")
    with pytest.raises(Unavailable):
        await desk.ticker.turn()


@in_a_loop
async def test_one_scope_that_cannot_move_on_does_not_hold_up_the_others() -> None:
    desk = await Desk.open(["bad", "good"], 1)
    good, bad = await desk.schedule("good_0"), await desk.schedule("bad_0")
    tick = desk.engine.tick

    async def broken(scope: str) -> None:
        if scope == "bad":
            raise RuntimeError("a bug")
        await tick(scope)

    desk.engine.tick = broken  # type: ignore[method-assign]
    desk.clock.step_to(NOON + minutes(15))
    with pytest.raises(RuntimeError, match="a bug"):
        await desk.ticker.turn()
    assert (await desk.phase(good), await desk.phase(bad)) == (Phase.STARTED, Phase.SCHEDULED)


@in_a_loop
async def test_who_was_seen_keeps_the_scope_enrolled_without_waking_anybody() -> None:
    desk = await Desk.open()
    task = await running(desk)
    asked = desk.store.reads
    desk.clock.step_to(NOON + minutes(60))
    await idle()
    await desk.engine.mark_seen({"web": NOON + minutes(60), "unknown": NOON})
    await idle()
    assert desk.store.reads <= asked + 2, "only because the clock was set"
    assert (await desk.scope()).last_seen == NOON + minutes(60)
    assert await desk.ticker.next_moment() == NOON + minutes(60 * 25)
    await stop(task)


@in_a_loop
async def test_an_enrolment_by_somebody_is_told_in_the_history() -> None:
    desk = await Desk.open(enrolled=False)
    await desk.engine.enrol("web", ALICE)
    entries = await desk.store.read(lambda r: r.history())
    assert [str(entry.who) for entry in entries] == ["user:alice"]


@in_a_loop
async def test_who_asked_since_the_last_batch_keeps_the_scope_enrolled() -> None:
    desk = await Desk.open()
    asked = {"web": NOON + minutes(60 * 23)}
    desk.engine = desk.new_engine(heard=asked.get)
    ticker = Ticker(desk.engine)
    desk.clock.step_to(NOON + minutes(60 * 25))
    await ticker.turn()
    assert (await desk.scope()).is_enrolled
    assert await ticker.next_moment() == NOON + minutes(60 * 47)
    desk.clock.step_to(NOON + minutes(60 * 47))
    await ticker.turn()
    assert not (await desk.scope()).is_enrolled
