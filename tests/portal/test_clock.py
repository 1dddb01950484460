"""The time bar: the fleet's time on every page, moved by those who may, and told to all open pages."""

import http.client
import re
from collections.abc import Iterator

import pytest

from forewarn.domain.access import Role
from forewarn.domain.resources import GROUP, Resource
from forewarn.engine.estate import Estate
from tests.control.rig import Rig, running
from tests.portal.visiting import Visitor, entered

CLOCK = "/portal/clock"


@pytest.fixture
def real() -> Iterator[Rig]:
    with running(rate=None) as rig:
        yield rig


def now_on(page: str) -> str:
    found = re.search(r'id="fleet-clock" data-now="([^"]+)" data-rate="([^"]+)"', page)
    assert found, page
    return f"{found[1]} {float(found[2]):g}"


def test_every_page_tells_the_fleet_s_time(rig: Rig) -> None:
    visitor = entered(rig)
    for place in ("/portal/", "/portal/settings", "/portal/nothing", CLOCK):
        assert now_on(visitor.get(place).text) == "2030-01-01T12:00:00Z 0"


@pytest.mark.parametrize(
    ("form", "then"),
    [
        pytest.param({"advance": "1m"}, "2030-01-01T12:01:00Z 0", id="a-minute"),
        pytest.param({"advance": "15m"}, "2030-01-01T12:15:00Z 0", id="a-quarter"),
        pytest.param({"advance": "next"}, "2030-01-01T12:15:00Z 0", id="the-next-moment"),
        pytest.param({"rate": "60"}, "2030-01-01T12:00:00Z 60", id="faster"),
        pytest.param({"rate": "0"}, "2030-01-01T12:00:00Z 0", id="standing"),
    ],
)
def test_time_is_moved_and_the_page_comes_back(rig: Rig, form: dict[str, str], then: str) -> None:
    visitor = entered(rig)
    rig.post("/forewarn/v1/events", {"type": "Reboot", "machines": ["db-0"]})
    seen = visitor.post(CLOCK, back="/portal/?search=db", **form)
    assert (seen.status, seen.place) == (303, "/portal/?search=db")
    assert now_on(visitor.get(seen.place).text) == then


def test_what_was_due_has_happened_when_the_page_comes_back(rig: Rig) -> None:
    visitor = entered(rig)
    rig.post("/forewarn/v1/events", {"type": "Reboot", "machines": ["db-0"]})
    visitor.post(CLOCK, advance="next")
    assert rig.get("/forewarn/v1/events")["items"][0]["phase"] == "Started"
    visitor.post(CLOCK, advance="next")
    assert rig.get("/forewarn/v1/events")["items"] == []


def test_where_nothing_comes_next_the_refusal_says_so(rig: Rig) -> None:
    seen = entered(rig).post(CLOCK, advance="next")
    assert (seen.status, "there is no next moment" in seen.text) == (409, True)


@pytest.mark.parametrize(
    "form", [{}, {"advance": "2m"}, {"advance": "-1m"}, {"rate": "2"}, {"rate": "inf"}, {"rate": ""}], ids=str
)
def test_only_what_the_bar_offers_is_taken(rig: Rig, form: dict[str, str]) -> None:
    visitor = entered(rig)
    assert visitor.post(CLOCK, **form).status == 400
    assert now_on(visitor.get("/portal/").text) == "2030-01-01T12:00:00Z 0"


def test_after_a_move_nobody_is_led_elsewhere(rig: Rig) -> None:
    assert entered(rig).post(CLOCK, advance="1m", back="https://evil.example/").place == "/portal/"


def test_a_reader_sees_the_time_and_no_buttons(rig: Rig) -> None:
    page = entered(rig, "anna", Role.READER).get("/portal/").text
    assert now_on(page)
    assert 'action="/portal/clock"' not in page


def test_a_real_clock_has_no_bar_and_is_not_moved(real: Rig) -> None:
    visitor = entered(real)
    assert "fleet-clock" not in visitor.get("/portal/").text
    assert "clock.css" not in visitor.get("/portal/").text
    assert visitor.post(CLOCK, advance="1m").status == 409


class Open:
    """A page that listens."""

    def __init__(self, visitor: Visitor) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", visitor.rig.port, timeout=10)
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        self._connection.request("GET", "/portal/stream", headers={"Cookie": cookie})
        self._response = self._connection.getresponse()
        assert self._response.status == 200
        assert self._frame() == "retry: 1000\n"

    def hears(self) -> str:
        """The next frame, past those that only say that nothing happened."""
        while (frame := self._frame()).startswith(":"):
            pass
        return frame

    def _frame(self) -> str:
        lines = iter(lambda: self._response.readline().decode(), "\n")
        return "".join(lines)

    def close(self) -> None:
        self._connection.close()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        pytest.param("advance", {"by": "1m"}, id="moved"),
        pytest.param("rate", {"rate": 60}, id="paced"),
    ],
)
def test_an_open_page_hears_that_somebody_set_the_clock(rig: Rig, path: str, body: object) -> None:
    page = Open(entered(rig))
    rig.post(f"/forewarn/v1/clock/{path}", body)
    assert page.hears() == 'data: {"scope":"","what":"clock","subject":""}\n'
    page.close()


def test_an_open_page_hears_of_what_the_history_does_not_tell(rig: Rig) -> None:
    page = Open(entered(rig))
    group = Resource(id="/subscriptions/s/resourceGroups/new", type=GROUP, name="new")
    rig.run(Estate(rig.engine).put(group.key, lambda known: group))
    assert page.hears() == 'data: {"scope":"","what":"described","subject":""}\n'
    page.close()


def test_what_happens_on_the_way_is_told_too(rig: Rig) -> None:
    rig.post("/forewarn/v1/events", {"type": "Reboot", "machines": ["db-0"]})
    page = Open(entered(rig))
    rig.post("/forewarn/v1/clock/advance", {"to": "next"})
    heard = {page.hears().partition("data: ")[2].strip() for _ in range(2)}
    assert '{"scope":"","what":"clock","subject":""}' in heard
    assert any('"what":"started"' in one for one in heard)
    page.close()
