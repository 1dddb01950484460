"""The simulated driver: how far an impact is follows from when it began."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.events import Action, EventType, Source
from forewarn.drivers.simulated import DURATIONS, SimulatedDriver
from forewarn.engine.ports import Done, Failed, Running

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
ACTION = Action(
    operation="OP",
    machine="web_0",
    scope="web",
    event="EV",
    impact=EventType.REBOOT,
    source=Source.USER,
    started_at=NOON,
    due=NOON,
)


def perform(driver: SimulatedDriver, action: Action, now: datetime) -> Done | Running | Failed:
    return asyncio.run(driver.perform(action, now))


@pytest.mark.parametrize("impact", EventType)
def test_an_impact_runs_for_its_time_and_is_then_done(impact: EventType) -> None:
    driver = SimulatedDriver()
    action = replace(ACTION, impact=impact)
    over = NOON + DURATIONS[impact]
    assert perform(driver, action, NOON) == Running(over)
    assert perform(driver, action, over - timedelta(microseconds=1)) == Running(over)
    assert perform(driver, action, over) == Done()


def test_durations_can_be_set() -> None:
    driver = SimulatedDriver({EventType.REBOOT: timedelta(seconds=2)})
    assert perform(driver, ACTION, NOON) == Running(NOON + timedelta(seconds=2))


@pytest.mark.parametrize(("announced", "seconds"), [(0, 0), (30, 30), (-1, 9)])
def test_a_freeze_lasts_as_long_as_was_announced(announced: int, seconds: int) -> None:
    action = replace(ACTION, impact=EventType.FREEZE, duration=announced)
    assert perform(SimulatedDriver(), action, NOON + timedelta(seconds=seconds)) == Done()


def test_a_freeze_lasts_as_long_as_was_set_whatever_was_announced() -> None:
    driver = SimulatedDriver({EventType.FREEZE: timedelta(seconds=1)})
    action = replace(ACTION, impact=EventType.FREEZE, duration=9)
    assert perform(driver, action, NOON) == Running(NOON + timedelta(seconds=1))


def test_it_fails_as_often_as_it_is_told_to() -> None:
    driver = SimulatedDriver()
    driver.fail_next("web", "web_0", times=2)
    later = NOON + timedelta(hours=1)
    outcomes = [type(perform(driver, ACTION, later)) for _ in range(3)]
    assert outcomes == [Failed, Failed, Done]
