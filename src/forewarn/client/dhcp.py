"""Option 245 asked for on the wire: a DHCPDISCOVER, and what a server offers. No lease is taken.

`discover_packet` and `read_offer` know the bytes (RFC 2131); `ask_on_the_wire` sends and listens.
"""

import selectors
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import pairwise
from pathlib import Path

_SERVER, _CLIENT = 67, 68
_ETHERNET = 1
_COOKIE = bytes.fromhex("63825363")
_HEAD = struct.Struct("!BBBBIHH16s16s192s4s")
_SHORTEST = 300  # some relays drop what is shorter
_REQUEST, _REPLY = 1, 2
_BROADCAST = 0x8000  # "answer to everybody": we have no address of our own yet, or not on this network
_PAD, _MESSAGE_TYPE, _WANTED, _ENDPOINT, _END = 0, 53, 55, 245, 255
_DISCOVER, _OFFER = 1, 2
_AGAIN = (0.0, 1.0, 3.0, 6.0)  # seconds: a DISCOVER is sent more than once, since nobody repeats a lost one


@dataclass(frozen=True, kw_only=True, slots=True)
class Interface:
    name: str
    mac: bytes


def interfaces(root: Path = Path("/sys/class/net")) -> list[Interface]:
    """Network cards that are up; if there is no card, whatever behaves like one."""
    ethernet = [folder for folder in sorted(root.glob("*")) if _text(folder / "type") == str(_ETHERNET)]
    up = [folder for folder in ethernet if _text(folder / "operstate") in ("up", "unknown")]
    cards = [folder for folder in up if (folder / "device").exists()]
    found = [(folder.name, _text(folder / "address").replace(":", "")) for folder in cards or up]
    return [Interface(name=name, mac=bytes.fromhex(mac)) for name, mac in found if len(mac) == 12 and int(mac, 16)]


def discover_packet(xid: int, mac: bytes) -> bytes:
    wanted = (1, 3, _ENDPOINT, 249)
    options = bytes([_MESSAGE_TYPE, 1, _DISCOVER, _WANTED, len(wanted), *wanted, _END])
    head = _HEAD.pack(_REQUEST, _ETHERNET, len(mac), 0, xid, 0, _BROADCAST, b"", mac, b"", _COOKIE)
    return (head + options).ljust(_SHORTEST, b"\0")


def read_offer(packet: bytes, xid: int, mac: bytes) -> str | None:
    """The address in option 245; None if it is no offer to us, or has no such address."""
    if len(packet) < _HEAD.size:
        return None
    op, _, length, _, their_xid, _, _, _, hardware, _, cookie = _HEAD.unpack_from(packet)
    if (op, their_xid, hardware[:length], cookie) != (_REPLY, xid, mac, _COOKIE):
        return None
    options = dict(_options(packet[_HEAD.size :]))
    endpoint = options.get(_ENDPOINT, b"")
    if options.get(_MESSAGE_TYPE) != bytes([_OFFER]) or len(endpoint) != 4 or not any(endpoint):
        return None
    return str(IPv4Address(endpoint))


def _options(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 1 < len(data) and data[at] != _END:
        if data[at] == _PAD:
            at += 1
            continue
        code, length = data[at], data[at + 1]
        yield code, data[at + 2 : at + 2 + length]
        at += 2 + length


def ask_on_the_wire(asked: Sequence[Interface], xid: int, *, timeout: float = 10.0) -> str | None:
    """The first address offered on any of them within `timeout` seconds. OSError if nobody can be asked from here."""
    if not asked:
        raise OSError("no network card is up")
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        for interface in asked:
            selector.register(stack.enter_context(_listening(interface)), selectors.EVENT_READ, interface)
        began = time.monotonic()
        for _, end in pairwise([*(seconds for seconds in _AGAIN if seconds < timeout), timeout]):
            _send(selector, xid)
            found = _listen(selector, xid, began + end)
            if found is not None:
                return found
    return None


def _listening(interface: Interface) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        listening.setblocking(False)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.name.encode() + b"\0")
        listening.bind(("", _CLIENT))  # to one device, of which the address may not be known yet
    except OSError:
        listening.close()
        raise
    return listening


def _send(selector: selectors.BaseSelector, xid: int) -> None:
    for key in selector.get_map().values():
        listening, interface = key.fileobj, key.data
        assert isinstance(listening, socket.socket)
        with suppress(OSError):  # a card that has just gone down; others may do
            listening.sendto(discover_packet(xid, interface.mac), ("255.255.255.255", _SERVER))


def _listen(selector: selectors.BaseSelector, xid: int, until: float) -> str | None:
    while (left := until - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            listening = key.fileobj
            assert isinstance(listening, socket.socket)
            with suppress(OSError):
                found = read_offer(listening.recv(4096), xid, key.data.mac)
                if found is not None:
                    return found
    return None


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
