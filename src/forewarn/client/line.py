"""One connection, as `http.client` wants it, but with an end to patience.

A time-out of a socket starts anew with every byte; here it is one moment for the whole answer, and an alarm is waited
for beside it. Both are in `readinto`, so whatever part of an answer is being read, they hold.
"""

import io
import socket
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse
from typing import TYPE_CHECKING

from forewarn.client.alarm import Alarm, wait_for
from forewarn.client.errors import Interrupted

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Line:
    def __init__(self, connection: socket.socket, host: str, port: int) -> None:
        self._socket = connection
        self._http = HTTPConnection(host, port)
        self._http.auto_open = 0  # a new connection is the transport's to make
        self._until = 0.0
        self._alarm: Alarm | None = None

    def ask(
        self,
        method: str,
        target: str,
        fields: Mapping[str, str],
        body: bytes | None,
        *,
        timeout: float,
        alarm: Alarm | None,
    ) -> HTTPResponse:
        self._until, self._alarm = time.monotonic() + timeout, alarm
        self._socket.settimeout(timeout)
        self._http.sock = self
        self._http.request(method, target, body, dict(fields))
        return self._http.getresponse()

    def is_quiet(self) -> bool:
        """Nothing to read: the server has neither hung up nor said a word that nobody asked for."""
        return not wait_for(0.0, None, self._socket)

    def hang_up(self) -> None:
        self._socket.close()

    def readinto(self, buffer: "WriteableBuffer") -> int:
        if not wait_for(self._until - time.monotonic(), self._alarm, self._socket):
            if self._alarm is not None and self._alarm.rung:
                raise Interrupted("The answer is no longer waited for: somebody interrupted the client.")
            raise TimeoutError("the answer did not come in time")
        return self._socket.recv_into(buffer)

    # What http.client does to a socket.

    def sendall(self, data: bytes) -> None:
        self._socket.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Raw(self))

    def close(self) -> None:
        """http.client closes before it has read: the transport hangs up when it has."""


class _Raw(io.RawIOBase):
    def __init__(self, line: Line) -> None:
        self._line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        return self._line.readinto(buffer)
