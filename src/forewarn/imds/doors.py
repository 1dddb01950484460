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
    __slots__ = ("_bytes", "_requests", "connections", "hosts", "identity", "memo", "peer")

    def __init__(self, identity: Identity, peer: Peer, *, requests: int, longest: int) -> None:
        self.identity = identity
        self.peer = peer
        self.hosts = _usual_hosts(peer)
        self.connections = 0
        self.memo: dict[bytes, Read] = {}
        self._requests = requests
        self._bytes = longest

    def remember(self, request: bytes, plan: "Read") -> None:
        """The request must be complete, without a body, and just accepted by the strict path."""
        if self._requests and len(request) <= self._bytes:
            if len(self.memo) >= self._requests:
                self.memo.clear()
            self.memo[request] = plan


class Doors:
    """The doors in use, and some that were: a client that connects anew for each request is still recognised."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._doors: dict[tuple[Listener, Peer], Door] = {}

    def __len__(self) -> int:
        return len(self._doors)

    def enter(self, listener: Listener, transport: BaseTransport) -> Door | None:
        """None: there is no such door, or too many have come through it."""
        peer = _peer(transport, listener.identity)
        if listener.loopback_only and not is_loopback(peer.local):
            return None
        door = self._doors.get((listener, peer)) or self._add(listener, peer)
        if door.connections >= self._limits.connections_per_machine:
            return None
        door.connections += 1
        return door

    def forget_requests(self) -> None:
        for door in self._doors.values():
            door.memo.clear()

    def _add(self, listener: Listener, peer: Peer) -> Door:
        limits = self._limits
        remembers = limits.memo_requests if limits.rate is None else 0  # a rate is counted on the strict path
        door = Door(listener.identity, peer, requests=remembers, longest=limits.memo_bytes)
        if len(self._doors) >= limits.memo_tables:
            self._doors = {key: door for key, door in self._doors.items() if door.connections}
        self._doors[listener, peer] = door
        return door


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
