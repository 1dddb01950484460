"""What Forewarn serves beside Azure's contract."""

import json

import pytest

from forewarn.client import Answer, Readiness, Refused
from tests.client.acting import playing, says

FOREWARN = says(200, b'{"forewarn": "0.1.0", "wait": 300, "ready": true}')
TOLD = says(200, b'{"EventId": "E", "Resources": ["a", "B"], "Ready": ["A"]}')
READY = Readiness(event="E", resources=("a", "B"), ready=("A",))


def test_a_machine_says_that_it_is_ready() -> None:
    with playing(TOLD, about=FOREWARN) as stage:
        assert stage.client.ready("E") == READY
        assert stage.client.ready("E", False) == READY
        assert [json.loads(request.body or b"") for request in stage.tape.requests] == [
            {"EventId": "E", "Ready": True},
            {"EventId": "E", "Ready": False},
        ]


def test_who_is_ready_can_be_asked() -> None:
    with playing(TOLD, about=FOREWARN) as stage:
        assert stage.client.readiness("E/&x") == READY
        assert stage.tape.targets == ["/forewarn/v1/ready?event=E%2F%26x"]


def test_an_event_is_ready_when_all_its_machines_are() -> None:
    assert (READY.is_complete, READY.waiting_for) == (False, ("B",))
    assert Readiness(event="E", resources=("a",), ready=("a",)).is_complete
    assert not Readiness(event="E", resources=(), ready=()).is_complete


@pytest.mark.parametrize("status", [403, 404])
def test_what_is_not_this_machine_s_to_say_is_refused_at_once(status: int) -> None:
    with playing(says(status), about=FOREWARN) as stage:
        for ask in (stage.client.ready, stage.client.readiness):
            with pytest.raises(Refused) as no:
                ask("E")
            assert no.value.status == status
        assert stage.pace.slept == []


@pytest.mark.parametrize(
    "about",
    [
        pytest.param(says(404, b"<html>"), id="azure"),
        pytest.param(says(200, b"<html>"), id="something-else"),
        pytest.param(says(200, b'{"forewarn": "0.1", "wait": "x", "ready": "yes"}'), id="a-forewarn-of-another-mind"),
        pytest.param(says(503), id="a-server-that-cannot-say"),
    ],
)
def test_who_has_no_such_thing_is_not_asked(about: Answer) -> None:
    with playing(TOLD, about=about) as stage:
        assert stage.client.ready("E") is None
        assert stage.client.readiness("E") is None
        assert stage.tape.requests == []
