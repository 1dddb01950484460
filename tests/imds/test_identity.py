"""Who asks is known by the connection; a name is believed only on loopback."""

import asyncio
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from forewarn.imds import BySourceAddress, Everyone
from forewarn.imds.identity import ByLocalAddress
from forewarn.imds.listeners import on_address, on_socket_file
from forewarn.wire import answers
from tests.imds.world import Client, World, document, get, machine, serving

MACHINES = [
    machine("Web_0", "web", "127.0.0.2"),
    machine("Web_1", "web", "127.0.0.3"),
    machine("db", "north", "127.0.0.4"),
    machine("db", "south", "127.0.0.5"),
    machine("lone.vm", "lone", "127.9.9.9"),
]
DOCUMENTS = [document("web", 10), document("north", 20), document("south", 30), document("lone", 40)]
NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"


@pytest.fixture
def fleet() -> Iterator[World]:
    with serving(machines=MACHINES, documents=DOCUMENTS) as world:
        yield world


def who(world: World, address: str = "127.0.0.1", host: str = "169.254.169.254") -> tuple[str, int]:
    """The machine and the incarnation that are shown."""
    name = world.ask(get(NAME, host=host), address)
    events = world.ask(get(host=host), address)
    assert name.status == events.status
    if events.status == 403:
        assert name.body == events.body == answers.UNKNOWN_CALLER.body
        return "", 0
    assert events.status == 200
    return name.body.decode(), int(events.fields["etag"].strip('"'))


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.2", ("Web_0", 10)),
        ("127.0.0.3", ("Web_1", 10)),
        ("127.0.0.5", ("db", 30)),
        ("127.9.9.9", ("lone.vm", 40)),
        ("127.0.0.1", ("Web_0", 10)),
        ("127.0.0.77", ("", 0)),
    ],
)
def test_by_the_address_connected_to(fleet: World, address: str, expected: tuple[str, int]) -> None:
    assert who(fleet, address) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("web_1.localhost", ("Web_1", 10)),
        ("WEB_1.LOCALHOST:8254", ("Web_1", 10)),
        ("web_1.web.localhost", ("Web_1", 10)),
        ("db.north.localhost", ("db", 20)),
        ("db.south.localhost", ("db", 30)),
        ("lone.vm.localhost", ("lone.vm", 40)),
        ("db.localhost", ("", 0)),
        ("nobody.localhost", ("", 0)),
        ("localhost", ("Web_0", 10)),
    ],
)
def test_by_name_on_loopback(fleet: World, host: str, expected: tuple[str, int]) -> None:
    assert who(fleet, host=host) == expected


def test_a_machine_may_have_127_0_0_1_for_itself() -> None:
    with serving(machines=[*MACHINES, machine("main", "lone", "127.0.0.1")], documents=DOCUMENTS) as world:
        assert who(world) == ("main", 40)


def test_the_first_machine_is_the_first_that_is_still_there(fleet: World) -> None:
    with fleet.connect() as client:
        client.send(get())
        assert client.receive().fields["etag"] == '"10"'
        fleet.do(lambda: fleet.fleet.publish(gone=[("web", "Web_0"), ("web", "Web_1")]))
        client.send(get())
        assert client.receive().fields["etag"] == '"20"', "remembered requests are asked anew"


def test_an_address_that_changes_hands_is_noticed_at_once(fleet: World) -> None:
    with fleet.connect("127.0.0.5") as client:
        for expected, change in (
            ('"30"', machine("db", "south", "127.0.0.6")),
            (None, machine("lone.vm", "lone", "127.0.0.5")),
            ('"40"', machine("db", "south", "127.0.0.5")),
            ('"30"', machine("db", "south", "")),
            (None, machine("db", "south", "")),
        ):
            client.send(get(host="localhost"))
            assert client.receive().fields.get("etag") == expected
            fleet.do(lambda change=change: fleet.fleet.publish(machines=[change]))  # type: ignore[misc]


def test_by_the_address_asked_from() -> None:
    listen = lambda: on_address("127.0.0.1", 0, BySourceAddress())  # noqa: E731
    with serving(machines=MACHINES, documents=DOCUMENTS, listen=listen) as world:
        for source, expected in (("127.0.0.3", 200), ("127.0.0.5", 200), ("127.0.0.1", 403), ("127.0.0.77", 403)):
            with world.connect(source=source) as client:
                client.send(get(host="db.north.localhost"))
                response = client.receive()
                assert response.status == expected
                if expected == 200:
                    assert response.fields["etag"] == ('"10"' if source == "127.0.0.3" else '"30"')


def test_everyone_is_one_machine() -> None:
    listen = lambda: on_address("127.0.0.1", 0, Everyone("north", "db"))  # noqa: E731
    with serving(machines=MACHINES, documents=DOCUMENTS, listen=listen) as world:
        assert who(world, host="web_1.localhost") == ("db", 20)
        world.do(lambda: world.fleet.publish(gone=[("north", "db")]))
        assert who(world) == ("", 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_an_address_in_ipv6_dress_is_the_same() -> None:
    listen = lambda: on_address("::", 0, ByLocalAddress(), wildcard=True)  # noqa: E731
    with serving(machines=MACHINES, documents=DOCUMENTS, listen=listen) as world:
        assert who(world, "127.0.0.3") == ("Web_1", 10)
        assert world.ask(get(host="127.0.0.3"), "127.0.0.3").status == 200
        assert who(world, "::1") == ("Web_0", 10)
        assert world.ask(get(host="[::1]"), "::1").status == 200
        assert world.ask(get(host=f"[::1]:{world.port}"), "::1").status == 200
        assert world.ask(get(host="[::2]"), "::1").status == 400


@pytest.mark.parametrize("new_loop", [uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def test_a_unix_socket_is_its_machine(new_loop: type[asyncio.AbstractEventLoop]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "sockets"
        path = directory / "db.sock"
        directory.mkdir()
        with socket.socket(socket.AF_UNIX) as left_behind:
            left_behind.bind(str(path))
        listen = lambda: on_socket_file(directory, "db", "south", "db")  # noqa: E731
        with serving(machines=MACHINES, documents=DOCUMENTS, listen=listen, new_loop=new_loop):
            assert stat.S_IMODE(os.stat(directory).st_mode) == 0o700
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
            for host in ("localhost", "169.254.169.254", "web_1.localhost"):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(str(path))
                with Client(connection) as client:
                    client.send(get(host=host))
                    assert client.receive().fields["etag"] == '"30"'
