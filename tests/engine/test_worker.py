"""The worker: leases, fences, retries, and an end to every action."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from forewarn.domain.errors import Unavailable
from forewarn.domain.events import Action, EventType, OperationState, Phase
from forewarn.domain.settings import Settings
from forewarn.engine import waiting
from forewarn.engine.ports import Done, Failed, Running
from forewarn.engine.worker import GRACE
from tests.engine.desk import ALICE, NOON, Desk, idle, in_a_loop, minutes

SECOND = timedelta(seconds=1)


async def action_of(desk: Desk, operation: str, machine: str = "web_0") -> Action | None:
    return await desk.store.read(lambda r: r.action(operation, machine))


async def stop(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@in_a_loop
async def test_what_is_done_ends_the_event_and_the_operation() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    assert await desk.worker.turn()
    assert await desk.phase(operation) is Phase.COMPLETED
    assert (await desk.operation(operation)).state is OperationState.SUCCEEDED
    assert await action_of(desk, operation.id) is None
    assert not await desk.worker.turn()


@in_a_loop
async def test_the_driver_is_told_who_what_and_under_which_fence() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0", impact=EventType.FREEZE)
    await desk.worker.turn()
    (asked,) = desk.driver.asked
    assert (asked.operation, asked.machine, asked.impact) == (operation.id, "web_0", EventType.FREEZE)
    assert (asked.fence, asked.attempts, asked.duration, asked.started_at) == (1, 1, 9, NOON)


@in_a_loop
async def test_what_is_under_way_is_asked_for_again_when_it_should_be_over() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    desk.driver.tell("web_0", Running(NOON + minutes(2)))
    await desk.worker.turn()
    assert await desk.phase(operation) is Phase.STARTED
    assert await desk.worker.next_moment() == NOON + minutes(2)
    assert not await desk.worker.turn()
    desk.clock.step_to(NOON + minutes(2))
    await desk.worker.turn()
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_a_driver_that_takes_its_time_does_not_use_up_its_attempts() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    desk.driver.tell("web_0", *(Running(NOON + minutes(i)) for i in range(1, 20)))
    await desk.player.advance(minutes(20))
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_a_failure_is_tried_again_ever_later() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    desk.driver.tell("web_0", *[Failed("no")] * 4)
    waits = []
    for _ in range(4):
        await desk.worker.turn()
        due = await desk.worker.next_moment()
        assert due is not None
        waits.append((due - desk.clock.now()) // SECOND)
        assert not await desk.worker.turn(), "not before its time"
        desk.clock.step_to(due)
    assert waits == [2, 4, 8, 16]
    await desk.worker.turn()
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_after_the_last_attempt_the_operation_has_failed_and_the_event_is_gone() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    desk.driver.tell("web_0", *[Failed("no such host")] * 5)
    await desk.player.advance(minutes(1))
    ended = await desk.operation(operation)
    assert (ended.state, ended.message) == (OperationState.FAILED, "web_0: no such host")
    assert await desk.phase(operation) is Phase.FAILED
    assert (await desk.scope()).document.announcements == ()
    assert desk.driver.calls("web_0") == 5
    assert await action_of(desk, operation.id) is None


@in_a_loop
async def test_a_driver_that_raises_has_failed() -> None:
    desk = await Desk.open(settings=Settings(driver_attempts=1))
    operation = await desk.start("web_0")
    desk.driver.tell("web_0", ValueError("broken"))
    await desk.worker.turn()
    assert (await desk.operation(operation)).message == "web_0: the driver failed: broken"


@in_a_loop
async def test_a_driver_that_does_not_answer_in_time_has_failed() -> None:
    desk = await Desk.open(settings=Settings(driver_attempts=1))
    desk.driver.time_limit = 0.01
    desk.driver.hold("web_0")
    operation = await desk.start("web_0")
    await desk.worker.turn()
    assert (await desk.operation(operation)).message == "web_0: the driver gave no answer within 0.01 s"


@in_a_loop
async def test_one_machine_of_an_event_may_fail_while_the_others_succeed() -> None:
    desk = await Desk.open(settings=Settings(driver_attempts=1))
    desk.driver.tell("web_1", Failed("no"))
    operations = [await desk.start(name) for name in ("web_0", "web_1", "web_2")]
    await desk.worker.turn()
    states = [(await desk.operation(operation)).state for operation in operations]
    assert states == [OperationState.SUCCEEDED, OperationState.FAILED, OperationState.SUCCEEDED]


# Leases and fences


async def leased(desk: Desk) -> Action:
    (action,) = await desk.engine.lease(desk.wall, desk.wall, minutes(1), 10)
    return action


@in_a_loop
async def test_what_somebody_holds_nobody_else_takes_until_the_lease_has_run_out() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    await leased(desk)
    other = desk.new_worker(alone=False)
    assert not await other.turn()
    desk.wall += minutes(1)
    assert await other.turn()
    assert await desk.phase(operation) is Phase.COMPLETED


@pytest.mark.parametrize("late", [Done(), Running(NOON + minutes(9)), Failed("no")], ids=["done", "running", "failed"])
@in_a_loop
async def test_a_report_under_an_old_fence_changes_nothing(late: Done | Running | Failed) -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    old = await leased(desk)
    desk.wall += minutes(1)
    new = await leased(desk)
    assert new.fence > old.fence
    before, told = await desk.scope(), len(await desk.store.read(lambda r: r.history()))
    await desk.engine.report(old, late)
    assert await desk.scope() == before
    assert len(await desk.store.read(lambda r: r.history())) == told
    assert await action_of(desk, operation.id) == new
    await desk.engine.report(new, Done())
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_a_report_after_the_end_changes_nothing() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    action = await leased(desk)
    await desk.engine.report(action, Done())
    before = await desk.operation(operation)
    await desk.engine.report(action, Failed("late"))
    assert await desk.operation(operation) == before


@in_a_loop
async def test_a_report_after_the_lease_but_before_anybody_else_came_still_counts() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    action = await leased(desk)
    desk.wall += minutes(5)
    await desk.engine.report(action, Done())
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_alone_it_takes_over_what_a_dead_process_held() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    await leased(desk)
    assert await desk.new_worker(alone=True).turn()
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_alone_it_takes_over_more_than_it_takes_at_a_time_and_each_once() -> None:
    desk = await Desk.open([f"s{i:03}" for i in range(150)], 1)
    for i in range(150):
        await desk.start(f"s{i:03}_0")
    await desk.engine.lease(desk.wall, desk.wall, minutes(60), 1000)
    await desk.new_worker(alone=True).turn()
    assert len(desk.driver.asked) == 150
    assert {action.fence for action in desk.driver.asked} == {2}


@in_a_loop
async def test_a_lease_outlasts_the_drivers_time_limit() -> None:
    desk = await Desk.open()
    await desk.start("web_0")
    held = desk.driver.hold("web_0")
    turn = asyncio.create_task(desk.worker.turn())
    await idle()
    desk.wall += timedelta(seconds=desk.driver.time_limit) + GRACE - SECOND
    assert not await desk.new_worker(alone=False).turn()
    held.set()
    await turn
    assert desk.driver.calls("web_0") == 1


@in_a_loop
async def test_a_slow_driver_does_not_hold_up_what_comes_later() -> None:
    desk = await Desk.open(["slow", "web"])
    held = desk.driver.hold("slow_0")
    await desk.start("slow_0")
    task = asyncio.create_task(desk.worker.run())
    await idle()
    assert desk.driver.calls("slow_0") == 1
    operation = await desk.start("web_0")
    await idle()
    assert await desk.phase(operation) is Phase.COMPLETED
    held.set()
    await stop(task)


@in_a_loop
async def test_it_has_only_so_many_actions_under_way() -> None:
    desk = await Desk.open([f"s{i:03}" for i in range(100)], 1)
    gates = [desk.driver.hold(f"s{i:03}_0") for i in range(100)]
    for i in range(100):
        await desk.start(f"s{i:03}_0")
    task = asyncio.create_task(desk.worker.run())
    await idle()
    assert len(desk.driver.asked) == 64
    for gate in gates:
        gate.set()
    for _ in range(10):
        await idle()
    assert len(desk.driver.asked) == 100
    assert await desk.store.read(lambda r: r.list_events()) == []
    await stop(task)


@in_a_loop
async def test_a_turn_waits_for_what_is_already_under_way() -> None:
    desk = await Desk.open()
    held = desk.driver.hold("web_0")
    operation = await desk.start("web_0")
    task = asyncio.create_task(desk.worker.run())
    await idle()
    turn = asyncio.create_task(desk.worker.turn())
    await idle()
    assert not turn.done()
    held.set()
    assert await turn
    assert await desk.phase(operation) is Phase.COMPLETED
    assert desk.driver.calls("web_0") == 1
    await stop(task)


@in_a_loop
async def test_stopped_it_leaves_no_driver_call_behind() -> None:
    desk = await Desk.open()
    desk.driver.hold("web_0")
    operation = await desk.start("web_0")
    task = asyncio.create_task(desk.worker.run())
    await idle()
    await stop(task)
    assert len(asyncio.all_tasks()) == 1
    action = await action_of(desk, operation.id)
    assert action is not None
    assert action.fence == 1


@in_a_loop
async def test_it_sleeps_until_the_next_attempt_and_not_needlessly() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    desk.driver.tell("web_0", Running(NOON + minutes(2)))
    task = asyncio.create_task(desk.worker.run())
    await idle()
    asked = desk.store.runs
    await desk.engine.enrol("web", ALICE)
    await idle()
    assert desk.store.runs == asked + 1, "only the command itself"
    desk.clock.step_to(NOON + minutes(2))
    await idle()
    assert await desk.phase(operation) is Phase.COMPLETED
    await stop(task)


@in_a_loop
async def test_a_store_that_fails_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "BACK_OFF", 0.0)
    desk = await Desk.open()
    operation = await desk.start("web_0")
    desk.store.failing = Unavailable("The disk is full.")
    task = asyncio.create_task(desk.worker.run())
    await idle()
    assert not task.done()
    desk.store.failing = None
    await idle()
    assert await desk.phase(operation) is Phase.COMPLETED
    await stop(task)


@in_a_loop
async def test_a_report_that_cannot_be_saved_is_told_to_who_waits_and_made_up_for_after_the_lease() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    held = desk.driver.hold("web_0")
    turn = asyncio.create_task(desk.worker.turn())
    await idle()
    desk.store.failing = Unavailable("The disk is full.")
    held.set()
    with pytest.raises(Unavailable):
        await turn
    desk.store.failing = None
    desk.wall += minutes(5)
    await desk.worker.turn()
    assert await desk.phase(operation) is Phase.COMPLETED
