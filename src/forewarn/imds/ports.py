"""What the metadata service asks of the world."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from forewarn.domain.events import Actor, Event
from forewarn.domain.machines import Machine
from forewarn.wire.identity import Token


class Clock(Protocol):
    """The fleet's time: the Date of answers, and when a scope was last seen."""

    def now(self) -> datetime: ...


class Backend(Protocol):
    """Where requests that change something go. It may take its time; other requests are served meanwhile.

    `Unavailable` means that nothing was changed and the client shall try again.
    """

    async def enrol(self, scope: str, by: Actor) -> None:
        """Somebody in the scope has asked for the first time. On return the enrolled document is published."""
        ...

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        """Approve those events of the scope, durably. Returns the ids that are unknown there.

        An event that is approved, started or recently finished is not unknown.
        """
        ...

    async def say_ready(self, scope: str, event_id: str, machine: str, ready: bool) -> Event:
        """Note, durably, that this machine of the scope is ready for the event, or is not; the event as it is then.

        NotFound: no such event in the scope. Forbidden: it is not about the machine. Conflict: it is too late.
        """
        ...

    async def readiness(self, scope: str, event_id: str) -> Event:
        """The event as it is now. NotFound as above."""
        ...


class Identities(Protocol):
    """The managed identity that every machine has."""

    def client_id(self, machine: Machine) -> str:
        """Under which the machine is known to those who are shown its tokens."""
        ...

    async def issue_token(self, machine: Machine, resource: str) -> Token:
        """A token that proves to `resource` which machine asks; what it may do there is decided elsewhere."""
        ...
