"""The fleet's clock: real, standing still until somebody moves it, or faster than life."""

import asyncio
from datetime import datetime, timedelta

import pytest

from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.rates import FASTEST
from forewarn.engine.clock import ClockState, FleetClock
from tests.engine.desk import NOON, idle, in_a_loop, minutes

SECOND = timedelta(seconds=1)


class Wall:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def manual(wall: Wall) -> FleetClock:
    return FleetClock(wall, ClockState(wall=wall(), fleet=NOON, rate=0))


@in_a_loop
async def test_a_real_clock_shows_the_wall_and_refuses_to_be_moved() -> None:
    wall = Wall()
    clock = FleetClock(wall)
    wall.now += minutes(5)
    assert (clock.is_real, clock.rate, clock.now()) == (True, 1.0, NOON + minutes(5))
    with pytest.raises(Conflict, match="--clock manual"):
        clock.moved(minutes(1))
    with pytest.raises(Conflict, match="--clock manual"):
        clock.paced(60)


@in_a_loop
async def test_a_manual_clock_stands_still_until_it_is_set() -> None:
    wall = Wall()
    clock = manual(wall)
    wall.now += minutes(5)
    assert clock.now() == NOON
    clock.set(clock.moved(minutes(15)))
    assert clock.now() == NOON + minutes(15)
    wall.now += minutes(5)
    assert clock.now() == NOON + minutes(15)


@in_a_loop
async def test_at_sixty_times_a_second_is_a_minute() -> None:
    wall = Wall()
    clock = FleetClock(wall, ClockState(wall=wall(), fleet=NOON, rate=60))
    wall.now += SECOND
    assert clock.now() == NOON + minutes(1)


@in_a_loop
async def test_another_rate_goes_on_from_where_the_clock_is() -> None:
    wall = Wall()
    clock = FleetClock(wall, ClockState(wall=wall(), fleet=NOON, rate=60))
    wall.now += SECOND
    clock.set(clock.paced(2))
    assert clock.now() == NOON + minutes(1)
    wall.now += SECOND
    assert clock.now() == NOON + minutes(1) + 2 * SECOND


@pytest.mark.parametrize("delta", [-SECOND, timedelta.min])
@in_a_loop
async def test_time_does_not_go_back(delta: timedelta) -> None:
    with pytest.raises(Invalid, match="does not go back"):
        manual(Wall()).moved(delta)


@in_a_loop
async def test_nor_beyond_the_calendar() -> None:
    with pytest.raises(Invalid, match="calendar"):
        manual(Wall()).moved(timedelta.max)


@pytest.mark.parametrize("rate", [-1.0, FASTEST + 1, float("inf"), float("nan")])
@in_a_loop
async def test_a_rate_that_makes_no_sense_is_refused(rate: float) -> None:
    with pytest.raises(Invalid, match="rate"):
        manual(Wall()).paced(rate)


@in_a_loop
async def test_step_to_never_goes_back_either() -> None:
    clock = manual(Wall())
    clock.step_to(NOON - minutes(1))
    assert clock.now() == NOON
    clock.step_to(NOON + minutes(1))
    assert clock.now() == NOON + minutes(1)


@in_a_loop
async def test_waiting_for_what_has_come_is_over_at_once() -> None:
    clock = manual(Wall())
    await clock.wait_until(NOON)
    await clock.wait_until(NOON - minutes(1))


@pytest.mark.parametrize("moment", [NOON + minutes(15), None], ids=["a-moment", "never"])
@in_a_loop
async def test_waiting_returns_when_somebody_sets_the_clock_so_that_the_waiter_looks_again(
    moment: datetime | None,
) -> None:
    clock = manual(Wall())
    waiter = asyncio.create_task(clock.wait_until(moment))
    await idle()
    assert not waiter.done()
    clock.set(clock.moved(minutes(1)))
    await waiter


@in_a_loop
async def test_many_wait_and_all_are_woken() -> None:
    clock = manual(Wall())
    waiters = [asyncio.create_task(clock.wait_until(NOON + minutes(i + 1))) for i in range(100)]
    await idle()
    clock.set(clock.moved(minutes(1)))
    await asyncio.gather(*waiters)


@in_a_loop
async def test_a_fast_clock_waits_by_its_own_pace() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()

    def wall() -> datetime:
        return NOON + timedelta(seconds=loop.time() - began)

    clock = FleetClock(wall, ClockState(wall=NOON, fleet=NOON, rate=FASTEST))
    await clock.wait_until(NOON + minutes(15))
    assert clock.now() >= NOON + minutes(15)


@pytest.mark.parametrize("turns", range(5))
@in_a_loop
async def test_a_waiter_that_is_cancelled_just_as_the_clock_is_set_is_cancelled(turns: int) -> None:
    """Or a process that should end would wait for ever on somebody who has missed it."""
    clock = manual(Wall())

    async def until_later() -> None:
        while clock.now() < NOON + minutes(60):
            await clock.wait_until(NOON + minutes(60))

    waiter = asyncio.create_task(until_later())
    await idle()
    clock.set(clock.moved(minutes(1)))
    for _ in range(turns):
        await asyncio.sleep(0)
    waiter.cancel()
    await idle()
    assert waiter.cancelled()
