"""Machines with a network of their own: each in a namespace, all on one wire, known by the address they ask from.

A namespace lives as long as a process in it does. Ours are held by processes that end when this one does, even by
SIGKILL, since the other end of what they read from is then closed. So nothing is ever left behind, and nothing has a
name that somebody else could have taken. Without root, all of it happens in a user namespace.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from forewarn.imds.fleet import Fleet
from forewarn.imds.identity import Peer
from forewarn.imds.listeners import Listener
from forewarn.imds.slots import Guest
from forewarn.testing.reach.places import CannotReach, Place, need, past_proxies

if TYPE_CHECKING:
    from forewarn.testing.handles import Machine
    from forewarn.testing.hosting import Host

HUB = Path(__file__).with_name("hub.py")
HOLD = "import socket, sys; socket.sethostname(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
SECONDS = 10.0
"""Of real time, in which the system makes a namespace."""
LONGEST_HOST_NAME = 64


@dataclass(frozen=True, slots=True)
class BySource:
    """Whoever asks from an address is the machine that was given it."""

    given: dict[str, tuple[str, str]] = field(default_factory=dict)
    by_source: bool = True

    def who(self, fleet: Fleet, peer: Peer, name: str) -> Guest | None:
        found = self.given.get(peer.source)
        return None if found is None else fleet.known_as(*found)


class Network:
    """The wire. 169.254.169.254:80 answers on it, and only on it."""

    def __init__(self, host: "Host", *, own_users: bool | None = None) -> None:
        """`own_users`: in a user namespace, where nobody has to be root; None: for those who are not."""
        need("namespace", "ip", "unshare", "nsenter")
        self._own_users = os.geteuid() != 0 if own_users is None else own_users
        self._known = BySource()
        self._count = 0
        ours, theirs = socket.socketpair()
        with theirs:
            users = ["--map-root-user"] if self._own_users else []
            self._hub = _process(["unshare", *users, "--net", sys.executable, "-IS", str(HUB)], theirs.fileno())
        self._owned = ExitStack()
        self._owned.callback(self._end, ours)
        try:
            listener = Listener(sockets=(self._listening(ours),), identity=self._known)
            self._owned.enter_context(host.serving(listener))
        except BaseException:
            self.close()
            raise

    @contextmanager
    def guest(self, machine: "Machine") -> Iterator[Place]:
        """A network for this machine, with its name for the host's."""
        self._count += 1
        address = f"10.254.{self._count // 250 + 1}.{self._count % 250 + 1}"
        users = self._enter(self._hub, "--user") if self._own_users else []
        hold = ["unshare", "--net", "--uts", sys.executable, "-IS", "-c", HOLD, machine.host_name[:LONGEST_HOST_NAME]]
        holder = _process([*users, *hold], subprocess.PIPE)
        with holder:
            try:
                _check(holder, holder.stdout.readline() if holder.stdout else b"")
                self._connect(holder, f"g{self._count}", address)
                self._known.given[address] = machine.scope, machine.name
                yield Place(
                    by="namespace", prefix=tuple(self._enter(holder, "--net", "--uts")), environment=past_proxies()
                )
            finally:
                self._known.given.pop(address, None)
                holder.kill()

    def close(self) -> None:
        self._owned.close()

    def _end(self, line: socket.socket) -> None:
        line.close()
        self._hub.kill()
        self._hub.communicate()

    def _listening(self, line: socket.socket) -> socket.socket:
        line.settimeout(SECONDS)
        with suppress(OSError):
            told, descriptors, _, _ = socket.recv_fds(line, 64, 1)
            if told:
                listening = socket.socket(fileno=descriptors[0])
                listening.setblocking(False)
                return listening
        self._hub.kill()
        _check(self._hub, b"")
        raise AssertionError("it has told why")

    def _connect(self, holder: "subprocess.Popen[bytes]", link: str, address: str) -> None:
        self._ip(
            self._hub, f"link add {link} type veth peer name eth0 netns {holder.pid}", f"link set {link} master br0 up"
        )
        self._ip(
            holder,
            "link set lo up",
            f"address add {address}/16 dev eth0",
            "link set eth0 up",
            "route add 169.254.169.254 dev eth0",
        )

    def _ip(self, where: "subprocess.Popen[bytes]", *commands: str) -> None:
        done = subprocess.run(  # noqa: S603 (no shell)
            [*self._enter(where, "--net"), "ip", "-batch", "-"],
            input="\n".join(commands).encode() + b"\n",
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            raise CannotReach(f"{_CANNOT}: {_last(done.stderr)}")

    def _enter(self, where: "subprocess.Popen[bytes]", *spaces: str) -> list[str]:
        users = ["--user", "--preserve-credentials"] if self._own_users else []
        return ["nsenter", "--target", str(where.pid), *dict.fromkeys([*users, *spaces]), "--"]


_CANNOT = (
    "Clients cannot be reached by namespace here, which needs Linux and root, or user namespaces for everybody; and in"
    " a container, the capabilities SYS_ADMIN and NET_ADMIN"
)


def _process(command: list[str], reads: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, stdin=reads, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 (no shell)


def _check(process: "subprocess.Popen[bytes]", told: bytes) -> None:
    if not told:
        process.kill()
        _, said = process.communicate()
        raise CannotReach(f"{_CANNOT}: {_last(said)}")


def _last(said: bytes) -> str:
    """What it complained of."""
    return (said.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
