"""If-None-Match: a client that has the document is told so; with `wait`, once there is another."""

import pytest

from forewarn.imds import Limits
from tests.imds.world import PATH, World, announcement, document, get, machine, serving

WAIT = PATH + "&wait=60"


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ('"2"', 304),
        ('W/"2"', 304),
        ("2", 304),
        ("W/2", 304),
        ('"1", "2"', 304),
        ("1,2", 304),
        ("*", 304),
        ('"1"', 200),
        ("0", 200),
        ("22", 200),
        ('"2', 304),
        ("", 200),
        ('"two"', 200),
    ],
)
def test_conditions(world: World, condition: str, status: int) -> None:
    with world.connect() as client:
        for _ in range(3):
            client.send(get(PATH, f"If-None-Match: {condition}"))
            response = client.receive()
            assert (response.status, response.fields["etag"]) == (status, '"2"')


def test_nothing_new_byte_for_byte(world: World) -> None:
    assert world.ask(get(PATH, 'If-None-Match: "2"')).head == (
        b"HTTP/1.1 304 Not Modified\r\n"
        b"Server: IMDS/150.870.65.1854\r\n"
        b"x-ms-request-id: 9b4ffef5-1f8a-4c10-8d0e-000000000000\r\n"
        b"Date: Thu, 22 Jul 2021 04:35:17 GMT\r\n"
        b'ETag: "2"'
    )


def test_a_remembered_request_is_never_answered_from_memory(world: World) -> None:
    with world.connect() as client:
        raw = get(PATH, "If-None-Match: 2")
        for incarnation, status in ((2, 304), (2, 304), (3, 200), (3, 200)):
            world.publish(document("alpha", incarnation))
            client.send(raw)
            assert client.receive().status == status


def test_a_wait_ends_with_the_next_document(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 3))
        response = client.receive()
        assert (response.status, response.body) == (200, b'{"DocumentIncarnation":3,"Events":[]}')
        assert world.server.parked == 0


def test_a_wait_ends_when_its_time_is_over(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.pass_time(59)
        assert world.server.parked == 1
        world.pass_time(1)
        assert client.receive().status == 304
        client.send(get())
        assert client.receive().status == 200


@pytest.mark.parametrize(
    ("path", "condition", "status"),
    [
        pytest.param(WAIT, "1", 200, id="there is another document already"),
        pytest.param(PATH + "&wait=0", "2", 304, id="no time to wait"),
        pytest.param(PATH + "&wait=", "2", 400, id="no number"),
        pytest.param(PATH + "&wait=-1", "2", 400, id="negative"),
        pytest.param(PATH + "&wait=1.5", "2", 400, id="fraction"),
        pytest.param(PATH + "&wait=soon", "2", 400, id="word"),
        pytest.param(PATH + "&wait=9999999", "2", 400, id="beyond all measure"),
    ],
)
def test_what_need_not_wait(world: World, path: str, condition: str, status: int) -> None:
    assert world.ask(get(path, f"If-None-Match: {condition}")).status == status


def test_nobody_waits_longer_than_the_limit() -> None:
    with serving(limits=Limits(wait=30)) as world, world.connect() as client:
        client.send(get(PATH + "&wait=9999", "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.pass_time(30)
        assert client.receive().status == 304


def test_one_wait_too_many_is_told_so() -> None:
    with serving(limits=Limits(waits=1)) as world, world.connect() as first, world.connect() as second:
        first.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        second.send(get(WAIT, "If-None-Match: 2"))
        assert second.receive().status == 429
        world.publish(document("alpha", 3))
        assert first.receive().status == 200


def test_what_comes_after_a_wait_waits_its_turn(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2") + get(WAIT, "If-None-Match: 3"))
        world.until(lambda: world.server.parked == 1)
        client.send(get())
        world.publish(document("alpha", 3))
        assert client.receive().body == b'{"DocumentIncarnation":3,"Events":[]}'
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 4))
        assert client.receive().body == b'{"DocumentIncarnation":4,"Events":[]}'
        assert client.receive().status == 200


def test_a_waiting_client_that_goes_away_is_forgotten(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
    world.until(lambda: world.server.parked == 0 and world.server.connections == 0)
    world.publish(document("alpha", 3))


def test_a_new_epoch_with_the_same_incarnation_is_a_change(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 2, epoch=2))
        assert client.receive().status == 200


def test_an_older_document_wakes_nobody(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 1), document("alpha", 9, epoch=0), document("alpha", 2, announcement()))
        assert world.server.parked == 1
        world.publish(document("alpha", 3))
        assert client.receive().body == b'{"DocumentIncarnation":3,"Events":[]}'


def test_a_wait_in_another_scope_is_not_disturbed() -> None:
    machines = [machine("vm1", "alpha", "127.0.0.2"), machine("vm2", "beta", "127.0.0.3")]
    documents = [document("alpha", 2), document("beta", 2)]
    with (
        serving(machines=machines, documents=documents) as world,
        world.connect("127.0.0.2") as alpha,
        world.connect("127.0.0.3") as beta,
    ):
        alpha.send(get(WAIT, "If-None-Match: 2", host="127.0.0.2"))
        beta.send(get(WAIT, "If-None-Match: 2", host="127.0.0.3"))
        world.until(lambda: world.server.parked == 2)
        world.publish(document("beta", 3))
        assert beta.receive().status == 200
        assert world.server.parked == 1


def test_a_machine_that_left_while_it_waited_learns_nothing(world: World) -> None:
    world.do(lambda: world.fleet.publish(machines=[machine("vm2")]))
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.do(lambda: world.fleet.publish(gone=[("alpha", "vm1")], documents=[document("alpha", 3)]))
        assert client.receive().status == 403


def test_a_crowd_is_woken_together() -> None:
    count = 1500
    with serving(limits=Limits(connections_per_machine=count)) as world:
        clients = [world.connect() for _ in range(count)]
        for client in clients:
            client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == count)
        world.publish(document("alpha", 3))
        for client in clients:
            with client:
                assert client.receive().body == b'{"DocumentIncarnation":3,"Events":[]}'
