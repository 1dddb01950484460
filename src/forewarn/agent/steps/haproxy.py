"""Takes this machine out of HAProxy before an event, lets its sessions end, and puts it back afterwards.

What somebody else has decided stays: a server that was out already is not put back by us, and one that was set to maint
while we had it drained stays in maint.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from forewarn.agent.errors import StepFailed
from forewarn.agent.steps.haproxy_runtime import PAUSE, Admin, Balancer, Seen
from forewarn.agent.templates import fill
from forewarn.agent.turns import Fact, Turn

_NAME = re.compile(r"[\w.:-]+", re.ASCII)
_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+):(\d{1,5})", re.ASCII)


class State(Enum):
    """What HAProxy is to do with the server."""

    DRAIN = "drain"  # no new traffic but what a cookie or the like binds to it; checks go on
    MAINT = "maint"  # no new traffic at all, and no checks


ENOUGH = {State.DRAIN: Admin.DRAIN | Admin.MAINT, State.MAINT: Admin.MAINT}
"""A server that has one of these is as far out as was asked for."""
OURS = {State.DRAIN: Admin.DRAIN, State.MAINT: Admin.MAINT | Admin.DRAIN}
"""What our own work leaves, on the way out and half-way back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    backend: str
    """The backend of HAProxy's configuration that this machine is in."""
    server: str = "{me}"
    """The machine's name in that backend; {me} is its name in events."""
    sockets: tuple[str, ...] = ("/run/haproxy/admin.sock",)
    """The runtime API of each HAProxy: the path of its stats socket, or HOST:PORT."""
    state: State = State.DRAIN
    """`drain`, or `maint` where cookies, stick tables or prefer-last-server bind clients to a server."""
    wait_for_sessions: bool = True
    """Prepare ends when no session is left, nor waits for this server. Otherwise it ends at once."""
    settle: timedelta = timedelta(milliseconds=200)
    """How long there must have been no session."""
    recheck: bool = True
    """Restore lets HAProxy check the server anew before it gets traffic, and ends when it is up."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.backend):
            raise ValueError(f"'backend' is no name that HAProxy could have: {self.backend!r}")
        if not self.sockets:
            raise ValueError("'sockets' is empty")
        if len(set(self.sockets)) < len(self.sockets):
            raise ValueError("'sockets' names one twice")
        for address in self.sockets:
            if not _is_address(address):
                raise ValueError(f"'sockets' are absolute paths or HOST:PORT, not {address!r}")

    def prepare(self, turn: Turn) -> None:
        balancers = [self._balancer(address, turn) for address in self.sockets]
        for balancer in balancers:
            self._take_out(balancer)
            if balancer.address not in _kept(turn):
                turn.say(f"{_named(balancer)} was out already, and will not be put back")
        if self.wait_for_sessions:
            self._wait_for_sessions(balancers, turn)

    def restore(self, turn: Turn) -> None:
        balancers = [self._balancer(address, turn) for address in _kept(turn)]
        _each(balancers, self._put_back)
        if self.recheck:
            _each(balancers, _wait_until_up)

    def told(self) -> tuple[str, str]:
        name = f"{self.backend}/{self.server} in HAProxy at {', '.join(self.sockets)}"
        wait = ", and wait until its sessions have ended" if self.wait_for_sessions else ""
        up = ", and wait until it is up" if self.recheck else ""
        return f"set {name} to {self.state.value}{wait}", f"set {name} back to what it was{up}"

    def _balancer(self, address: str, turn: Turn) -> Balancer:
        server = fill(self.server, turn.event, turn.me)
        if not _NAME.fullmatch(server):
            raise StepFailed(f"{server!r} is no name that HAProxy could have; the option 'server' names this machine")
        return Balancer(address=address, backend=self.backend, server=server, turn=turn)

    def _take_out(self, balancer: Balancer) -> Seen:
        seen = balancer.seen()
        if not seen.admin & ENOUGH[self.state]:
            kept = _kept(balancer.turn)
            if balancer.address not in kept:
                before = "drain" if seen.admin & Admin.DRAIN else "ready"
                balancer.turn.keep(before={**kept, balancer.address: before})
            balancer.set(f"state {self.state.value}")
        return seen

    def _wait_for_sessions(self, balancers: Sequence[Balancer], turn: Turn) -> None:
        told = -1
        quiet_since = time.monotonic()
        while True:
            # Taken out again and again: a HAProxy that was restarted has forgotten it.
            sessions = sum(balancer.sessions(self._take_out(balancer)) for balancer in balancers)
            if sessions:
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since >= self.settle.total_seconds():
                return
            if sessions != told:
                turn.say(f"{self.backend}: {sessions} session{'' if sessions == 1 else 's'} left")
                told = sessions
            turn.pause(PAUSE)

    def _put_back(self, balancer: Balancer) -> None:
        seen = balancer.seen()
        if seen.admin & Admin.MAINT and not OURS[self.state] & Admin.MAINT:
            balancer.turn.say(f"{_named(balancer)} was set to maint meanwhile, and stays so")
            return
        if not seen.admin & OURS[self.state]:
            return  # a HAProxy that was restarted, or the run before this one
        before = _kept(balancer.turn)[balancer.address]
        if before == "ready" and self.recheck and seen.checked:
            if seen.admin & Admin.MAINT:
                balancer.set("state drain")  # who leaves maint is taken for healthy, so there must be a stop on the way
            balancer.set("health down")
        balancer.set(f"state {before}")


def _is_address(text: str) -> bool:
    found = _HOST_AND_PORT.fullmatch(text)
    return text.startswith("/") or (found is not None and int(found[1]) < 65536)


def _kept(turn: Turn) -> dict[str, Fact]:
    """What each server that we took out had been before, by socket."""
    before = turn.kept.get("before")
    return dict(before) if isinstance(before, dict) else {}


def _wait_until_up(balancer: Balancer) -> None:
    told = False
    while (seen := balancer.seen()).checked and not seen.up and not seen.admin:
        if not told:
            balancer.turn.say(f"{_named(balancer)} is ready; HAProxy still has to see it healthy")
            told = True
        balancer.turn.pause(PAUSE)


def _each(balancers: Sequence[Balancer], do: Callable[[Balancer], None]) -> None:
    """One that cannot be reached does not keep the others from their turn."""
    troubles = []
    for balancer in balancers:
        try:
            do(balancer)
        except StepFailed as trouble:
            troubles.append(str(trouble))
    if troubles:
        raise StepFailed("; ".join(troubles))


def _named(balancer: Balancer) -> str:
    return f"{balancer.address}: {balancer.backend}/{balancer.server}"
