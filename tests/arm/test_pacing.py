"""How soon clients that wait ask again."""

import pytest

from forewarn.arm.pacing import LATEST, TOGETHER, Pace


class Watch:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("soonest", "told"),
    [
        pytest.param(1.0, "1", id="a-second"),
        pytest.param(2.5, "2", id="in-whole-seconds"),
        pytest.param(0.2, "0.2", id="a-part-of-one"),
        pytest.param(0.0, "0.1", id="never-0-which-is-taken-for-half-a-minute"),
    ],
)
def test_whoever_waits_alone_asks_again_as_soon_as_may_be(soonest: float, told: str) -> None:
    watch = Watch()
    pace = Pace(soonest, watch)
    assert pace.first() == told
    for _ in range(3):
        assert pace.again() == told
        watch.now += float(told)


def test_few_ask_every_second() -> None:
    pace = Pace(1.0, Watch())
    assert {pace.again() for _ in range(TOGETHER)} == {"1"}


@pytest.mark.parametrize("waiting", [30, 100])
def test_many_ask_together_no_more_than_so_often(waiting: int) -> None:
    watch = Watch()
    pace = Pace(1.0, watch)
    due = [watch.now] * waiting
    asked = 0
    while watch.now < 1100.0:
        watch.now = min(due)
        due[due.index(watch.now)] += float(pace.again())
        asked += watch.now >= 1040.0
    assert 0.9 * TOGETHER <= asked / 60 <= 1.1 * TOGETHER


def test_however_many_wait_nobody_does_for_too_long() -> None:
    pace = Pace(1.0, Watch())
    assert [pace.again() for _ in range(2000)][-1] == f"{LATEST:.0f}"


def test_whoever_begins_something_is_not_held_up_by_those_who_wait() -> None:
    pace = Pace(1.0, Watch())
    for _ in range(100):
        pace.again()
    assert pace.first() == "1"


def test_those_who_have_gone_are_not_waited_for() -> None:
    watch = Watch()
    pace = Pace(1.0, watch)
    for _ in range(100):
        pace.again()
    watch.now += LATEST
    assert pace.again() == "1"
