"""Questions are asked until they are answered; what is in vain is not asked again."""

import json
import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.client import (
    Answer,
    Interrupted,
    NoEndpoint,
    Patience,
    Refused,
    Retry,
    ScheduledEvents,
    Unreachable,
    Unreadable,
)
from forewarn.client.patience import STATUSES
from tests.client.acting import ENDPOINT, EVENT, Pace, Tape, playing, says, told

BROKEN = Unreachable("nobody is there")
EMPTY = says(200)


def test_the_document_is_asked_for_with_its_version() -> None:
    with playing(told(2, EVENT)) as stage:
        document = stage.client.document()
        assert document.incarnation == 2
        (request,) = stage.tape.requests
        assert (request.method, request.target) == ("GET", "/metadata/scheduledevents?api-version=2020-07-01")


@pytest.mark.parametrize(
    "trouble",
    [
        *(pytest.param(says(status), id=str(status)) for status in (404, 408, 410, 429, 500, 502, 503, 599)),
        pytest.param(BROKEN, id="no-connection"),
        pytest.param(EMPTY, id="an-empty-answer"),
        pytest.param(says(200, b"<html>"), id="a-page"),
        pytest.param(says(304), id="not-modified-though-nobody-asked"),
    ],
)
def test_what_passes_by_itself_is_tried_again(trouble: Answer | Unreachable) -> None:
    with playing(trouble, trouble, told(2)) as stage:
        assert stage.client.document().incarnation == 2
        first, second = stage.pace.slept
        assert 1.0 <= first < second


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 405, 413])
def test_what_is_in_vain_is_not_tried_again(status: int) -> None:
    with playing(says(status, b'{"error":"Bad request. So it is."}'), told(2)) as stage:
        with pytest.raises(
            Refused, match=rf"answered GET /metadata/scheduledevents with {status}: .*So it is\. "
        ) as no:
            stage.client.document()
        assert (no.value.status, stage.pace.slept) == (status, [])


@pytest.mark.parametrize(
    ("trouble", "error", "seconds"),
    [
        *(pytest.param(says(status), Unreachable, retry.total, id=str(status)) for status, retry in STATUSES.items()),
        pytest.param(BROKEN, Unreachable, 70.0, id="no-connection"),
        pytest.param(EMPTY, Unreadable, 70.0, id="an-empty-answer"),
    ],
)
def test_patience_has_an_end(
    trouble: Answer | Unreachable, error: type[Unreachable | Unreadable], seconds: float
) -> None:
    with playing(trouble) as stage:
        with pytest.raises(error):
            stage.client.document()
        assert seconds / 2 < sum(stage.pace.slept) <= seconds


def test_a_host_that_is_updated_for_a_minute_is_outlasted() -> None:
    with playing(lambda request: says(410) if stage.pace.now < 1060 else told(2)) as stage:
        assert stage.client.document().incarnation == 2


def test_the_status_of_the_last_answer_is_told() -> None:
    with playing(BROKEN, says(503)) as stage:
        with pytest.raises(Unreachable) as gone:
            stage.client.document()
        assert gone.value.status == 503


@pytest.mark.parametrize(
    ("value", "least"),
    [
        pytest.param("7", 7.0, id="seconds"),
        pytest.param("Thu, 22 Jul 2021 04:35:37 GMT", 20.0, id="a-date-by-the-server-s-clock"),
        pytest.param("Thu, 22 Jul 2021 04:00:00 GMT", 1.0, id="a-date-that-has-passed"),
        pytest.param("later", 1.0, id="a-word"),
    ],
)
def test_a_server_that_wants_to_be_left_alone_is(value: str, least: float) -> None:
    with playing(says(429, retry_after=value), told(2)) as stage:
        stage.client.document()
        (slept,) = stage.pace.slept
        assert least <= slept <= max(least, 1.5)


def test_a_server_that_wants_to_be_left_alone_for_too_long_is_given_up_at_once() -> None:
    with playing(says(503, retry_after="3600")) as stage:
        with pytest.raises(Unreachable):
            stage.client.document()
        assert stage.pace.slept == []


@given(st.integers(min_value=1, max_value=10_000), st.randoms(use_true_random=False))
def test_delays_grow_to_their_limit_and_never_crowd(failures: int, rng: random.Random) -> None:
    delay = Retry(first=1.0, longest=16.0).delay(failures, rng)
    assert 1.0 <= delay <= 16.0 * 1.5


def test_the_first_document_is_waited_for_longer_than_the_next() -> None:
    with playing(told(2)) as stage:
        stage.client.document()
        stage.client.document()
        assert [request.timeout for request in stage.tape.requests] == [130.0, 15.0]


def test_events_are_approved_together() -> None:
    with playing(told(2, EVENT), says(200)) as stage:
        (event,) = stage.client.document().events
        stage.client.approve(event, "B")
        request = stage.tape.requests[-1]
        assert (request.method, request.target) == ("POST", "/metadata/scheduledevents?api-version=2020-07-01")
        assert json.loads(request.body or b"") == {"StartRequests": [{"EventId": event.id}, {"EventId": "B"}]}


def test_an_approval_is_repeated_until_it_is_heard() -> None:
    with playing(BROKEN, says(410), says(200)) as stage:
        stage.client.approve("A")
        assert [request.body for request in stage.tape.requests] == [b'{"StartRequests": [{"EventId": "A"}]}'] * 3


def test_a_refused_approval_is_told() -> None:
    refusal = says(400, b'{"error":"Bad request. Unknown event id: A"}')
    with playing(refusal) as stage, pytest.raises(Refused, match="Unknown event id: A"):
        stage.client.approve("A")


def test_to_approve_nothing_asks_nobody() -> None:
    with playing(says(500)) as stage:
        stage.client.approve()
        with pytest.raises(ValueError, match="no id"):
            stage.client.approve("A", "")
        assert stage.tape.requests == []


def test_every_answer_sets_the_clock_also_one_that_says_no() -> None:
    with playing(says(400)) as stage:
        with pytest.raises(Refused):
            stage.client.document()
        assert stage.client.clock.now() == datetime(2021, 7, 22, 4, 35, 17, tzinfo=UTC)


def test_who_is_interrupted_between_two_attempts_gives_up_and_who_asks_after_that_is_answered() -> None:
    with playing(says(503), says(503), told(2)) as stage:
        stage.pace.on_sleep = stage.client.interrupt
        with pytest.raises(Interrupted, match="503"):
            stage.client.document()
        assert stage.client.document().incarnation == 2
        assert stage.client.wait() is None
        assert stage.client.wait() is not None


@pytest.mark.parametrize(
    "endpoint", ["", "metadata", "ftp://host", "https://host", "http://", "http://h:x", "http://a..b", "unix:rel"]
)
def test_what_is_no_endpoint_is_told_at_once(endpoint: str) -> None:
    with pytest.raises(NoEndpoint, match="is no metadata endpoint"):
        ScheduledEvents(endpoint)


def test_an_endpoint_is_looked_for_until_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace()
    with ScheduledEvents(transport=Tape(pace, [told(2)]), patience=Patience(pace=pace)) as client:
        monkeypatch.setenv("FOREWARN_ENDPOINT", "nonsense")
        with pytest.raises(NoEndpoint):
            client.document()
        monkeypatch.setenv("FOREWARN_ENDPOINT", ENDPOINT)
        assert client.document().incarnation == 2
        monkeypatch.delenv("FOREWARN_ENDPOINT")
        assert client.endpoint == ENDPOINT
