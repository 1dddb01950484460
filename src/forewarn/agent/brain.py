"""What to do about a document: decided here, done elsewhere. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from forewarn.agent.config import Config, Rule
from forewarn.agent.consent import Question, consent
from forewarn.agent.records import Record, Stage
from forewarn.agent.rules import choose
from forewarn.client.documents import Document, Event


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """All that is known when a decision is made."""

    config: Config
    document: Document
    records: Sequence[Record]
    """What the journal has of events that are not over."""
    past: frozenset[str]
    """The keys of events that are over; they do not begin again."""
    mine: Callable[[Event], str | None]
    """What an event calls this machine; "" if it is not about it, None if that cannot be said."""
    now: datetime
    ready: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The machines known to be ready, by the event's key."""
    doubted: bool = False
    """The document may be an old copy: what is not in it need not be over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Begin:
    event: Event
    me: str
    rule: Rule
    urgent: bool
    left: timedelta | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaveAlone:
    event: Event
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Renew:
    """The event is told otherwise than before, its start for example."""

    key: str
    event: Event


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    key: str
    event: Event


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish:
    """It is gone from the document: over, or cancelled."""

    key: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Approve:
    key: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Hold:
    """It is not approved now."""

    key: str
    why: str


Action = Begin | LeaveAlone | Renew | Start | Finish | Approve | Hold


def plan(view: View) -> list[Action]:
    known = {record.key: record for record in view.records}
    actions: list[Action] = []
    for event in view.document.events:
        record = known.get(event.key)
        actions += _news(view, event) if record is None else _changes(view, event, record)
    gone = [record for record in view.records if view.document.event(record.key) is None and not view.doubted]
    actions += (Finish(key=record.key) for record in gone if record.stage is not Stage.RESTORING)
    return actions


def time_left(event: Event, now: datetime) -> timedelta | None:
    """Until it may start; None if that is not known. What has started leaves nothing."""
    if event.is_started:
        return timedelta()
    return None if event.not_before is None else event.not_before - now


def _news(view: View, event: Event) -> Iterator[Action]:
    if event.key in view.past:
        return
    me = view.mine(event)
    if me is None:
        yield LeaveAlone(event=event, why="it cannot be said whether it is about this machine; [agent] name tells")
        return
    if not me:
        yield LeaveAlone(event=event, why=f"it is about {', '.join(event.resources)}")
        return
    left = time_left(event, view.now)
    rule = choose(view.config.rules, event, left)
    if rule is None or rule.ignore:
        yield LeaveAlone(event=event, why="no rule fits it" if rule is None else f"{rule.name} says to ignore it")
        return
    urgent = left is not None and left < view.config.settings.short_path
    yield Begin(event=event, me=me, rule=rule, urgent=urgent, left=left)


def _changes(view: View, event: Event, record: Record) -> Iterator[Action]:
    if record.stage is Stage.RESTORING:
        return
    if event.is_started and not record.started:
        yield Start(key=record.key, event=event)
    elif event != record.event:
        yield Renew(key=record.key, event=event)
    if record.stage in (Stage.READY, Stage.BLOCKED) and not record.approved and not event.is_started:
        yield _approval(view, record)


def _approval(view: View, record: Record) -> Action:
    question = Question(
        record=record,
        now=view.now,
        takeover=view.config.settings.takeover,
        ready=view.ready.get(record.key, frozenset()),
    )
    said = consent(question)
    kind = Approve if said.approve else Hold
    return kind(key=record.key, why=said.why)
