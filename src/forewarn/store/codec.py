"""Domain values as rows, and back.

A scope's row holds what is true of the scope itself: its operations have rows of their own, each with the event that
announces it, and whether any machine runs is read from the machines.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from forewarn.domain.campaigns import Campaign
from forewarn.domain.consent import ApprovalPolicy
from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Actor, ActorKind, Event, EventType, Operation, Source
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind, Walk

Row: TypeAlias = tuple[Any, ...]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class ScopeBody(msgspec.Struct, frozen=True, kw_only=True):
    """What of a scope is neither searched nor changed on its own."""

    kind: ScopeKind
    policy: EventsPolicy
    enrolled_at: datetime | None
    walk: Walk | None
    approval: ApprovalPolicy | None = None
    owner: str = ""
    declared: bool = True
    flexible: bool = False
    update_domains: int = 5
    fault_domains: int = 5


_encode = msgspec.json.Encoder().encode
_scope_body = msgspec.json.Decoder(ScopeBody).decode
to_event = msgspec.json.Decoder(Event).decode
to_operation = msgspec.json.Decoder(Operation).decode
to_machine = msgspec.json.Decoder(Machine).decode
to_campaign = msgspec.json.Decoder(Campaign).decode
to_resource = msgspec.json.Decoder(Resource).decode
to_job = msgspec.json.Decoder(Job).decode
to_notice = msgspec.json.Decoder(Notice).decode


def body(value: Event | Operation | Machine | Campaign | Resource | Job | Notice | ScopeBody) -> str:
    return _encode(value).decode()


def to_micros(moment: datetime) -> int:
    return (moment - EPOCH) // MICROSECOND


def to_moment(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def from_scope(scope: Scope, due: datetime | None) -> Row:
    """The columns of `add_scope` and `change_scope`."""
    walk = scope.walk
    return (
        scope.scale_set,
        None if walk is None else walk.campaign,
        scope.epoch,
        scope.incarnation,
        None if scope.last_seen is None else to_micros(scope.last_seen),
        None if due is None else to_micros(due),
        body(
            ScopeBody(
                kind=scope.kind,
                policy=scope.policy,
                enrolled_at=scope.enrolled_at,
                walk=walk,
                approval=scope.approval,
                owner=scope.owner,
                declared=scope.declared,
                flexible=scope.flexible,
                update_domains=scope.update_domains,
                fault_domains=scope.fault_domains,
            )
        ),
        scope.id,
    )


def to_scope(row: Row, live: Sequence[Row]) -> Scope:
    """From its row, and from the bodies of its live operations and of their events."""
    scope, scale_set, epoch, incarnation, last_seen, text, running = row
    rest = _scope_body(text)
    return Scope(
        id=scope,
        kind=rest.kind,
        scale_set=scale_set,
        policy=rest.policy,
        approval=rest.approval,
        epoch=epoch,
        incarnation=incarnation,
        enrolled_at=rest.enrolled_at,
        last_seen=None if last_seen is None else to_moment(last_seen),
        any_running=bool(running),
        events=tuple([to_event(event) for _, event in live if event is not None]),
        operations=tuple([to_operation(operation) for operation, _ in live]),
        walk=rest.walk,
        owner=rest.owner,
        declared=rest.declared,
        flexible=rest.flexible,
        update_domains=rest.update_domains,
        fault_domains=rest.fault_domains,
    )


def from_operation(operation: Operation, event: Event | None) -> Row:
    """The columns of `change_operation` and `end_operation`."""
    return body(operation), None if event is None else body(event), operation.id


def from_resource(resource: Resource) -> Row:
    machine = resource.machine or None
    scope = resource.scope if machine else None
    return (resource.key, resource.type.lower(), resource.group, scope, machine, body(resource))


def from_action(action: Action) -> Row:
    return (
        action.operation,
        action.machine,
        action.scope,
        action.event,
        action.impact.value,
        action.source.value,
        to_micros(action.started_at),
        to_micros(action.due),
        action.attempts,
        action.fence,
        action.duration,
    )


def to_action(row: Row) -> Action:
    operation, machine, scope, event, impact, source, started_at, due, attempts, fence, duration = row
    return Action(
        operation=operation,
        machine=machine,
        scope=scope,
        event=event,
        impact=EventType(impact),
        source=Source(source),
        started_at=to_moment(started_at),
        due=to_moment(due),
        attempts=attempts,
        fence=fence,
        duration=duration,
    )


def from_notice(notice: Notice) -> Row:
    ended = notice.event.ended_at
    return (notice.event.id, None if ended is None else to_micros(ended), body(notice))


def from_delivery(delivery: Delivery) -> Row:
    return (
        delivery.notice.id,
        delivery.subscription,
        to_micros(delivery.notice.at),
        to_micros(delivery.due),
        None if delivery.begun is None else to_micros(delivery.begun),
        delivery.attempts,
        delivery.fence,
        body(delivery.notice),
    )


def to_delivery(row: Row) -> Delivery:
    subscription, due, begun, attempts, fence, text = row
    return Delivery(
        notice=to_notice(text),
        subscription=subscription,
        due=to_moment(due),
        begun=None if begun is None else to_moment(begun),
        attempts=attempts,
        fence=fence,
    )


def from_entry(entry: Entry) -> Row:
    return (
        entry.seq,
        entry.scope,
        to_micros(entry.at),
        str(entry.who),
        entry.what.value,
        entry.subject,
        entry.before,
        entry.after,
        entry.detail,
        entry.digest,
    )


def to_entry(row: Row) -> Entry:
    seq, scope, at, who, what, subject, before, after, detail, digest = row
    kind, _, name = who.partition(":")
    return Entry(
        scope=scope,
        at=to_moment(at),
        who=Actor(ActorKind(kind), name),
        what=What(what),
        subject=subject,
        before=before,
        after=after,
        detail=detail,
        seq=seq,
        digest=digest,
    )
