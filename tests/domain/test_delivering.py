"""When a webhook is tried again, and when no more."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.delivering import Answered, Delivery, Unanswered, tried_again
from forewarn.domain.subscriptions import Subscription, Validation
from forewarn.testing.builders import a_delivery, a_notice

WALL = datetime(2026, 11, 15, 12, tzinfo=UTC)
GROUP = "/subscriptions/S/resourceGroups/g"
SUBSCRIPTION = Subscription(source="/subscriptions/s", endpoint="https://example.com/")
BUSY = Answered(503)


def tried(attempts: int) -> Delivery:
    return a_delivery(attempts=attempts, begun=WALL if attempts > 1 else None)


def test_the_pauses_grow_as_event_grids_do() -> None:
    again = [tried_again(tried(attempts), BUSY, SUBSCRIPTION, WALL) for attempts in range(1, 10)]
    pauses = [(delivery.due - WALL).total_seconds() for delivery in again if delivery is not None]
    assert pauses == [10, 30, 60, 300, 600, 1800, 3600, 3600, 3600]


def test_the_first_failure_starts_the_clock_of_its_lifetime() -> None:
    again = tried_again(tried(1), Unanswered("nobody there"), SUBSCRIPTION, WALL)
    assert again is not None
    assert again.begun == WALL


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_what_no_repetition_will_change_is_given_up_at_once(status: int) -> None:
    assert tried_again(tried(1), Answered(status), SUBSCRIPTION, WALL) is None


@pytest.mark.parametrize("status", [302, 408, 429, 500, 503])
def test_what_may_pass_is_tried_again(status: int) -> None:
    assert tried_again(tried(1), Answered(status), SUBSCRIPTION, WALL) is not None


def test_after_its_attempts_it_is_given_up() -> None:
    twice = replace(SUBSCRIPTION, attempts=2)
    assert tried_again(tried(1), BUSY, twice, WALL) is not None
    assert tried_again(tried(2), BUSY, twice, WALL) is None


def test_after_its_lifetime_it_is_given_up() -> None:
    short = replace(SUBSCRIPTION, lifetime=timedelta(minutes=1))
    assert tried_again(tried(2), BUSY, short, WALL + timedelta(seconds=29)) is not None
    assert tried_again(tried(2), BUSY, short, WALL + timedelta(seconds=30)) is None


@pytest.mark.parametrize(
    ("changes", "wants"),
    [
        pytest.param({}, True, id="all-of-the-subscription"),
        pytest.param({"source": "/SUBSCRIPTIONS/s"}, True, id="in-any-letter-case"),
        pytest.param({"source": GROUP.upper()}, True, id="its-group"),
        pytest.param({"source": f"{GROUP}x"}, False, id="a-group-of-a-longer-name"),
        pytest.param({"source": "/subscriptions/S/resourceGroups/other"}, False, id="another-group"),
        pytest.param({"begins": GROUP.upper()}, True, id="begins-so"),
        pytest.param({"begins": GROUP.upper(), "case_sensitive": True}, False, id="minds-the-case"),
        pytest.param({"ends": "/E"}, True, id="ends-so"),
        pytest.param({"ends": "/F"}, False, id="ends-otherwise"),
        pytest.param({"validation": Validation(code="c", until=WALL)}, False, id="not-confirmed-yet"),
    ],
)
def test_a_subscription_hears_what_it_asked_for(changes: dict[str, object], wants: bool) -> None:
    assert replace(SUBSCRIPTION, **changes).wants(a_notice()) is wants
