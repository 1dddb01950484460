from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from forewarn.engine.clock import ClockState
from forewarn.testing.builders import NOON
from tests.control.rig import Rig, running

CLOCK = "/forewarn/v1/clock"


@pytest.fixture
def real() -> Iterator[Rig]:
    with running(rate=None) as rig:
        yield rig


def test_a_standing_clock_tells_when_something_happens_next(rig: Rig) -> None:
    assert rig.get(CLOCK) == {"now": "2030-01-01T12:00:00Z", "rate": 0.0, "real": False, "next": None}
    rig.post("/forewarn/v1/events", {"type": "Reboot", "machines": ["db-0"]})
    assert rig.get(CLOCK)["next"] == "2030-01-01T12:15:00Z"


def test_time_goes_on_by_a_duration(rig: Rig) -> None:
    assert rig.post(f"{CLOCK}/advance", {"by": "1h30m"})["now"] == "2030-01-01T13:30:00Z"


def test_time_goes_on_to_the_next_moment(rig: Rig) -> None:
    rig.post("/forewarn/v1/events", {"type": "Reboot", "machines": ["db-0"]})
    assert rig.post(f"{CLOCK}/advance", {"to": "next"})["now"] == "2030-01-01T12:15:00Z"
    assert rig.post(f"{CLOCK}/advance", {"to": "next"})["now"] == "2030-01-01T12:15:05Z"
    assert rig.get("/forewarn/v1/events")["items"] == []
    assert rig.refused("POST", f"{CLOCK}/advance", {"to": "next"})[0] == 409


def test_time_has_an_end(rig: Rig) -> None:
    async def late() -> None:
        rig.clock.set(ClockState(wall=NOON, fleet=datetime(9999, 12, 1, tzinfo=UTC), rate=0.0))

    rig.run(late())
    assert rig.refused("POST", f"{CLOCK}/advance", {"by": "3000d"})[0] == 400
    body = {"type": "Reboot", "machines": ["db-0"], "notice": "300d"}
    status, message = rig.refused("POST", "/forewarn/v1/events", body)
    assert (status, "year 9999" in message) == (400, True)


def test_the_pace_is_set(rig: Rig) -> None:
    assert rig.post(f"{CLOCK}/rate", {"rate": 60})["rate"] == 60


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("advance", {}),
        ("advance", {"by": "1m", "to": "next"}),
        ("advance", {"by": "-1m"}),
        ("advance", {"by": "4000d"}),
        ("advance", {"by": 5}),
        ("advance", {"to": "yesterday"}),
        ("rate", {"rate": -1}),
        ("rate", {"rate": 1e9}),
        ("rate", {"rate": "fast"}),
        ("rate", {}),
    ],
    ids=str,
)
def test_a_wrong_wish_is_refused(rig: Rig, path: str, body: object) -> None:
    assert rig.refused("POST", f"{CLOCK}/{path}", body)[0] == 400
    assert rig.get(CLOCK)["now"] == "2030-01-01T12:00:00Z"


@pytest.mark.parametrize(
    ("path", "body"), [("advance", {"by": "1m"}), ("advance", {"to": "next"}), ("rate", {"rate": 2})]
)
def test_nobody_moves_a_real_clock(real: Rig, path: str, body: object) -> None:
    assert real.get(CLOCK)["real"] is True
    status, message = real.refused("POST", f"{CLOCK}/{path}", body)
    assert (status, "real clock" in message) == (409, True)
