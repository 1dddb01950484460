"""Waiting for news."""

import pytest

from forewarn.client import Answer, Document, Refused, Request, Unreachable, Unreadable, read_document
from tests.client.acting import EVENT, Act, playing, says, told

FOREWARN = says(200, b'{"forewarn": "0.1.0", "wait": 300, "ready": true}')
SAME = says(304)
BROKEN = Unreachable("nobody is there")


def document(incarnation: int, etag: str | None = None) -> Document:
    answer = told(incarnation, etag=etag)
    return read_document(answer.body, answer.fields)


def test_without_a_document_to_compare_with_the_first_one_is_news() -> None:
    with playing(told(2)) as stage:
        assert stage.client.wait() == document(2)


def test_a_server_that_does_not_park_is_polled_once_a_second_and_on_condition() -> None:
    with playing(SAME, SAME, SAME, told(3)) as stage:
        found = stage.client.wait(document(2), timeout=60)
        assert found == document(3)
        assert stage.tape.moments == [1000, 1001, 1002, 1003]
        assert {request.fields["If-None-Match"] for request in stage.tape.requests} == {'"2"'}
        assert {"wait=" in target for target in stage.tape.targets} == {False}


def test_one_wait_after_another_is_still_one_request_a_second() -> None:
    with playing(*(told(number) for number in range(3, 9))) as stage:
        latest: Document | None = document(2)
        for _ in range(5):
            latest = stage.client.wait(latest)
        assert stage.tape.moments == [1000, 1001, 1002, 1003, 1004]


@pytest.mark.parametrize(
    ("interval", "moments"),
    [
        pytest.param(4.0, [1000, 1004, 1008], id="seldom"),
        pytest.param(0.1, [1000, 1001, 1002], id="never-more-than-once-a-second"),
    ],
)
def test_it_may_be_polled_less_often(interval: float, moments: list[float]) -> None:
    with playing(SAME, SAME, told(3), interval=interval) as stage:
        assert stage.client.wait(document(2), timeout=60) == document(3)
        assert stage.tape.moments == moments


def test_when_the_time_is_over_there_is_no_news() -> None:
    with playing(SAME) as stage:
        assert stage.client.wait(document(2), timeout=10) is None
        assert stage.pace.now == 1010
        assert len(stage.tape.requests) == 11


def test_a_short_wait_does_not_ask_more_often() -> None:
    with playing(SAME) as stage:
        for _ in range(10):
            assert stage.client.wait(document(2), timeout=0.25) is None
        assert stage.tape.moments == [1000, 1001, 1002]


def test_a_server_that_parks_is_asked_once() -> None:
    with playing(SAME, about=FOREWARN) as stage:

        def park(request: Request) -> Answer:
            stage.pace.now += 45
            return told(3)

        stage.tape.play(park)
        assert stage.client.wait(document(2), timeout=60) == document(3)
        (request,) = stage.tape.requests
        assert request.target.endswith("&wait=60")
        assert (request.fields["If-None-Match"], request.timeout >= 70) == ('"2"', True)


def test_a_parked_request_is_no_longer_than_the_server_allows() -> None:
    with playing(told(3), about=says(200, b'{"forewarn": "0.1.0", "wait": 20, "ready": true}')) as stage:
        stage.client.wait(document(2), timeout=60)
        assert stage.tape.targets[0].endswith("&wait=20")


def test_a_server_that_has_no_room_for_one_more_is_polled() -> None:
    with playing(says(429), SAME, SAME, told(3), about=FOREWARN) as stage:
        assert stage.client.wait(document(2), timeout=60) == document(3)
        assert ["wait=" in target for target in stage.tape.targets] == [True, False, False, False]
        assert stage.tape.moments == [1000, 1001, 1002, 1003]


def test_what_a_parked_request_brought_is_followed_by_the_next_at_once_but_no_news_is_not() -> None:
    with playing(told(3), told(4), SAME, SAME, told(5), about=FOREWARN) as stage:
        latest: Document | None = document(2)
        for _ in range(3):
            latest = stage.client.wait(latest)
        assert stage.tape.moments == [1000, 1000, 1000, 1001, 1002]


def test_a_document_without_a_tag_is_asked_for_by_its_number() -> None:
    with playing(told(3)) as stage:
        stage.client.wait(document(2, etag=""))
        assert stage.tape.requests[0].fields == {"If-None-Match": '"2"'}


@pytest.mark.parametrize(
    ("again", "news"),
    [
        pytest.param(told(2, etag=""), False, id="the-same"),
        pytest.param(told(2, etag='"other"'), False, id="the-same-under-another-tag"),
        pytest.param(told("2"), False, id="the-same-as-a-string"),
        pytest.param(told(3), True, id="another-number"),
        pytest.param(told(2, EVENT), True, id="other-events-under-the-same-number"),
    ],
)
def test_what_is_news(again: Answer, news: bool) -> None:
    with playing(again) as stage:
        assert (stage.client.wait(document(2), timeout=1) is not None) is news


def test_an_empty_answer_is_no_news_and_never_the_end_of_all_events() -> None:
    with playing(says(200), says(200), told(3)) as stage:
        assert stage.client.wait(document(2)) == document(3)
    with playing(says(200)) as stage:
        assert stage.client.wait(timeout=5) is None


@pytest.mark.parametrize(
    ("acts", "incarnation"),
    [
        pytest.param([told(1), told(1)], 1, id="counted-anew"),
        pytest.param([told(1), told(2)], 2, id="counted-anew-and-moved-on"),
        pytest.param([told(1), told(9), told(10)], 10, id="a-stale-copy"),
        pytest.param([told(1), told(11)], 11, id="a-stale-copy-before-news"),
        pytest.param([told(1), says(200), SAME, told(10)], 10, id="a-stale-copy-and-nothing"),
    ],
)
def test_a_number_that_went_down_is_believed_when_it_is_told_twice(acts: list[Act], incarnation: int) -> None:
    with playing(*acts) as stage:
        found = stage.client.wait(document(9))
        assert found is not None
        assert found.incarnation == incarnation
        assert "If-None-Match" not in stage.tape.requests[1].fields
        assert stage.tape.moments[1] - stage.tape.moments[0] >= 1.0


def test_doubt_is_settled_also_when_the_time_is_over() -> None:
    with playing(told(1)) as stage:
        assert stage.client.wait(document(9), timeout=0.1) == document(1)


def test_trouble_on_the_way_is_outlived() -> None:
    with playing(SAME, BROKEN, says(503), says(410), says(200, b"<html>"), told(3)) as stage:
        assert stage.client.wait(document(2)) == document(3)


def test_trouble_at_the_end_after_an_answer_is_no_news() -> None:
    with playing(SAME, BROKEN) as stage:
        assert stage.client.wait(document(2), timeout=5) is None


@pytest.mark.parametrize(
    ("act", "error"),
    [
        pytest.param(BROKEN, Unreachable, id="nobody-there"),
        pytest.param(says(503), Unreachable, id="in-trouble"),
        pytest.param(says(200, b"<html>"), Unreadable, id="something-else"),
        pytest.param(says(403), Refused, id="refused"),
    ],
)
def test_a_wait_without_a_single_answer_says_so(act: Act, error: type[Exception]) -> None:
    with playing(act) as stage:
        with pytest.raises(error):
            stage.client.wait(document(2), timeout=10)
        assert stage.pace.now <= 1010


def test_a_wait_in_vain_takes_its_time_so_that_nobody_asks_in_haste() -> None:
    with playing(BROKEN) as stage:
        for _ in range(10):
            with pytest.raises(Unreachable):
                stage.client.wait(document(2), timeout=1)
        assert stage.pace.now == 1010
        assert len(stage.tape.requests) <= 10


def test_who_is_interrupted_between_two_polls_stops_waiting_once() -> None:
    with playing(SAME, told(3)) as stage:
        stage.pace.on_sleep = stage.client.interrupt
        assert stage.client.wait(document(2)) is None
        stage.pace.on_sleep = lambda: None
        assert stage.client.wait(document(2)) == document(3)


def test_who_was_interrupted_before_does_not_begin_to_wait() -> None:
    with playing(told(3)) as stage:
        stage.client.interrupt()
        assert stage.client.wait(document(2)) is None
        assert stage.tape.requests == []


def test_a_server_that_could_not_say_whether_it_parks_is_asked_again() -> None:
    with playing(SAME, about=says(503)) as stage:
        assert stage.client.wait(document(2), timeout=1) is None
        stage.tape.about = FOREWARN
        stage.client.wait(document(2), timeout=30)
        assert stage.tape.targets[-1].endswith("&wait=1")
