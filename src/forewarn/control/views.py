"""What the API tells of machines, scopes, events, operations, campaigns and entries: its own shapes, not the domain's.

Where a shape's fields have the domain's names, `tell` copies them over.
"""

from datetime import datetime, timedelta
from typing import TypeVar

import msgspec
from msgspec import Struct

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.consent import ApprovalPolicy, Rule, waits_for
from forewarn.domain.events import ActorKind, Event, EventType, Operation, OperationState, Phase, Source
from forewarn.domain.faults import Fault, Seen
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import EvictionPolicy, Machine, Power, Priority
from forewarn.domain.scopes import Scope, ScopeKind

V = TypeVar("V", bound=Struct)


class View(Struct, frozen=True, kw_only=True):
    """The root of all shapes that are told."""


class ActorView(View, frozen=True):
    kind: ActorKind
    name: str


class ProfileView(View, frozen=True):
    vm_id: str
    location: str
    resource_group: str
    subscription_id: str
    size: str
    os_type: str
    private_ip: str
    tags: dict[str, str]


class MachineView(View, frozen=True):
    scope: str
    name: str
    computer_name: str
    address: str
    update_domain: int
    fault_domain: int
    host: str
    zone: str
    priority: Priority
    eviction_policy: EvictionPolicy
    power: Power
    terminate_notice: timedelta | None
    profile: ProfileView
    metadata_url: str = ""


class PolicyView(View, frozen=True):
    approve_user_reboot: bool
    approve_user_redeploy: bool
    approve_all_instances_down: bool


class ApprovalPolicyView(View, frozen=True):
    rule: Rule
    count: int | None  # the k of k-of-n


class ScopeView(View, frozen=True):
    id: str
    kind: ScopeKind
    scale_set: str | None
    policy: PolicyView
    approval_policy: ApprovalPolicyView
    epoch: int
    incarnation: int
    enrolled_at: datetime | None
    last_seen: datetime | None
    any_running: bool
    live_events: int = 0
    campaign: str | None = None


class ApprovalView(View, frozen=True):
    by: ActorView
    at: datetime


class ReadyView(View, frozen=True):
    machine: str
    at: datetime


class WaitingView(View, frozen=True):
    """What an event still needs to start before NotBefore."""

    approval_policy: ApprovalPolicyView  # of its scope
    approved: bool  # that is satisfied: it waits for other deletes of its scale set
    machines: list[str]  # those that it names and that have not said yes
    needed: int  # so many of them; 0 under first and human


class EventView(View, frozen=True):
    id: str
    scope: str
    operation: str
    type: EventType
    source: Source
    resources: list[str]
    phase: Phase
    scheduled_at: datetime
    not_before: datetime
    started_at: datetime | None
    ended_at: datetime | None
    description: str
    duration: int
    approvals: list[ApprovalView]
    campaign: str | None
    ready: list[ReadyView] = []
    waits_for: WaitingView | None = None  # None unless it is scheduled


class OperationView(View, frozen=True):
    id: str
    scope: str
    impact: EventType
    source: Source
    machines: list[str]
    requested_by: ActorView
    requested_at: datetime
    event: str | None
    pending: list[str]
    failures: list[str]
    replacement: str | None
    state: OperationState
    message: str
    ended_at: datetime | None


class CampaignView(View, frozen=True):
    id: str
    impact: EventType
    state: CampaignState
    requested_by: ActorView
    requested_at: datetime
    notice: timedelta | None
    pause: timedelta | None
    description: str | None
    scope_count: int = 0


class EntryView(View, frozen=True):
    seq: int
    scope: str
    at: datetime
    who: ActorView
    what: What
    subject: str
    before: str
    after: str
    detail: str
    digest: str


def tell(shape: type[V], value: Machine | Scope | Event | Operation | Campaign | Entry | Fault | Seen) -> V:
    return msgspec.convert(value, shape, from_attributes=True)


def tell_scope(scope: Scope) -> ScopeView:
    live = sum(event.phase.is_live for event in scope.events)
    campaign = scope.walk.campaign if scope.walk is not None else None
    approval = _tell_policy(scope.approval_policy)
    told = tell(ScopeView, scope)
    return msgspec.structs.replace(told, approval_policy=approval, live_events=live, campaign=campaign)


def _tell_policy(policy: ApprovalPolicy) -> ApprovalPolicyView:
    return ApprovalPolicyView(rule=policy.rule, count=policy.count or None)


def tell_event(event: Event, policy: ApprovalPolicy) -> EventView:
    """`policy`: of its scope."""
    ready = [ReadyView(machine=said.machine, at=said.at) for said in event.readiness if said.ready]
    waits = _tell_waiting(event, policy) if event.phase is Phase.SCHEDULED else None
    return msgspec.structs.replace(tell(EventView, event), ready=ready, waits_for=waits)


def _tell_waiting(event: Event, policy: ApprovalPolicy) -> WaitingView:
    missing = waits_for(event, policy)
    return WaitingView(
        approval_policy=_tell_policy(policy),
        approved=missing.approved,
        machines=list(missing.machines),
        needed=missing.needed,
    )


def tell_campaign(campaign: Campaign) -> CampaignView:
    return msgspec.structs.replace(tell(CampaignView, campaign), scope_count=len(campaign.scopes))
