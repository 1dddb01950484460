"""A scope: the machines that share one document. The unit of truth, and what one command locks."""

from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.consent import FIRST, ApprovalPolicy
from forewarn.domain.events import Document, Event, Operation, announce


class ScopeKind(Enum):
    STANDALONE = "standalone"  # one VM, alone
    AVAILABILITY_SET = "availability-set"
    PLACEMENT_GROUP = "placement-group"  # of a scale set; at most 100 machines in Azure
    CLOUD_SERVICE = "cloud-service"  # role instances, such as FrontEnd_IN_0


def group_prefix(scale_set: str) -> str:
    """What the ids of a scale set's placement groups begin with: `web:0`, `web:1`, in zones `web:z1-0`."""
    return f"{scale_set}:"


class EventsPolicy(Struct, frozen=True, kw_only=True):
    """Azure's scheduledEventsPolicy: what is approved without asking."""

    approve_user_reboot: bool = False
    approve_user_redeploy: bool = False
    approve_all_instances_down: bool = True
    publish: bool = False  # also to Event Grid and Resource Graph
    publish_version: str = "2020-07-01"  # of the document that is published


class Walk(Struct, frozen=True, kw_only=True):
    """A campaign's way through one scope, one update domain at a time. It is dropped when it has come to its end."""

    campaign: str
    pause: timedelta  # recovery time between two update domains
    remaining: tuple[int, ...]  # update domains still to come, in order
    current: int | None = None  # the update domain whose events are live
    due: datetime | None = None  # when to look again; None: waits for its events to end, or for `resume`
    halted: bool = False  # a driver failed: the next update domain waits for `resume`


class Scope(Struct, frozen=True, kw_only=True):
    """What is true of a scope now. `events` and `operations` hold what is live, and what this command just ended."""

    id: str
    kind: ScopeKind
    scale_set: str | None = None  # placement groups of one scale set share Terminate's rules
    policy: EventsPolicy = EventsPolicy()
    approval: ApprovalPolicy | None = None  # None: nobody chose one
    epoch: int = 1
    incarnation: int = 1
    enrolled_at: datetime | None = None
    last_seen: datetime | None = None
    any_running: bool = True
    events: tuple[Event, ...] = ()
    operations: tuple[Operation, ...] = ()
    walk: Walk | None = None  # one campaign at a time
    owner: str = ""  # key of the resource it was made for; "" if nobody's
    declared: bool = True  # named in a fleet file: it stays when its machines are gone
    flexible: bool = False  # a flexible scale set's: its instances are plain VMs
    update_domains: int = 5  # over so many of them its machines are spread
    fault_domains: int = 5

    @property
    def is_enrolled(self) -> bool:
        return self.enrolled_at is not None

    @property
    def approval_policy(self) -> ApprovalPolicy:
        return self.approval or FIRST

    @property
    def document(self) -> Document:
        return Document(
            scope=self.id,
            epoch=self.epoch,
            incarnation=self.incarnation,
            enrolled=self.is_enrolled,
            iaas=self.kind is not ScopeKind.CLOUD_SERVICE,
            announcements=tuple(announce(event) for event in self.events if event.phase.is_live),
        )


def without_ended(scope: Scope) -> Scope:
    """The scope as the next command finds it; itself if nothing in it has ended."""
    events = tuple([event for event in scope.events if event.phase.is_live])
    operations = tuple([operation for operation in scope.operations if operation.is_live])
    if len(events) == len(scope.events) and len(operations) == len(scope.operations):
        return scope
    return replace(scope, events=events, operations=operations)


def idle_since(scope: Scope) -> datetime | None:
    return scope.last_seen or scope.enrolled_at


def disenrol_at(scope: Scope, after: timedelta) -> datetime | None:
    """When the scope is forgotten unless somebody asks before; None if it is not enrolled."""
    since = idle_since(scope)
    return since + after if scope.is_enrolled and since is not None else None
