"""A real HAProxy in front of real web servers, each a process of its own.

HAProxy is set up so that it hides nothing: no retries and no redispatch, so that a request which meets a dead server
has failed. Health checks are as usual, but ten times as often.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import until

HAPROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
needs_haproxy = pytest.mark.skipif(HAPROXY is None and not os.environ.get("CI"), reason="HAProxy is not installed")

CONFIG = """
global
    stats socket {folder}/admin.sock mode 600 level admin
    stats socket {folder}/operator.sock mode 600 level operator
    stats socket ipv4@{runtime} level admin
defaults
    mode http
    retries 0
    timeout connect 2s
    timeout client 60s
    timeout server 60s
frontend front
    bind {front}
    default_backend app
backend app
    balance roundrobin
    default-server check inter 200ms fall 2 rise 2
    {more}
"""


def address() -> str:
    """A loopback address and port that nobody else has: test processes run side by side, each with its own address."""
    host = f"127.77.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"
    with socket.socket() as probe:
        probe.bind((host, 0))
        return f"{host}:{probe.getsockname()[1]}"


def answers(where: str) -> bool:
    host, _, port = where.rpartition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 1):
        return True
    return False


@dataclass(kw_only=True)
class Web:
    """A web server that can be killed and started again at the same place."""

    name: str
    where: str
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        host, _, port = self.where.rpartition(":")
        program = Path(__file__).with_name("web.py")
        self.process = subprocess.Popen([sys.executable, "-I", program, host, port, self.name])

    def release(self) -> None:
        with urllib.request.urlopen(f"http://{self.where}/release", timeout=10):
            pass

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def webs(*names: str) -> Iterator[dict[str, Web]]:
    servers = {name: Web(name=name, where=address()) for name in names}
    try:
        for server in servers.values():
            server.start()
        until(lambda: all(answers(server.where) for server in servers.values()), "the servers answer")
        yield servers
    finally:
        for server in servers.values():
            server.kill()


@dataclass(kw_only=True)
class HAProxy:
    folder: Path
    front: str
    runtime: str
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def admin(self) -> str:
        return str(self.folder / "admin.sock")

    def start(self) -> None:
        assert HAPROXY is not None, "CI must have HAProxy"
        with (self.folder / "log").open("ab") as log:
            command = [HAPROXY, "-db", "-f", str(self.folder / "haproxy.cfg")]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self._is_up, "the balancer is up")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def _is_up(self) -> bool:
        with contextlib.suppress(OSError):
            return bool(self.ask("show info"))
        return False

    def ask(self, command: str) -> str:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.admin)
            connection.sendall(command.encode() + b"\n")
            with connection.makefile() as answer:
                return answer.read()

    def status(self, server: str) -> str:
        """UP, DOWN, DRAIN or MAINT; how far a change of health has come is left out."""
        return self.stat(server, "status").split()[0]

    def stat(self, server: str, column: str) -> str:
        lines = [line.split(",") for line in self.ask("show stat app 4 -1").lstrip("# ").splitlines()]
        return next(line for line in lines[1:] if line[1] == server)[lines[0].index(column)]

    def get(self, path: str = "/", headers: Mapping[str, str] | None = None) -> str:
        request = urllib.request.Request(f"http://{self.front}{path}", headers=dict(headers or {}))
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(answer.read().decode())


@contextlib.contextmanager
def haproxy(*servers: Web, more: str = "", options: str = "") -> Iterator[HAProxy]:
    """`more` goes into the backend; `options` behind each server, where {name} is its name."""
    with tempfile.TemporaryDirectory() as folder:  # the path of a unix socket must be short
        balancer = HAProxy(folder=Path(folder), front=address(), runtime=address())
        lines = [more, *(f"server {one.name} {one.where} {options.format(name=one.name)}" for one in servers)]
        text = CONFIG.format(
            folder=folder, front=balancer.front, runtime=balancer.runtime, more="\n    ".join(filter(None, lines))
        )
        (balancer.folder / "haproxy.cfg").write_text(text)
        try:
            balancer.start()
            yield balancer
        finally:
            balancer.stop()
