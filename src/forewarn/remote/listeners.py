"""Whose program listens on a port of this host, where the system tells: Linux does.

A note of a Forewarn that was killed stays behind, and its port is then free for anybody on the same host. Whoever took
it must not be sent the login.
"""

from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
LISTENS = "0A"


def listening_users(port: int) -> set[int]:
    """The user ids of those who would get a connection to that port of this host. Empty where that is not known."""
    found: set[int] = set()
    for table in TABLES:
        with suppress(OSError):
            found.update(user for at, user in _listeners(Path(table).read_text()) if at == port)
    return found


def _listeners(table: str) -> Iterator[tuple[int, int]]:
    """The port and the user of each that listens on loopback or everywhere."""
    for line in table.splitlines()[1:]:
        words = line.split()
        address, _, port = words[1].partition(":")
        if words[3] == LISTENS and _is_near(address):
            yield int(port, 16), int(words[7])


def _is_near(address: str) -> bool:
    """The kernel writes addresses as hexadecimal words, each in the byte order of the machine it was made for."""
    raw = bytes.fromhex(address)
    found: IPv4Address | IPv6Address = ip_address(b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4)))
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    return found.is_loopback or found.is_unspecified
