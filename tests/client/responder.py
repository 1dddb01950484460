"""A DHCP server of few words, for one client: it offers what it is told to. Run inside a private network only."""

import socket
import struct
from collections.abc import Callable, Sequence

Option = tuple[int, bytes]

COOKIE = b"\x63\x82\x53\x63"
ENDPOINT: Option = (245, bytes([168, 63, 129, 16]))
OFFER: Option = (53, b"\x02")


def reply(asked: bytes, options: Sequence[Option], *, xid: bytes | None = None, op: int = 2) -> bytes:
    """To the packet that was asked with; laid out by hand, so that no code of the client's reads its own writing."""
    head = bytes([op, 1, 6, 0]) + (xid or asked[4:8]) + struct.pack("!HH", 0, 0x8000)
    addresses = bytes(4) + bytes([10, 0, 0, 4]) + bytes(8)
    tail = b"".join(bytes([code, len(value)]) + value for code, value in options)
    return head + addresses + asked[28:44] + bytes(192) + COOKIE + tail + b"\xff"


def serve(interface: str, answer: Callable[[bytes], Sequence[bytes]], ready: Callable[[], None]) -> bytes:
    """Answers one packet, and returns it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.settimeout(20)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        listening.bind(("", 67))
        ready()
        asked, _ = listening.recvfrom(4096)
        for packet in answer(asked):
            listening.sendto(packet, ("255.255.255.255", 68))
        return asked
