"""Whether this machine approves an event now: one plain function per policy. Unsure means no."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.agent.config import Approval
from forewarn.agent.records import Record, Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What the policies decide by."""

    record: Record
    now: datetime
    takeover: timedelta
    ready: frozenset[str] = frozenset()
    """The machines, in lower case, that are known to be ready."""


@dataclass(frozen=True, slots=True)
class Consent:
    approve: bool
    why: str


def consent(question: Question) -> Consent:
    record = question.record
    if record.approved:
        return Consent(False, "approved")
    if record.started or record.event.is_started:
        return Consent(False, "started")
    if record.stage is Stage.BLOCKED and record.approve_after_failure:
        return POLICIES[record.approval](question)
    if record.stage is not Stage.READY:
        return Consent(False, f"not approved: {record.stage.value}")
    return POLICIES[record.approval](question)


def _own(question: Question) -> Consent:
    others = [name for name in question.record.event.resources if name.lower() != question.record.me.lower()]
    if others:
        return Consent(False, f"not approved: it is also about {', '.join(others)}")
    return Consent(True, "it is about this machine alone")


def _leader(question: Question) -> Consent:
    """Each machine waits for those before it, so that exactly one speaks unless it is silent."""
    record = question.record
    names = [name.lower() for name in record.event.resources]
    if question.record.me.lower() not in names or record.ready_at is None:
        return Consent(False, "not approved: this machine is not in line")
    rank = names.index(question.record.me.lower())
    turn = record.ready_at + rank * question.takeover
    if question.now < turn:
        return Consent(False, f"{record.event.resources[0]} leads; this machine takes over at {turn:%H:%M:%S}")
    return Consent(True, "this machine leads" if rank == 0 else f"{record.event.resources[0]} stayed silent")


def _all_ready(question: Question) -> Consent:
    missing = [name for name in question.record.event.resources if name.lower() not in question.ready]
    if missing:
        return Consent(False, f"waits until {', '.join(missing)} is ready")
    return Consent(True, "every machine is ready")


def _ask(question: Question) -> Consent:
    if question.record.asked is None:
        return Consent(False, f"waits for a person: forewarn agent approve {question.record.event.id}")
    return Consent(question.record.asked, "a person said yes" if question.record.asked else "a person said no")


def _never(question: Question) -> Consent:
    return Consent(False, "never approved: it starts when its notice is over")


POLICIES: dict[Approval, Callable[[Question], Consent]] = {
    Approval.OWN: _own,
    Approval.LEADER: _leader,
    Approval.ALL_READY: _all_ready,
    Approval.ASK: _ask,
    Approval.NEVER: _never,
}
