"""Faults and the log of requests over the API: who may, what makes sense, and how one waits."""

import queue
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from forewarn.domain.access import Assignment, Role
from forewarn.domain.faults import FaultKind
from forewarn.engine.clock import ClockState
from forewarn.imds.http import Head
from forewarn.testing.builders import NOON
from forewarn.testing.hosting import Host
from tests.access.making import bearer
from tests.control.rig import Rig, running

FAULTS = "/forewarn/v1/faults"
REQUESTS = "/forewarn/v1/requests"


@pytest.fixture(scope="module")
def real() -> Iterator[Rig]:
    with running(rate=None) as rig:
        yield rig


@pytest.fixture(scope="module")
def unmoved() -> Iterator[Rig]:
    """For what changes nothing."""
    with running() as rig:
        yield rig


def poll(rig: Rig, scope: str = "db", name: str = "db-0") -> Any:
    """As the metadata service would meet it."""

    async def meet() -> Any:
        guest = rig.fleet.known_as(scope, name)
        assert guest is not None
        path = b"/metadata/scheduledevents?api-version=2020-07-01"
        case = rig.book.meets(guest, Head(b"GET", path, {b"metadata": b"true"}, b"", True, True, 0, 0), b"", 1)
        case.sends(b'HTTP/1.1 200 OK\r\n\r\n{"DocumentIncarnation":1,"Events":[]}')
        return case.seen

    return rig.run(meet())


def test_a_fault_is_set_listed_and_taken_back(rig: Rig) -> None:
    asked = {"kind": "status", "machine": "db-0", "status": 503, "requests": 2, "lasts": "5m"}
    (made,) = rig.post(FAULTS, asked)["items"]
    assert {key: made[key] for key in ("kind", "scope", "machine", "status", "requests", "met", "over")} == {
        "kind": "status",
        "scope": "db",
        "machine": "db-0",
        "status": 503,
        "requests": 2,
        "met": 0,
        "over": False,
    }
    assert (made["since"], made["until"]) == ("2030-01-01T12:00:00Z", "2030-01-01T12:05:00Z")
    for _ in range(3):
        poll(rig)
    assert [fault["met"] for fault in rig.get(FAULTS)["items"]] == [2]
    rig.post("/forewarn/v1/clock/advance", {"by": "5m"})
    assert [fault["over"] for fault in rig.get(FAULTS)["items"]] == [True]
    assert rig.ask("DELETE", f"{FAULTS}/{made['id']}") == (200, {"items": []})
    assert rig.refused("DELETE", f"{FAULTS}/{made['id']}")[0] == 404


def test_a_scale_set_is_all_of_its_scopes(rig: Rig) -> None:
    made = rig.post(FAULTS, {"kind": "reset", "scope": "web"})["items"]
    assert [(fault["scope"], fault["machine"]) for fault in made] == [("web:0", None), ("web:1", None)]
    assert rig.ask("DELETE", FAULTS) == (200, {"items": []})
    assert rig.ask("DELETE", FAULTS) == (200, {"items": []})


def test_a_fault_is_named_by_the_beginning_of_its_id(rig: Rig) -> None:
    rig.post(FAULTS, {"kind": "reset", "scope": "web"})
    first, second = (fault["id"] for fault in rig.get(FAULTS)["items"])
    assert first[:6] == second[:6]
    assert rig.refused("DELETE", f"{FAULTS}/{first[:6]}")[0] == 409
    assert rig.refused("DELETE", f"{FAULTS}/{first[:3]}")[0] == 404
    assert [fault["id"] for fault in rig.ask("DELETE", f"{FAULTS}/{first[:8].lower()}")[1]["items"]] == [second]


def test_where_it_is_told(rig: Rig) -> None:
    status, _, headers = rig.raw("POST", FAULTS, b'{"kind":"hang","scope":"db"}', {"Content-Type": "application/json"})
    assert (status, headers["location"]) == (201, f"{FAULTS}/{rig.get(FAULTS)['items'][0]['id']}")


def test_the_same_key_is_the_same_fault(rig: Rig) -> None:
    asked = {"kind": "status", "machine": "db-0", "requests": 1}
    first = rig.post(FAULTS, asked, key="k")
    poll(rig)
    (again,) = rig.post(FAULTS, asked, key="k")["items"]
    assert (again["id"], again["met"]) == (first["items"][0]["id"], 1)
    assert rig.ask("POST", FAULTS, {**asked, "requests": 2}, {"Idempotency-Key": "k"})[0] == 409
    rig.post(FAULTS, asked, key="l")
    assert len(rig.get(FAULTS)["items"]) == 2


def test_every_kind_can_be_set(rig: Rig) -> None:
    for kind in FaultKind:
        (made,) = rig.post(FAULTS, {"kind": kind.value, "machine": "db/db-0", "by": "90s"})["items"]
        assert (made["kind"], made["by"]) == (kind.value, "PT90S")


@pytest.mark.parametrize("by", [pytest.param("-5m", id="short"), pytest.param("-PT5M", id="iso")])
def test_times_can_be_told_too_early(rig: Rig, by: str) -> None:
    (made,) = rig.post(FAULTS, {"kind": "skewed-date", "scope": "db", "by": by})["items"]
    assert made["by"] == "-PT300S"


@pytest.mark.parametrize(
    ("wrong", "status", "told"),
    [
        ({"kind": "flood"}, 400, "kind"),
        ({}, 400, "kind"),
        ({"kind": "hang", "machine": None, "scope": None}, 400, "Say for whom"),
        ({"kind": "hang", "machine": "db-0", "scope": "db"}, 400, "Say for whom"),
        ({"kind": "hang", "machine": "nobody"}, 404, "no machine nobody"),
        ({"kind": "hang", "machine": "solo"}, 409, "2 machines are called solo"),
        ({"kind": "hang", "scope": "nowhere"}, 404, "nowhere"),
        ({"kind": "delay", "scope": "db"}, 400, "by how much"),
        ({"kind": "delay", "scope": "db", "by": "-1s"}, 400, "by"),
        ({"kind": "delay", "scope": "db", "by": "11m"}, 400, "ten minutes"),
        ({"kind": "delay", "scope": "db", "by": "soon"}, 400, "by"),
        ({"kind": "delay", "scope": "db", "by": "-"}, 400, "by"),
        ({"kind": "skewed-date", "scope": "db", "by": "--5m"}, 400, "by"),
        ({"kind": "skewed-date", "scope": "db", "by": "400d"}, 400, "a year"),
        ({"kind": "stale", "scope": "db", "by": "-5m"}, 400, "cannot be negative"),
        ({"kind": "status", "scope": "db", "by": "-5m"}, 400, "cannot be negative"),
        ({"kind": "status", "scope": "db", "status": 200}, 400, "status"),
        ({"kind": "status", "scope": "db", "status": 99}, 400, "status"),
        ({"kind": "status", "scope": "db", "status": 999}, 400, "status"),
        ({"kind": "hang", "scope": "db", "requests": 0}, 400, "requests"),
        ({"kind": "hang", "scope": "db", "skip": -1}, 400, "skip"),
        ({"kind": "hang", "scope": "db", "probability": 0}, 400, "probability"),
        ({"kind": "hang", "scope": "db", "probability": 1.1}, 400, "probability"),
        ({"kind": "hang", "scope": "db", "lasts": "-5m"}, 400, "lasts"),
        ({"kind": "hang", "scope": "db", "lasts": "0s"}, 400, "lasts"),
        ({"kind": "hang", "scope": "db", "asked": "nicely"}, 400, "asked"),
        ({"kind": "content-type", "scope": "db", "value": "a\r\nSet-Cookie: b"}, 400, "value"),
        ({"kind": "content-type", "scope": "db", "value": ""}, 400, "value"),
        ({"kind": "content-type", "scope": "db", "value": "x" * 201}, 400, "value"),
        ({"kind": "hang", "scope": "db", "sometimes": True}, 400, "sometimes"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_with_the_reason(unmoved: Rig, wrong: Any, status: int, told: str) -> None:
    refused, message = unmoved.refused("POST", FAULTS, wrong)
    assert (refused, told in message) == (status, True), message
    assert unmoved.get(FAULTS)["items"] == []


def test_a_thousand_faults_are_enough(rig: Rig) -> None:
    async def many() -> None:
        fault = rig.book.faults[0]
        rig.book.add([type(fault)(id=str(n), kind=fault.kind, scope="db", since=NOON) for n in range(998)])

    rig.post(FAULTS, {"kind": "hang", "scope": "db"})
    rig.run(many())
    status, message = rig.refused("POST", FAULTS, {"kind": "hang", "scope": "web"})
    assert (status, "take some back" in message) == (429, True)
    assert len(rig.get(FAULTS)["items"]) == 999


def test_what_clients_ask_is_kept_when_somebody_wants_it(rig: Rig) -> None:
    poll(rig)
    assert rig.get(REQUESTS)["items"] == []
    assert rig.ask("PUT", REQUESTS, {"keep": True})[1]["kept"] is True
    for name in ("db-0", "db-1", "db-0"):
        poll(rig, name=name)
    told = rig.get(REQUESTS)
    assert (told["last"], [seen["machine"] for seen in told["items"]]) == (4, ["db-0", "db-1", "db-0"])
    seen = told["items"][0]
    assert (seen["asked"], seen["status"], seen["incarnation"], seen["fields"]) == (
        "poll",
        200,
        1,
        {"metadata": "true"},
    )
    assert [seen["number"] for seen in rig.get(f"{REQUESTS}?machine=db-0&after=2")["items"]] == [4]
    assert [seen["number"] for seen in rig.get(f"{REQUESTS}?machine=db%2Fdb-1")["items"]] == [3]
    assert rig.get(f"{REQUESTS}?machine=web%2Fdb-1")["items"] == []
    assert rig.ask("PUT", REQUESTS, {"keep": False})[1] == {"kept": False, "last": 4, "items": []}
    assert rig.get(REQUESTS)["items"] == []


def test_a_page_of_the_log_is_a_thousand(rig: Rig) -> None:
    async def many() -> None:
        guest = rig.fleet.known_as("db", "db-0")
        assert guest is not None
        for _ in range(1001):
            rig.book.meets(guest, Head(b"GET", b"/", {}, b"", True, True, 0, 0), b"", 1)

    rig.ask("PUT", REQUESTS, {"keep": True})
    rig.run(many())
    assert [seen["number"] for seen in rig.get(REQUESTS)["items"]] == list(range(1, 1001))
    assert [seen["number"] for seen in rig.get(f"{REQUESTS}?after=1000")["items"]] == [1001]


def test_one_can_wait_for_a_request(rig: Rig) -> None:
    rig.ask("PUT", REQUESTS, {"keep": True})
    came: list[Any] = []
    waiting = threading.Thread(target=lambda: came.append(rig.get(f"{REQUESTS}?wait=20&machine=db-1")))
    waiting.start()
    rig.until(lambda: len(rig.book._told) == 1)
    poll(rig, name="db-0")
    poll(rig, name="db-1")
    waiting.join(20)
    assert [seen["machine"] for seen in came[0]["items"]] == ["db-1"]
    rig.until(lambda: not rig.book._told)


def test_a_wait_in_vain_ends(rig: Rig) -> None:
    rig.ask("PUT", REQUESTS, {"keep": True})
    assert rig.get(f"{REQUESTS}?wait=0.01")["items"] == []
    assert rig.book._told == []


def test_who_waits_does_not_keep_the_server_from_ending() -> None:
    host, answers = Host(), queue.SimpleQueue[Any]()
    client = host.client
    client.put("/requests", {"keep": True})
    waiting = threading.Thread(target=lambda: answers.put(client.get("/requests", wait=60)))
    waiting.start()
    with pytest.raises(queue.Empty):
        answers.get(timeout=0.05)
    began = time.monotonic()
    host.close()
    assert time.monotonic() - began < 4.5  # else it is cut off after five seconds
    assert answers.get(timeout=20)["items"] == []
    waiting.join(20)


@pytest.mark.parametrize("query", ["wait=61", "wait=-1", "wait=nan", "after=-1", "after=x", "limit=3"])
def test_a_wrong_question_is_refused(unmoved: Rig, query: str) -> None:
    assert unmoved.refused("GET", f"{REQUESTS}?{query}")[0] == 400


@pytest.mark.parametrize("body", [{}, {"keep": "yes"}, {"keep": True, "most": 5}], ids=str)
def test_a_wrong_wish_is_refused(unmoved: Rig, body: object) -> None:
    assert unmoved.refused("PUT", REQUESTS, body)[0] == 400


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", FAULTS, None),
        ("POST", FAULTS, {"kind": "hang", "scope": "db"}),
        ("DELETE", FAULTS, None),
        ("DELETE", f"{FAULTS}/1234", None),
        ("GET", REQUESTS, None),
        ("PUT", REQUESTS, {"keep": True}),
    ],
)
def test_a_fleet_at_work_is_left_alone(real: Rig, method: str, path: str, body: object) -> None:
    status, message = real.refused(method, path, body)
    assert (status, "--faults" in message) == (409, True)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", FAULTS, {"kind": "hang", "scope": "db"}),
        ("DELETE", FAULTS, None),
        ("DELETE", f"{FAULTS}/1234", None),
        ("PUT", REQUESTS, {"keep": True}),
        ("PUT", "/forewarn/v1/fleet", {"declaration": ""}),
    ],
)
def test_a_reader_looks_and_does_nothing(rig: Rig, method: str, path: str, body: object) -> None:
    given = Assignment(id="1", principal="anna", role=Role.READER, scope=rig.access.subscription)
    rig.run(rig.access.assignments.put(given))
    anna = bearer(rig.access, "anna")
    assert rig.ask(method, path, body, anna)[0] == 403
    for looked_at in (FAULTS, REQUESTS, "/forewarn/v1/fleet"):
        assert rig.ask("GET", looked_at, None, anna)[0] == 200


def test_nobody_comes_in_without_a_token(rig: Rig) -> None:
    assert rig.raw("POST", FAULTS, b"{}", {"Authorization": ""})[0] == 401


def test_faults_end_with_the_calendar(rig: Rig) -> None:
    async def late() -> None:
        rig.clock.set(ClockState(wall=NOON, fleet=datetime(9999, 12, 1, tzinfo=UTC), rate=0.0))

    rig.run(late())
    assert rig.refused("POST", FAULTS, {"kind": "hang", "scope": "db", "lasts": "300d"})[0] == 400
