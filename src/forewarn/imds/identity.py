"""Who asks. The answer comes from what the kernel says of the connection, never from what a guest can write.

The one exception is the `NAME.localhost` form of the Host header: for development, and only where the client had to be
on this very host anyway.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from forewarn.imds.addresses import DEFAULT, is_loopback
from forewarn.imds.fleet import Fleet
from forewarn.imds.slots import Guest


class Peer(NamedTuple):
    """The two ends of a connection, folded; "" where there is no such address (unix sockets)."""

    local: str
    port: int  # the local one
    source: str


class Identity(Protocol):
    @property
    def by_source(self) -> bool:
        """Whether the client's own address matters."""
        ...

    def who(self, fleet: Fleet, peer: Peer, name: str) -> Guest | None:
        """`name` is that of a `NAME.localhost` Host header, or empty."""
        ...


@dataclass(frozen=True, slots=True)
class ByLocalAddress:
    """Each machine has an address of its own to connect to, usually in 127.0.0.0/8."""

    by_source: bool = False

    def who(self, fleet: Fleet, peer: Peer, name: str) -> Guest | None:
        if name and is_loopback(peer.local):
            return fleet.called(name)
        guest = fleet.at(peer.local)
        return fleet.first if guest is None and peer.local in DEFAULT - fleet.deserted else guest


@dataclass(frozen=True, slots=True)
class BySourceAddress:
    """Each machine asks from an address of its own; the network must see to it that no other can."""

    by_source: bool = True

    def who(self, fleet: Fleet, peer: Peer, name: str) -> Guest | None:
        return fleet.at(peer.source)


@dataclass(frozen=True, slots=True)
class Everyone:
    """Whoever asks is this machine: a socket of its own, or a host with one machine."""

    scope: str
    name: str
    by_source: bool = False

    def who(self, fleet: Fleet, peer: Peer, name: str) -> Guest | None:
        return fleet.known_as(self.scope, self.name)
