"""Option 245 in what the DHCP clients of a system have written down: dhclient, systemd-networkd, NetworkManager."""

import re
from ipaddress import IPv4Address
from pathlib import Path

PLACES = (
    "run/systemd/netif/leases/*",
    "var/lib/NetworkManager/*.lease",
    "var/lib/dhcp/*.lease*",
    "var/lib/dhclient/*.lease*",
    "run/dhclient*.lease*",
)
_LONGEST = 1024 * 1024  # a file of dhclient has every lease there ever was; the latest is at its end

_option = re.compile(
    r"""^ [ \t]* (?:option[ \t]+)? (?:option|unknown|private) [-_] 245 [ \t]*=?[ \t]*
        (?: "(?P<text>(?:[^"\\\n]|\\.)*)" | (?P<value>[0-9a-f.:]+) )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_escape = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


def leased_addresses(root: Path = Path("/")) -> list[str]:
    """Those of the latest leases first."""
    files = {file for place in PLACES for file in root.glob(place)}
    found = [address for file in sorted(files, key=_written, reverse=True) if (address := _told_in(file))]
    return list(dict.fromkeys(found))


def read_lease(text: str) -> str | None:
    """The address in the last lease that has one."""
    addresses = [_from_text(match["text"]) or _from_value(match["value"]) for match in _option.finditer(text)]
    return next((str(address) for address in reversed(addresses) if address is not None), None)


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _told_in(file: Path) -> str | None:
    try:
        content = file.read_bytes()
    except OSError:
        return None
    return read_lease(content[-_LONGEST:].decode("latin-1"))


def _from_text(text: str | None) -> IPv4Address | None:
    """dhclient takes four bytes for a string: printable ones stand for themselves, others are octal."""
    if text is None:
        return None
    return _address(_escape.sub(_unescaped, text.encode("latin-1"))) or _from_value(text)


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8) & 0xFF]) if escape[1].isdigit() else escape[1]


def _from_value(value: str | None) -> IPv4Address | None:
    """`168.63.129.16`, `a8:3f:81:10` or `a83f8110`."""
    try:
        if value is None or "." in value:
            return None if value is None else _address(IPv4Address(value).packed)
        digits = "".join(byte.zfill(2) for byte in value.split(":"))
        return _address(bytes.fromhex(digits))
    except ValueError:
        return None


def _address(packed: bytes) -> IPv4Address | None:
    if len(packed) != 4:
        return None
    address = IPv4Address(packed)
    return None if address.is_unspecified or address.is_multicast or address.is_reserved else address
