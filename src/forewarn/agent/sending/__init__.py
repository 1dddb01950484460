"""Sending one message once, in the form its receiver speaks. Nothing here decides when, or how often.

Undelivered
├── NotTaken   the receiver does not want it: do not send it again
└── TryLater   it may work another time

Their words name the host and never the rest of an address, a header, a password or what the receiver answered.
"""

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from forewarn.agent.errors import AgentError
from forewarn.agent.steps.notify import Notify, To


class Undelivered(AgentError):
    pass


class NotTaken(Undelivered):
    pass


class TryLater(Undelivered):
    def __init__(self, message: str, *, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
        """Seconds the receiver asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    id: str
    """The same at each try, so that a receiver can tell a repetition."""
    text: str
    at: datetime
    """When it was so."""
    facts: Mapping[str, str]
    """Names and values as templates use them; `moment` and `note` among them."""


class Wire:
    """One try's connection, which another thread can cut: who sends a byte now and then never times out."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_cut = False

    def holds(self, connection: socket.socket) -> None:
        with self._lock:
            self._socket = connection
            if self._is_cut:
                self._shut()

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                # Not SSLSocket's own, which would pull the TLS state from under the thread that is reading.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def deliver(step: Notify, message: Message, wire: Wire) -> str:
    """Says who took it, or raises Undelivered. Only who sends mail pays for what that imports."""
    if step.to is To.EMAIL:
        from forewarn.agent.sending import mail

        return mail.post(step, message, wire)
    from forewarn.agent.sending import web

    return web.post(step, message, wire)
