"""What the service manager is told, over a real datagram socket."""

import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from forewarn.agent.sockets import short_path
from tests.agent.held import held_agent
from tests.agent.process import an_agent

RULES = '[steps.note]\nuse = "log"\n[[rules]]\nsteps = ["note"]\n'


class Manager:
    def __init__(self, path: str) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(path)
        self._socket.settimeout(20)
        self.told: list[str] = []

    def hear(self, what: str) -> str:
        """The next message that has it."""
        while True:
            said = self._socket.recv(4096).decode()
            self.told.append(said)
            if what in said:
                return said

    def hears_within(self, seconds: float, what: str) -> bool:
        self._socket.settimeout(seconds)
        try:
            self.hear(what)
        except TimeoutError:
            return False
        finally:
            self._socket.settimeout(20)
        return True

    def forget(self) -> None:
        """What has come so far."""
        self._socket.setblocking(False)
        try:
            while True:
                self._socket.recv(4096)
        except BlockingIOError:
            self._socket.settimeout(20)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(f"\0{tmp_path.name}-{id(tmp_path)}")  # abstract, so that its length does not matter
    yield made
    made.close()


def test_the_manager_hears_of_start_life_reload_and_stop(manager: Manager, tmp_path: Path) -> None:
    environment = {"NOTIFY_SOCKET": "@" + manager.path[1:], "WATCHDOG_USEC": "400000"}
    with an_agent(tmp_path, RULES, "--name", "x", environment=environment) as agent:
        assert "STATUS=nothing is coming" in manager.hear("READY=1")
        manager.hear("WATCHDOG=1")
        manager.hear("WATCHDOG=1")
        agent.signal(signal.SIGHUP)
        assert "MONOTONIC_USEC=" in manager.hear("RELOADING=1")
        manager.hear("READY=1")
        assert "the configuration was read again" in agent.said()
        agent.stop()
        manager.hear("STOPPING=1")


def test_a_wrong_configuration_leaves_the_old_one(manager: Manager, tmp_path: Path) -> None:
    environment = {"NOTIFY_SOCKET": "@" + manager.path[1:]}
    with an_agent(tmp_path, RULES, "--name", "x", environment=environment) as agent:
        manager.hear("READY=1")
        (tmp_path / "agent.toml").write_text("[agent]\nnonsense = 1\n")
        agent.signal(signal.SIGHUP)
        manager.hear("READY=1")
        assert "the configuration stays as it was" in agent.said()
        (tmp_path / "agent.toml").write_text('[agent]\nlog = "json"\n' + RULES)
        agent.signal(signal.SIGHUP)
        manager.hear("READY=1")
        assert "agent.log has changed: that counts once the agent is started anew" in agent.said()


def test_a_loop_that_hangs_is_not_alive(manager: Manager, tmp_path: Path) -> None:
    """Within this process, since only here can somebody take hold of the loop."""
    with held_agent(tmp_path, {"NOTIFY_SOCKET": "@" + manager.path[1:], "WATCHDOG_USEC": "200000"}) as agent:
        manager.hear("WATCHDOG=1")
        held, go_on = threading.Event(), threading.Event()

        def hold() -> None:
            held.set()
            go_on.wait(20)

        agent.post(hold)
        assert held.wait(10)
        manager.forget()
        assert not manager.hears_within(0.6, "WATCHDOG=1")
        go_on.set()
        manager.hear("WATCHDOG=1")


def test_a_path_may_be_longer_than_a_socket_address(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    with an_agent(deep, RULES, "--name", "x", "--listen", "") as agent:
        assert agent.status()["running"]
    with short_path(deep) as path:
        assert len(path) < 100
