"""Where the service listens.

On loopback one socket serves all of 127.0.0.0/8, where every machine of the fleet has an address of its own: it is
bound to the loopback device instead of to an address. Where the system cannot do that, each address gets a socket.
"""

import errno
import os
import socket
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from forewarn.domain.errors import Conflict, Invalid
from forewarn.imds.addresses import is_loopback
from forewarn.imds.identity import ByLocalAddress, Everyone, Identity

_ANY = "0.0.0.0"  # noqa: S104  only ever bound to the loopback device
BACKLOG = 4096
_SEND_BUFFER = 64 * 1024  # what the kernel keeps for a client that does not read
_MOST_SOCKETS = 256
_LONGEST_PATH = 107  # of a unix socket


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Listener:
    sockets: tuple[socket.socket, ...]
    identity: Identity
    loopback_only: bool = False  # a connection to any other address is cut

    @property
    def port(self) -> int:
        address = self.sockets[0].getsockname()
        return int(address[1]) if isinstance(address, tuple) else 0


def on_loopback(port: int, addresses: Iterable[str] = (), *, one_socket: bool = True) -> Listener:
    """All of 127.0.0.0/8. `addresses`, those of the machines, matter only where one socket cannot serve them all."""
    device = getattr(socket, "SO_BINDTODEVICE", None) if one_socket else None
    if device is not None:
        listening = _socket(socket.AF_INET)
        with suppress(OSError):
            listening.setsockopt(socket.SOL_SOCKET, device, b"lo\0")
            return _loopback_listener([_bound(listening, (_ANY, port))])
        listening.close()
    wanted = list(dict.fromkeys(["127.0.0.1", *filter(is_loopback, addresses)]))
    if len(wanted) > _MOST_SOCKETS:
        raise Invalid(
            f"this system needs one socket per machine on loopback, and {len(wanted)} are too many"
            f" (at most {_MOST_SOCKETS}): let machines ask by unix socket or from their own addresses instead"
        )
    sockets: list[socket.socket] = []
    for address in wanted:
        sockets.append(_bound(_socket(_family(address)), (address, port)))
        port = sockets[0].getsockname()[1]
    return _loopback_listener(sockets)


def on_address(host: str, port: int, identity: Identity, *, wildcard: bool = False) -> Listener:
    try:
        ip = ip_address(host)
    except ValueError:
        raise Invalid(f"{host!r} is not an IP address to listen on") from None
    if ip.is_unspecified and not wildcard:
        raise Invalid(
            f"{host} is every address of this host, which would show the machines' metadata to the network:"
            " name one address, or say explicitly that all are meant"
        )
    return Listener(sockets=(_bound(_socket(_family(host)), (host, port)),), identity=identity)


def on_socket_file(directory: Path, file: str, scope: str, name: str) -> Listener:
    """A unix socket that is one machine. Only this user can reach it: directory 0700, socket 0600."""
    path = directory / f"{file}.sock"
    if path.parent != directory or len(os.fsencode(path)) > _LONGEST_PATH:
        raise Invalid(f"a unix socket cannot be made at {str(path)!r}: the name is too long or leaves its directory")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory.chmod(0o700)
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.stat().st_mode):
            path.unlink()  # left behind by an earlier run
    listening = _bound(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), str(path))
    path.chmod(0o600)
    return Listener(sockets=(listening,), identity=Everyone(scope, name))


def _loopback_listener(sockets: list[socket.socket]) -> Listener:
    return Listener(sockets=tuple(sockets), identity=ByLocalAddress(), loopback_only=True)


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _socket(family: socket.AddressFamily) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio leaves Nagle on
    listening.setblocking(False)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    with suppress(AttributeError, OSError):
        # Clients are on this host or next to it: there is nothing to pace, and pacing costs a timer per answer.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
    return listening


def _bound(listening: socket.socket, address: str | tuple[str, int]) -> socket.socket:
    try:
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        where = address if isinstance(address, str) else "{}:{}".format(*address)
        raise Conflict(f"cannot listen on {where}: {_advice(error, where)}") from None
    return listening


def _advice(error: OSError, where: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return "it is in use by another program"
        case errno.EADDRNOTAVAIL:
            return f"this host has no such address; on Linux: ip address add {where.rpartition(':')[0]} dev lo"
        case errno.EACCES:
            return "permission denied; a port below 1024 needs root or CAP_NET_BIND_SERVICE"
        case _:
            return os.strerror(error.errno or 0)
