"""The first request of a scope enrols it, and is answered with the document that comes of it."""

import pytest

from forewarn.domain.errors import Unavailable
from tests.imds.test_approvals import APPROVAL
from tests.imds.world import PATH, World, document, get, machine, post, serving

EMPTY = b'{"DocumentIncarnation":1,"Events":[]}'


@pytest.fixture
def asleep(world: World) -> World:
    """Nobody in the scope has asked yet."""
    world.publish(document("alpha", 1, epoch=2, enrolled=False))
    world.backend.documents["alpha"] = document("alpha", 1, epoch=2)
    return world


def test_the_first_request_enrols(asleep: World) -> None:
    assert asleep.ask(get()).body == EMPTY
    assert asleep.ask(get()).body == EMPTY
    assert asleep.backend.enrolled == [("alpha", "machine:vm1")]


def test_an_approval_enrols_too(asleep: World) -> None:
    assert asleep.ask(post(APPROVAL)).status == 200
    assert asleep.backend.enrolled == [("alpha", "machine:vm1")]
    assert asleep.backend.approved


@pytest.mark.parametrize(
    "raw",
    [get(metadata=None), get(host="evil"), get("/metadata/scheduledevents"), get("/metadata/versions"), post(b"")],
)
def test_a_request_that_is_not_for_events_or_not_right_does_not(asleep: World, raw: bytes) -> None:
    asleep.ask(raw)
    assert asleep.backend.enrolled == []


def test_many_first_requests_enrol_once(asleep: World) -> None:
    asleep.do(asleep.backend.open.clear)
    clients = [asleep.connect() for _ in range(5)]
    for client in clients:
        client.send(get() + post(APPROVAL))
    asleep.until(lambda: asleep.server.connections == 5 and len(asleep.backend.enrolled) > 0)
    clients.pop(0).socket.close()
    asleep.do(asleep.backend.open.set)
    for client in clients:
        with client:
            assert [client.receive().body, client.receive().body] == [EMPTY, b""]
    assert len(asleep.backend.enrolled) == 1


def test_a_remembered_request_enrols_again_after_a_day_of_silence(asleep: World) -> None:
    with asleep.connect() as client:
        for epoch in (2, 3, 4):
            asleep.publish(document("alpha", 1, epoch=epoch, enrolled=False))
            asleep.backend.documents["alpha"] = document("alpha", 1, epoch=epoch)
            client.send(get())
            assert client.receive().body == EMPTY
    assert len(asleep.backend.enrolled) == 3


def test_a_wait_starts_after_enrolment(asleep: World) -> None:
    with asleep.connect() as client:
        client.send(get(PATH + "&wait=9", "If-None-Match: 1"))
        asleep.until(lambda: asleep.server.parked == 1)
        asleep.publish(document("alpha", 2, epoch=2))
        assert client.receive().status == 200


@pytest.mark.parametrize(("failure", "status"), [(Unavailable("later"), 410), (RuntimeError("a fault"), 500)])
def test_an_enrolment_that_fails_is_tried_again(asleep: World, failure: Exception, status: int) -> None:
    asleep.backend.failure = failure
    assert asleep.ask(get()).status == status
    assert asleep.ask(post(APPROVAL)).status == status
    asleep.backend.failure = None
    assert asleep.ask(get()).body == EMPTY


def test_a_backend_that_publishes_nothing_is_not_asked_for_ever(asleep: World) -> None:
    asleep.backend.documents.clear()
    assert asleep.ask(get()).status == 410
    assert len(asleep.backend.enrolled) == 1


def test_a_machine_without_a_document_asks_for_one() -> None:
    with serving(machines=[machine()], documents=[]) as world:
        world.backend.documents["alpha"] = document("alpha", 1)
        assert world.ask(get()).body == EMPTY


def test_a_machine_that_leaves_while_it_is_enrolled_learns_nothing(asleep: World) -> None:
    asleep.do(asleep.backend.open.clear)
    with asleep.connect() as client:
        client.send(get())
        asleep.until(lambda: bool(asleep.backend.enrolled))
        asleep.do(lambda: asleep.fleet.publish(gone=[("alpha", "vm1")]))
        asleep.do(asleep.backend.open.set)
        assert client.receive().status == 403
