"""A transport in memory: bytes go in exactly as they are cut, and come out on a tape."""

import asyncio
import re

from forewarn.imds.identity import ByLocalAddress
from forewarn.imds.listeners import Listener
from forewarn.imds.server import Server

LISTENER = Listener(sockets=(), identity=ByLocalAddress(), loopback_only=True)
_new_each_time = re.compile(rb"(x-ms-request-id|Date): [^\r]*\r\n")


class Tape(asyncio.Transport):
    def __init__(self, local: str = "127.0.0.1") -> None:
        super().__init__({"sockname": (local, 80), "peername": ("127.0.0.1", 50000)})
        self.written = bytearray()
        self.ended = False  # no further answer will come

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.ended, "something was written after the end"
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def can_write_eof(self) -> bool:
        return True

    def close(self) -> None:
        self.ended = True

    def abort(self) -> None:
        self.ended = True

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    @property
    def comparable(self) -> bytes:
        """What was written, without what is new each time."""
        return _new_each_time.sub(b"", bytes(self.written))


class Line:
    """A connection whose other end is the test."""

    def __init__(self, server: Server, local: str = "127.0.0.1") -> None:
        self.tape = Tape(local)
        self._connection = server.connect(LISTENER)
        self._connection.connection_made(self.tape)

    async def send(self, data: bytes) -> None:
        """Returns when everything that needs no other event has happened."""
        self._connection.data_received(data)
        for _ in range(6):
            await asyncio.sleep(0)

    @property
    def remembered(self) -> set[bytes]:
        return set(self._connection._memo)

    def hang_up(self) -> None:
        self._connection.connection_lost(None)
