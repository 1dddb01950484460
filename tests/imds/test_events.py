"""GET of the document: every version, every spelling of the path, byte for byte."""

import re
from datetime import timedelta

import pytest

from forewarn.domain.events import EventType
from forewarn.wire import answers
from forewarn.wire.documents import render
from forewarn.wire.versions import EVENT_VERSIONS, event_version
from tests.imds.world import SEED, World, announcement, document, get, serving

EVENTS = "/metadata/scheduledevents"
BODY = (
    b'{"DocumentIncarnation":2,"Events":[{"EventId":"4CAEA225-A741-474D-A72E-428C86FCD853","EventStatus":"Scheduled",'
    b'"EventType":"Reboot","ResourceType":"VirtualMachine","Resources":["vm1"],'
    b'"NotBefore":"Thu, 22 Jul 2021 04:50:17 GMT","Description":"","EventSource":"User","DurationInSeconds":-1}]}'
)


def test_the_whole_answer_byte_for_byte(world: World) -> None:
    response = world.ask(get())
    assert response.head == (
        b"HTTP/1.1 200 OK\r\n"
        b"Content-Type: application/json; charset=utf-8\r\n"
        b"Server: IMDS/150.870.65.1854\r\n"
        b"x-ms-request-id: 9b4ffef5-1f8a-4c10-8d0e-000000000000\r\n"
        b"Date: Thu, 22 Jul 2021 04:35:17 GMT\r\n"
        b"Content-Length: 291\r\n"
        b'ETag: "2"'
    )
    assert response.body == BODY


@pytest.mark.parametrize("version", EVENT_VERSIONS)
def test_each_version_has_its_own_document(version: str) -> None:
    full = document("alpha", 7, announcement(), announcement("B", type=EventType.TERMINATE))
    known = event_version(version)
    assert known is not None
    with serving(documents=[full]) as world:
        assert world.ask(get(f"{EVENTS}?api-version={version}")).body == render(full, known)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(f"{EVENTS}?api-version=2020-07-01", id="usual"),
        pytest.param(f"{EVENTS}/?api-version=2020-07-01", id="slash at the end"),
        pytest.param("/metadata/scheduledEvents?api-version=2020-07-01", id="capital E"),
        pytest.param("/METADATA/SCHEDULEDEVENTS?API-VERSION=2020-07-01", id="capitals"),
        pytest.param(f"{EVENTS}%3Fapi-version=2020-07-01", id="encoded question mark"),
        pytest.param("/metadata/scheduledEvents%3fapi-version=2020-07-01", id="both"),
        pytest.param(f"{EVENTS}?api-version=2020-07-01&format=json", id="format"),
        pytest.param(f"{EVENTS}?api-version=2020-07-01&wait=5", id="wait without a condition"),
        pytest.param("/metadata/2020-07-01/scheduledevents", id="version in the path"),
        pytest.param("/metadata/2020-07-01/scheduledEvents/", id="version in the path, capital and slash"),
        pytest.param(f"http://169.254.169.254{EVENTS}?api-version=2020-07-01", id="absolute"),
        pytest.param(f"http://localhost:80{EVENTS}?api-version=2020-07-01", id="absolute with a port"),
    ],
)
def test_spellings_of_the_path(world: World, path: str) -> None:
    response = world.ask(get(path))
    assert (response.status, response.body) == (200, BODY)


@pytest.mark.parametrize("path", ["/metadata/latest/scheduledevents", f"{EVENTS}?api-version=latest"])
def test_latest_is_the_preview(world: World, path: str) -> None:
    assert b'"Resources":["_vm1"]' in world.ask(get(path)).body


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(EVENTS, id="missing"),
        pytest.param(f"{EVENTS}?api-version=", id="empty"),
        pytest.param(f"{EVENTS}?api-version=2021-02-01", id="of the instance metadata"),
        pytest.param(f"{EVENTS}?api-version=nonsense", id="nonsense"),
        pytest.param("/metadata/2018-01-01/scheduledevents", id="unknown in the path"),
    ],
)
def test_a_version_is_needed(world: World, path: str) -> None:
    response = world.ask(get(path))
    assert (response.status, response.body) == (400, answers.EVENT_VERSION_REFUSED.body)


def test_a_version_in_the_path_and_in_the_query_is_refused(world: World) -> None:
    assert world.ask(get("/metadata/2020-07-01/scheduledevents?api-version=2020-07-01")).status == 400


def test_a_change_is_seen_by_the_next_request(world: World) -> None:
    with world.connect() as client:
        for incarnation in (3, 4, 5):
            world.publish(document("alpha", incarnation))
            client.send(get())
            assert client.receive().body == b'{"DocumentIncarnation":%d,"Events":[]}' % incarnation


def test_the_date_is_that_of_the_fleet(world: World) -> None:
    world.time += timedelta(days=400)
    world.pass_time(1)
    assert world.ask(get()).fields["date"] == "Fri, 26 Aug 2022 04:35:17 GMT"


def test_every_answer_has_an_id_of_its_own(world: World) -> None:
    count = 5000
    with world.connect() as client:
        client.send(get() * count)
        ids = [client.receive().fields["x-ms-request-id"] for _ in range(count)]
    assert len(set(ids)) == count == world.server.answers
    assert all(re.fullmatch(SEED[:24] + "[0-9a-f]{12}", id) for id in ids)


def test_scopes_that_were_asked_for_are_told_once(world: World) -> None:
    asked = world.time
    assert world.do(world.server.take_seen) == {}
    world.ask(get())
    world.ask(get())
    assert world.do(world.server.take_seen) == {"alpha": asked}
    assert world.do(world.server.take_seen) == {}
    world.time += timedelta(seconds=1)
    world.pass_time(1)
    world.ask(get())
    assert world.do(world.server.take_seen) == {"alpha": asked + timedelta(seconds=1)}
