"""Where a webhook may be: anywhere its owner can name, but not at Forewarn's own doors and not at a metadata service.

Loopback and private addresses are allowed: that is where people try things out. What is checked is the address that is
then connected to, so a name that resolves to something else a moment later gains nothing.
"""

import re
import socket
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from forewarn.domain.errors import Invalid

LONGEST = 2048
PORTS = {"http": 80, "https": 443}
METADATA = frozenset(
    map(ip_address, ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"))
)
"""Beside link-local addresses: where Azure's wire server, and metadata services of other clouds, are."""

_EMBEDDING = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
"""Where the last four bytes are an IPv4 address, which a gateway may take it for."""

_PRINTABLE = re.compile(r"[!-~]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    secure: bool
    host: str  # as it resolves; without brackets
    port: int
    authority: str  # as it stands in Host
    path: str  # with the query

    @property
    def origin(self) -> str:
        """All of the URL that can be shown: a path or a query may hold a secret."""
        return f"{'https' if self.secure else 'http'}://{self.authority}"


def target_of(url: str) -> Target:
    """Invalid, with words for whoever wrote it, if nothing can be called there."""
    if len(url) > LONGEST or not _PRINTABLE.fullmatch(url):
        raise Invalid(f"A webhook's URL has at most {LONGEST} characters, all of them printable ASCII.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Invalid(f"The webhook's URL cannot be read: {error}.") from None
    scheme = parts.scheme.lower()
    if scheme not in PORTS or not parts.hostname or port == 0:
        raise Invalid("A webhook's URL begins with https:// or http://, and names a host.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise Invalid("A webhook's URL holds no user, password or fragment.")
    return Target(
        secure=scheme == "https",
        host=parts.hostname,
        port=port or PORTS[scheme],
        authority=parts.netloc,
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
    )


def check_address(address: str, port: int, own_ports: Collection[int]) -> None:
    """Invalid if that must not be called."""
    found = _folded(address)
    if found.is_link_local or found.is_multicast or found in METADATA:
        raise Invalid(f"A webhook cannot be at {found}: metadata services answer there.")
    if port in own_ports and _is_here(str(found)):
        raise Invalid(f"A webhook cannot be at {found} port {port}: that is Forewarn itself.")


def _folded(address: str) -> IPv4Address | IPv6Address:
    found = ip_address(address.partition("%")[0])
    if not isinstance(found, IPv6Address) or found.is_loopback or found.is_unspecified:
        return found
    if any(found in network for network in _EMBEDDING):
        return IPv4Address(found.packed[-4:])
    return found.ipv4_mapped or found.sixtofour or found


def _is_here(address: str) -> bool:
    """Whether it is an address of this machine: only those can be bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True
