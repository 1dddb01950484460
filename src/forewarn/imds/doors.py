"""Where connections come in, and what was learned there.

A door is everything an answer may depend on beside the bytes of the request: the listener and the addresses. So what a
request means can be remembered per door, and a door is also what a machine's connections are counted by.
"""

from asyncio import BaseTransport
from typing import TYPE_CHECKING

from forewarn.imds.addresses import fold, is_loopback
from forewarn.imds.identity import Identity, Peer
from forewarn.imds.limits import Limits
from forewarn.imds.listeners import Listener

if TYPE_CHECKING:
    from forewarn.imds.service import Read


class Door:
    __slots__ = ("connections", "hosts", "identity", "memo", "peer")

    def __init__(self, listener: Listener, peer: Peer) -> None:
        self.identity = listener.identity
        self.peer = peer
        self.hosts = _usual_hosts(peer)
        self.connections = 0
        self.memo: dict[bytes, Read] = {}


class Doors:
    """The doors in use, and some that were: a client that connects anew for each request is still recognised."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._doors: dict[tuple[Listener, Peer], Door] = {}
        self._unused = 0
        self._remembered = 0
        self._remembers = limits.memo_requests > 0 and limits.rate is None  # a rate is counted on the strict path

    def __len__(self) -> int:
        return len(self._doors)

    def enter(self, listener: Listener, transport: BaseTransport) -> Door | None:
        """None: there is no such door, or too many have come through it."""
        peer = _peer(transport, listener.identity)
        if listener.loopback_only and not is_loopback(peer.local):
            return None
        door = self._doors.get((listener, peer))
        if door is None:
            door = self._doors[listener, peer] = Door(listener, peer)
        elif door.connections >= self._limits.connections_per_machine:
            return None
        elif not door.connections:
            self._unused -= 1
        door.connections += 1
        return door

    def leave(self, door: Door) -> None:
        door.connections -= 1
        if not door.connections:
            self._unused += 1
        if self._unused > self._limits.memo_doors:
            self._doors = {key: door for key, door in self._doors.items() if door.connections}
            self._unused = 0

    def remember(self, door: Door, request: bytes, plan: "Read") -> None:
        """The request must be complete, without a body, and just accepted by the strict path."""
        if not self._remembers or len(request) > self._limits.memo_bytes:
            return
        if self._remembered >= self._limits.memo_total:
            self.forget_requests()
        elif len(door.memo) >= self._limits.memo_requests:
            door.memo.clear()
        door.memo[request] = plan
        self._remembered += 1

    def forget_requests(self) -> None:
        self._remembered = 0
        for door in self._doors.values():
            door.memo.clear()


def _peer(transport: BaseTransport, identity: Identity) -> Peer:
    local = transport.get_extra_info("sockname")
    if not isinstance(local, tuple):
        return Peer("", 0, "")
    source = fold(transport.get_extra_info("peername")[0]) if identity.by_source else ""
    return Peer(fold(local[0]), local[1], source)


def _usual_hosts(peer: Peer) -> frozenset[bytes]:
    """What a Host header usually says here; other values are looked at more closely."""
    names = ["169.254.169.254", "localhost", f"[{peer.local}]" if ":" in peer.local else peer.local]
    return frozenset(host.encode() for name in names if name for host in (name, f"{name}:{peer.port}"))
