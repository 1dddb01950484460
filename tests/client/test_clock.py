"""The server's time, between its answers."""

from datetime import UTC, datetime, timedelta

from forewarn.client import ServerClock
from tests.client.acting import Pace

WRONG = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def test_the_date_of_the_latest_answer_goes_on() -> None:
    pace = Pace()
    clock = ServerClock(pace.monotonic, lambda: WRONG)
    clock.hear(NOON)
    pace.now += 90
    assert clock.now() == NOON + timedelta(seconds=90)
    assert clock.left(NOON + timedelta(seconds=100)) == timedelta(seconds=10)
    assert clock.left(NOON) == timedelta(seconds=-90)


def test_a_clock_that_was_moved_is_followed_in_both_directions() -> None:
    clock = ServerClock(Pace().monotonic, lambda: WRONG)
    for date in (NOON, NOON + timedelta(days=1), NOON):
        clock.hear(date)
        assert clock.now() == date


def test_an_answer_without_a_date_changes_nothing() -> None:
    pace = Pace()
    clock = ServerClock(pace.monotonic, lambda: WRONG)
    clock.hear(NOON)
    pace.now += 5
    clock.hear(None)
    assert clock.now() == NOON + timedelta(seconds=5)


def test_the_machine_s_own_clock_is_asked_only_when_the_server_never_said() -> None:
    clock = ServerClock(Pace().monotonic, lambda: WRONG)
    clock.hear(None)
    assert (clock.is_servers, clock.now()) == (False, WRONG)
    clock.hear(NOON)
    assert (clock.is_servers, clock.now()) == (True, NOON)
