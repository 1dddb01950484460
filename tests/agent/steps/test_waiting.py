"""The wait step, with real sockets."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from forewarn.agent.durations import read_duration
from forewarn.agent.errors import BadConfig, StepFailed, Stopped, TimeIsUp
from forewarn.agent.options import read_options
from forewarn.agent.steps.waiting import Wait
from tests.agent.turn import ATurn


@pytest.fixture
def turn(tmp_path: Path) -> ATurn:
    return ATurn(spool=tmp_path)


@pytest.fixture(params=[pytest.param("127.0.0.1", id="ipv4"), pytest.param("::1", id="ipv6")])
def server(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    with socket.create_server((request.param, 0), family=family) as server:
        yield server


def port_of(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def soon(do: Callable[[], object]) -> None:
    threading.Timer(0.4, do).start()


def passes_only_after(wait: Callable[[ATurn], None], event: Callable[[], object], spool: Path) -> None:
    """It is not yet over, and it is once the event has happened."""
    with pytest.raises(TimeIsUp):
        wait(ATurn(spool=spool, limit=0.3))
    event()
    wait(ATurn(spool=spool))


def test_a_fixed_time_is_waited(turn: ATurn) -> None:
    Wait(time=read_duration("300ms")).prepare(turn)
    assert 9 < turn.left() < 9.75


def test_a_port_is_drained_once_its_last_connection_is_closed_here(server: socket.socket, tmp_path: Path) -> None:
    with socket.create_connection(server.getsockname()[:2]) as client, server.accept()[0] as connection:
        step = Wait(drained_port=port_of(server))
        passes_only_after(step.prepare, connection.close, tmp_path)
        client.close()


def test_who_has_asked_and_waits_for_its_answer_still_counts(server: socket.socket, tmp_path: Path) -> None:
    with socket.create_connection(server.getsockname()[:2]) as client, server.accept()[0] as connection:
        client.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
        passes_only_after(Wait(drained_port=port_of(server)).prepare, connection.close, tmp_path)


def test_a_port_that_only_listens_is_drained(server: socket.socket, turn: ATurn) -> None:
    Wait(drained_port=port_of(server)).prepare(turn)
    assert turn.said == []


def test_connections_to_the_same_port_of_another_machine_do_not_count(turn: ATurn) -> None:
    """Such as this client's: the address is the port's, but at the other end."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        server.accept()[0].close()
        Wait(drained_port=port_of(server)).prepare(turn)


class Closing(ATurn):
    """Closes some connections each time it is told how many there are."""

    batches: Iterator[list[socket.socket]] = iter(())

    def say(self, text: str) -> None:
        super().say(text)
        for connection in next(self.batches):
            connection.close()


def test_what_is_left_is_told_each_time_it_has_halved(tmp_path: Path) -> None:
    turn = Closing(spool=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as clients:
        connections = []
        for _ in range(4):
            clients.enter_context(socket.create_connection(server.getsockname()))
            connections.append(server.accept()[0])
        turn.batches = iter([connections[:3], connections[3:]])
        Wait(drained_port=port_of(server)).prepare(turn)
        opening = f"connections to port {port_of(server)} still open: "
    assert turn.said == [f"{opening}4", f"{opening}1"]


def test_a_port_is_closed_once_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        passes_only_after(Wait(closed_port=port_of(server)).prepare, server.close, tmp_path)


def test_a_port_is_open_again_once_somebody_listens(tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        passes_only_after(Wait(restore_open_port=port_of(server)).restore, server.listen, tmp_path)


def test_without_a_port_to_wait_for_restore_does_nothing(turn: ATurn) -> None:
    Wait(time=read_duration("1h")).restore(turn)


def test_a_host_nobody_knows_is_said_at_once(turn: ATurn) -> None:
    with pytest.raises(StepFailed, match=r"the host no\.such\.invalid is not known"):
        Wait(closed_port=80, host="no.such.invalid").prepare(turn)


@pytest.mark.parametrize(
    "step", [pytest.param(Wait(time=read_duration("1h")), id="time"), pytest.param(None, id="drained-port")]
)
def test_it_can_be_called_off(step: Wait | None, turn: ATurn) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        soon(turn.stop)
        with pytest.raises(Stopped):
            (step or Wait(drained_port=port_of(server))).prepare(turn)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({}, "one of 'time', 'drained_port' and 'closed_port' is wanted", id="none"),
        pytest.param({"time": "1s", "closed_port": 80}, "one of 'time', 'drained_port'", id="two"),
        pytest.param({"drained_port": 0}, "0 is no port", id="port-0"),
        pytest.param({"closed_port": 65536}, "65536 is no port", id="port-too-high"),
    ],
)
def test_what_cannot_be_waited_for_is_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(BadConfig, match=reason):
        read_options(Wait, options, "steps.x")


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Wait(time=read_duration("90s")), ("wait 1m30s", "")),
        (Wait(drained_port=80), ("wait until port 80 has no open connections", "")),
        (
            Wait(closed_port=80, restore_open_port=81),
            (
                "wait until 127.0.0.1 refuses connections to port 80",
                "wait until 127.0.0.1 accepts connections to port 81",
            ),
        ),
    ],
)
def test_it_tells_what_it_waits_for(step: Wait, told: tuple[str, str]) -> None:
    assert step.told() == told
