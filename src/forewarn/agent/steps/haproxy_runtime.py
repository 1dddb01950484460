"""One server as one HAProxy has it, seen and changed through HAProxy's runtime API.

The API takes a line of text on a socket and answers in text until it closes. Its words for what went wrong are
translated here into words a person can act on.
"""

import csv
import socket
import time
from dataclasses import dataclass
from enum import IntFlag

from forewarn.agent.errors import StepFailed
from forewarn.agent.turns import Turn

PATIENCE = 3.0
"""How long a socket may be away: a HAProxy that is being restarted comes back."""
PAUSE = 0.1
NO_REPLY = 5.0
OF_SERVERS = 4
"""The kind of row `show stat` is asked for."""


class Admin(IntFlag):
    """What was decided about a server, whatever its health is (`srv_admin_state`)."""

    MAINT = 0x01  # somebody has set it to maint
    MAINT_TOO = 0x02  # a server that it tracks is in maint
    DRAIN = 0x08  # somebody has set it to drain
    DRAIN_TOO = 0x10  # a server that it tracks is drained
    NO_ADDRESS = 0x20  # its name has no address


OUT = Admin.MAINT | Admin.MAINT_TOO | Admin.DRAIN | Admin.DRAIN_TOO | Admin.NO_ADDRESS
STOPPED = 0  # srv_op_state: the health check has found it down
CHECK_ON = 0x06  # srv_check_state: configured and enabled


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    id: str
    admin: Admin
    up: bool
    checked: bool
    """HAProxy checks its health."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Balancer:
    address: str
    """The path of a unix socket, or HOST:PORT."""
    backend: str
    server: str
    turn: Turn

    def seen(self) -> Seen:
        rows = self._rows(f"show servers state {self.backend}", start="1\n# be_id", gap=" ")
        row = next((row for row in rows if row["srv_name"] == self.server), None)
        if row is None:
            there = ", ".join(row["srv_name"] for row in rows) or "none"
            raise StepFailed(
                f"{self.address}: the backend {self.backend} has no server {self.server} (it has {there}); "
                "the option 'server' names it"
            )
        return Seen(
            id=row["srv_id"],
            admin=Admin(int(row["srv_admin_state"])) & OUT,
            up=int(row["srv_op_state"]) != STOPPED,
            checked=int(row["srv_check_state"]) & CHECK_ON == CHECK_ON,
        )

    def sessions(self, seen: Seen) -> int:
        """Those that it serves, and those that wait for it."""
        rows = self._rows(f"show stat {self.backend} {OF_SERVERS} {seen.id}", start="# pxname", gap=",")
        return sum(int(row["scur"]) + int(row["qcur"]) for row in rows)

    def set(self, what: str) -> None:
        answer = self._ask(f"set server {self.backend}/{self.server} {what}").strip()
        if answer:
            raise StepFailed(f"{self.address}: HAProxy does not set {self.backend}/{self.server} {what}: {answer}")

    def _rows(self, command: str, *, start: str, gap: str) -> list[dict[str, str]]:
        answer = self._ask(command)
        if not answer.startswith(start):
            first = answer.strip().partition("\n")[0][:200]
            raise StepFailed(f"{self.address}: {command!r} was answered {first!r}: is this HAProxy's runtime API?")
        lines = answer[answer.index("#") + 1 :].strip().splitlines()
        return list(csv.DictReader(lines, delimiter=gap, restkey="", restval=""))

    def _ask(self, command: str) -> str:
        until = time.monotonic() + min(PATIENCE, self.turn.left() / 2)
        while True:
            try:
                return self._understood(self._exchange(command))
            except PermissionError:
                raise StepFailed(
                    f"{self.address}: this user may not open it; HAProxy's `stats socket {self.address} "
                    "user … group … mode 660 level admin` says who may"
                ) from None
            except OSError as error:
                if time.monotonic() >= until:
                    raise StepFailed(f"{self.address}: {_why(error)}; {self._remedy()}") from None
            self.turn.pause(PAUSE)

    def _exchange(self, command: str) -> str:
        patience = max(min(NO_REPLY, self.turn.left()), PAUSE)
        with self._connected(patience) as connection:
            connection.sendall(command.encode() + b"\n")
            parts = []
            while part := connection.recv(65536):
                parts.append(part)
        if not parts:
            raise ConnectionError("the connection was closed without an answer")
        return b"".join(parts).decode(errors="replace")

    def _connected(self, patience: float) -> socket.socket:
        if not self.address.startswith("/"):
            host, _, port = self.address.rpartition(":")
            return socket.create_connection((host.strip("[]"), int(port)), patience)
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(patience)
            connection.connect(self.address)
        except OSError:
            connection.close()
            raise
        return connection

    def _understood(self, answer: str) -> str:
        first = answer.strip()
        if first.startswith("Permission denied"):
            raise StepFailed(
                f"{self.address}: HAProxy does not let this socket change servers: write `level admin` behind its "
                "`stats socket`, and reload HAProxy"
            )
        if first in ("Can't find backend.", "No such backend.", "No such proxy."):
            raise StepFailed(f"{self.address}: HAProxy has no backend {self.backend}; the option 'backend' names it")
        return answer

    def _remedy(self) -> str:
        return f"is HAProxy running, with `stats socket {self.address} level admin`?"


def _why(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).rstrip(".")
