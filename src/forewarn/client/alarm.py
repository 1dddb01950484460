"""How another thread, or the handler of a signal, ends a wait.

It is a pair of sockets and not an event of `threading`: whoever waits for an answer can wait for the alarm beside it,
and ringing takes no lock, so a handler that runs in the middle of the wait itself may ring.
"""

import selectors
import socket
from contextlib import suppress


class Alarm:
    """Rings until it is cleared."""

    def __init__(self) -> None:
        self._ear, self._bell = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)
        self._rung = False

    @property
    def rung(self) -> bool:
        return self._rung

    def fileno(self) -> int:
        return self._ear.fileno()

    def ring(self) -> None:
        self._rung = True
        with suppress(OSError):  # nobody heard the last hundred either, or all is closed
            self._bell.send(b"!")

    def clear(self) -> None:
        with suppress(BlockingIOError):
            while self._ear.recv(4096):
                pass
        self._rung = False

    def close(self) -> None:
        self._ear.close()
        self._bell.close()


def wait_for(seconds: float, alarm: Alarm | None, connection: socket.socket | None = None) -> bool:
    """Until there is something to read on the connection (True), the alarm rings, or the time is over."""
    with selectors.DefaultSelector() as selector:
        for source in (alarm, connection):
            if source is not None:
                selector.register(source, selectors.EVENT_READ)
        came = selector.select(max(seconds, 0.0))
    return any(key.fileobj is connection for key, _ in came) and not (alarm is not None and alarm.rung)
