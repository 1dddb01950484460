"""The short run; `make fuzz` is the long one."""

import pytest

from tests.fuzz.fuzzing import Broken, check, fuzz
from tests.fuzz.mutations import CORPUS, requests


def test_mutated_requests_break_nothing() -> None:
    fuzz(10_000, seed=20170301)


def test_the_same_seed_gives_the_same_requests() -> None:
    assert list(requests("a", 50)) == list(requests("a", 50)) != list(requests("b", 50))


@pytest.mark.parametrize(
    "came",
    [
        pytest.param(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", id="5xx"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", id="cut off"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nTraceback", id="something after it"),
        pytest.param(b"oops", id="no HTTP"),
    ],
)
def test_the_check_would_notice(came: bytes) -> None:
    with pytest.raises(Broken):
        check(CORPUS[0], came)
