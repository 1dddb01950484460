"""What the metadata service tells of coming events, as values.

Reading is liberal: a document may lack keys, have more of them, or name types and statuses that nobody has heard of.
What cannot be read is None or kept as its plain string, never guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum


class EventType(Enum):
    """What will happen to the machines of an event."""

    FREEZE = "Freeze"  # paused for seconds; memory and open files survive
    REBOOT = "Reboot"  # restarted; what is only in memory is lost
    REDEPLOY = "Redeploy"  # moved to another host; ephemeral disks are lost too
    PREEMPT = "Preempt"  # a Spot machine is taken away, with half a minute of notice
    TERMINATE = "Terminate"  # deleted


class Status(Enum):
    SCHEDULED = "Scheduled"  # it has not happened yet; it may be approved
    STARTED = "Started"  # it is happening


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    id: str
    """As the server wrote it; ids are the same in any letter case."""
    type: EventType | str
    """A plain string if this code has no word for it."""
    status: Status | str
    resources: tuple[str, ...]
    """Names of machines, without the `_` that the oldest versions put before them."""
    not_before: datetime | None = None
    """None once it has started, and when the date cannot be read: unknown, not due."""
    description: str = ""
    source: str = ""
    """`Platform` or `User`; empty if the server does not say."""
    duration: timedelta | None = None
    """The interruption to expect; None if unknown."""
    raw: Mapping[str, object] = field(repr=False, hash=False)
    """The event exactly as it was sent."""

    @property
    def key(self) -> str:
        """Ids that differ in letter case only are one event."""
        return self.id.upper()

    @property
    def kind(self) -> str:
        return self.type.value if isinstance(self.type, EventType) else self.type

    @property
    def is_started(self) -> bool:
        return self.status is Status.STARTED


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    incarnation: int
    """-1 if the server does not say."""
    events: tuple[Event, ...]
    date: datetime | None
    """The server's own time when it answered; None if it did not say."""
    etag: str = ""

    def event(self, id: str) -> Event | None:
        return next((event for event in self.events if event.key == id.upper()), None)
