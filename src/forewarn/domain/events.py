"""What is announced, what was asked for, and what is to be done.

An `Operation` is what somebody asked for. If there is notice to give, an `Event` announces it. When it starts, an
`Action` per machine goes to the drivers. Three types, because three audiences see them: the caller, the machines,
the drivers.
"""

from datetime import datetime
from enum import Enum

from msgspec import Struct


class EventType(Enum):
    FREEZE = "Freeze"  # paused for seconds; memory and open files survive
    REBOOT = "Reboot"  # restarted; memory is lost
    REDEPLOY = "Redeploy"  # moved to another host; ephemeral disks are lost
    PREEMPT = "Preempt"  # a Spot machine is taken away
    TERMINATE = "Terminate"  # deleted


class Source(Enum):
    PLATFORM = "Platform"  # maintenance, failing hardware, reclaimed capacity
    USER = "User"  # the machine's owner asked for it


class Phase(Enum):
    SCHEDULED = "Scheduled"  # announced; waits for approval or NotBefore
    STARTED = "Started"  # the impact is under way
    COMPLETED = "Completed"  # over; no longer in the document
    CANCELED = "Canceled"  # called off before it started
    FAILED = "Failed"  # the driver gave up; no longer in the document

    @property
    def is_live(self) -> bool:
        """Whether the document shows it."""
        return self in LIVE


LIVE = (Phase.SCHEDULED, Phase.STARTED)


class ActorKind(Enum):
    MACHINE = "machine"  # a machine of the scope, through its metadata endpoint
    USER = "user"  # a person or program on the control plane
    SYSTEM = "system"  # a rule: NotBefore, a policy, a campaign, a driver's report


class Actor(Struct, frozen=True):
    """Who did it, as the history tells it."""

    kind: ActorKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.name}"

    @classmethod
    def machine(cls, name: str) -> "Actor":
        return cls(ActorKind.MACHINE, name)

    @classmethod
    def user(cls, name: str) -> "Actor":
        return cls(ActorKind.USER, name)

    @classmethod
    def system(cls, name: str) -> "Actor":
        return cls(ActorKind.SYSTEM, name)


class Approval(Struct, frozen=True, kw_only=True):
    by: Actor
    at: datetime
    acknowledged: bool = False  # through the control plane, with the right to let events start


class Readiness(Struct, frozen=True, kw_only=True):
    """What a machine said last of itself, for one event."""

    machine: str
    ready: bool
    at: datetime
    times: int  # how often it became ready


class Event(Struct, frozen=True, kw_only=True):
    """A scheduled event. It has one id for life."""

    id: str  # an upper-case GUID
    scope: str
    operation: str  # the operation it announces
    type: EventType
    source: Source
    resources: tuple[str, ...]  # machine names, all of one update domain
    scheduled_at: datetime
    not_before: datetime
    phase: Phase = Phase.SCHEDULED
    description: str = ""
    duration: int = -1  # expected interruption in seconds; -1 unknown, 0 none
    approvals: tuple[Approval, ...] = ()
    readiness: tuple[Readiness, ...] = ()  # of machines in `resources`; nobody outside sees it in a document
    campaign: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


class OperationState(Enum):
    IN_PROGRESS = "InProgress"  # announced, or with the drivers
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"  # a driver gave up on one of its machines
    CANCELED = "Canceled"  # called off before it started


class Operation(Struct, frozen=True, kw_only=True):
    """What somebody asked for. It ends when its event does, or, without one, when the drivers are done."""

    id: str
    scope: str
    impact: EventType
    source: Source
    machines: tuple[str, ...]
    requested_by: Actor
    requested_at: datetime
    event: str | None = None  # None: it ran at once, unannounced
    request: str = ""  # what was asked for in one go has one; "": it was asked for by itself
    pending: tuple[str, ...] = ()  # machines whose action is not done yet
    failures: tuple[str, ...] = ()  # "machine: reason" for each action given up
    replacement: str | None = None  # SCOPE/NAME of the machine that was made to take the place of the one that goes
    state: OperationState = OperationState.IN_PROGRESS
    message: str = ""
    ended_at: datetime | None = None

    @property
    def is_live(self) -> bool:
        return self.state is OperationState.IN_PROGRESS


class Action(Struct, frozen=True, kw_only=True):
    """One impact on one machine, to be performed once. Known by (operation, machine)."""

    operation: str
    machine: str
    scope: str
    event: str | None
    impact: EventType
    source: Source
    started_at: datetime  # when the impact began, by the fleet's clock
    due: datetime  # when to try (again), by the fleet's clock
    attempts: int = 0
    fence: int = 0  # grows with every lease; who holds an older one must not act
    duration: int = -1


class Announcement(Struct, frozen=True, kw_only=True):
    """One event as the document tells it: what may be seen, and nothing else."""

    id: str
    phase: Phase
    type: EventType
    source: Source
    resources: tuple[str, ...]
    not_before: datetime | None  # None once started
    description: str
    duration: int


class Document(Struct, frozen=True, kw_only=True):
    """What a scope's machines see. Of two, the one with the greater (epoch, incarnation) is the newer."""

    scope: str
    epoch: int
    incarnation: int
    enrolled: bool
    iaas: bool = True  # False for role instances, whose names were never prefixed on the wire
    announcements: tuple[Announcement, ...] = ()


def announce(event: Event) -> Announcement:
    return Announcement(
        id=event.id,
        phase=event.phase,
        type=event.type,
        source=event.source,
        resources=event.resources,
        not_before=event.not_before if event.phase is Phase.SCHEDULED else None,
        description=event.description,
        duration=event.duration,
    )
