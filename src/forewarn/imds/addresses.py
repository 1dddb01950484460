"""IP addresses as text, one spelling for each."""

from ipaddress import IPv6Address, ip_address

DEFAULT = frozenset({"127.0.0.1", "::1"})
"""The fleet's first machine, unless a machine has or had that address."""


def fold(address: str) -> str:
    """The usual spelling: without a zone, and an IPv4 address that came dressed as IPv6 as what it is."""
    if ":" not in address:
        return address
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ip)


def is_loopback(address: str) -> bool:
    return address.startswith("127.") or address == "::1"
