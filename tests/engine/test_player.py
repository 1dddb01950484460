"""Playing time: an advance visits every moment on its way, so that each thing happens at its own time."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from forewarn.domain.campaigns import Campaign
from forewarn.domain.errors import Conflict, Invalid, Unavailable
from forewarn.domain.events import Action, EventType, Phase
from forewarn.drivers.simulated import SimulatedDriver
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.player import CLOCK_NOTE, Player, clock_state
from forewarn.engine.ports import Running
from forewarn.engine.worker import Worker
from tests.engine.desk import ALICE, NOON, Desk, in_a_loop, minutes

HOUR = timedelta(hours=1)


def with_simulated_driver(desk: Desk) -> Desk:
    desk.worker = Worker(desk.engine, SimulatedDriver(), lambda: desk.wall)
    desk.player = Player(desk.engine, desk.clock, desk.ticker, desk.worker)
    return desk


@in_a_loop
async def test_an_event_starts_at_exactly_its_not_before_and_ends_at_its_own_time() -> None:
    desk = with_simulated_driver(await Desk.open())
    operation = await desk.schedule("web_0")
    assert await desk.player.advance(HOUR) == NOON + HOUR
    event = await desk.event(operation)
    assert event.phase is Phase.COMPLETED
    assert event.not_before == event.started_at == NOON + minutes(15)
    assert event.ended_at == NOON + minutes(16)


@in_a_loop
async def test_moments_come_in_order_over_all_scopes() -> None:
    desk = with_simulated_driver(await Desk.open(["a", "b", "c"], 1))
    notices = {"a_0": 40, "b_0": 20, "c_0": 30}
    for name, notice in notices.items():
        await desk.schedule(name, notice=minutes(notice))
    await desk.player.advance(HOUR)
    entries = await desk.store.read(lambda r: r.history(after=6))
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    started = [(entry.scope, entry.at - NOON) for entry in entries if entry.after == "Started"]
    assert started == [("b", minutes(20)), ("c", minutes(30)), ("a", minutes(40))]


@in_a_loop
async def test_a_whole_campaign_happens_in_one_advance() -> None:
    desk = with_simulated_driver(await Desk.open())
    await desk.engine.begin_campaign(
        Campaign(id="C", impact=EventType.REBOOT, scopes=("web",), requested_by=ALICE, requested_at=NOON)
    )
    await desk.player.advance(timedelta(hours=3))
    events = await desk.store.read(lambda r: r.list_events(live=False))
    starts = sorted(event.started_at - NOON for event in events if event.started_at)
    assert starts == [minutes(15), minutes(15 + 1 + 30 + 15), minutes(2 * (15 + 1 + 30) + 15)]


@in_a_loop
async def test_what_is_due_just_after_the_target_is_left() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    await desk.player.advance(minutes(15) - timedelta(microseconds=1))
    assert await desk.phase(operation) is Phase.SCHEDULED
    await desk.player.advance(timedelta(microseconds=1))
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_an_advance_of_nothing_does_what_is_due() -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    assert await desk.player.advance(timedelta(0)) == NOON
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_a_day_without_a_request_is_played_too() -> None:
    desk = await Desk.open()
    await desk.player.advance(timedelta(hours=30))
    entries = await desk.store.read(lambda r: r.history())
    assert (entries[-1].what.value, entries[-1].at) == ("disenrolled", NOON + timedelta(hours=24))


@in_a_loop
async def test_time_goes_on_to_the_next_moment_and_no_further() -> None:
    desk = with_simulated_driver(await Desk.open())
    operation = await desk.schedule("web_0")
    assert await desk.player.advance_to_next() == NOON + minutes(15)
    assert await desk.phase(operation) is Phase.STARTED
    assert await desk.player.advance_to_next() == NOON + minutes(16)
    assert await desk.phase(operation) is Phase.COMPLETED


@in_a_loop
async def test_two_who_want_the_next_moment_get_one_each() -> None:
    desk = with_simulated_driver(await Desk.open())
    await desk.schedule("web_0")
    first, second = await asyncio.gather(desk.player.advance_to_next(), desk.player.advance_to_next())
    assert (first, second) == (NOON + minutes(15), NOON + minutes(16))


@pytest.mark.parametrize("delta", [minutes(-1), timedelta.max], ids=["back", "beyond"])
@in_a_loop
async def test_a_delta_that_makes_no_sense_is_refused_and_nothing_moves(delta: timedelta) -> None:
    desk = await Desk.open()
    with pytest.raises(Invalid):
        await desk.player.advance(delta)
    assert desk.clock.now() == NOON


@in_a_loop
async def test_a_real_clock_is_not_played() -> None:
    desk = await Desk.open()
    clock = FleetClock(lambda: desk.wall)
    player = Player(desk.engine, clock, desk.ticker, desk.worker)
    with pytest.raises(Conflict):
        await player.advance(minutes(1))
    with pytest.raises(Conflict, match="real clock"):
        await player.advance_to_next()
    with pytest.raises(Conflict):
        await player.set_rate(60)


@in_a_loop
async def test_where_the_clock_went_survives_the_process() -> None:
    desk = await Desk.open()
    await desk.player.advance(minutes(5))
    await desk.player.set_rate(60)
    text = await desk.store.read(lambda r: r.note(CLOCK_NOTE))
    assert text is not None
    assert msgspec.json.decode(text, type=ClockState) == ClockState(wall=NOON, fleet=NOON + minutes(5), rate=60)


@in_a_loop
async def test_after_a_restart_time_goes_on_from_where_it_was() -> None:
    desk = await Desk.open()
    await desk.player.advance(HOUR)
    state = await clock_state(desk.store, 0.0, lambda: desk.wall)
    assert state is not None
    assert state.fleet == NOON + HOUR
    with pytest.raises(Conflict, match="time does not go back"):
        await clock_state(desk.store, None, lambda: desk.wall)
    desk.wall += HOUR
    assert await clock_state(desk.store, None, lambda: desk.wall) is None


@in_a_loop
async def test_a_wall_clock_that_was_set_back_meanwhile_does_not_take_fleet_time_with_it() -> None:
    desk = await Desk.open()
    await desk.player.set_rate(60)
    await desk.player.advance(HOUR)
    desk.wall -= minutes(10)
    state = await clock_state(desk.store, 60.0, lambda: desk.wall)
    assert state is not None
    assert state.fleet == NOON + HOUR


@in_a_loop
async def test_two_advances_at_once_add_up() -> None:
    desk = await Desk.open()
    ends = await asyncio.gather(desk.player.advance(minutes(5)), desk.player.advance(minutes(10)))
    assert max(ends) == desk.clock.now() == NOON + minutes(15)
    text = await desk.store.read(lambda r: r.note(CLOCK_NOTE))
    assert msgspec.json.decode(text or "", type=ClockState).fleet == NOON + minutes(15)


@in_a_loop
async def test_a_failing_store_ends_the_advance_with_its_error() -> None:
    desk = await Desk.open()
    await desk.schedule("web_0")

    async def broken(scope: str) -> None:
        raise Unavailable("The disk is full.")

    desk.engine.tick = broken  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await desk.player.advance(HOUR)


@in_a_loop
async def test_the_clock_never_runs_past_the_target_of_an_advance() -> None:
    desk = await Desk.open()
    seen: list[timedelta] = []

    class Watching(SimulatedDriver):
        async def perform(self, action: Action, now):  # type: ignore[no-untyped-def]
            seen.append(now - NOON)
            return Running(now + minutes(7))

    desk.worker = Worker(desk.engine, Watching(), lambda: desk.wall)
    desk.player = Player(desk.engine, desk.clock, desk.ticker, desk.worker)
    await desk.schedule("web_0")
    await desk.player.advance(minutes(30))
    assert seen == [minutes(15), minutes(22), minutes(29)]
    assert desk.clock.now() == NOON + minutes(30)
