"""Events and records for the agent's tests."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from forewarn.agent.config import Approval, StepSpec
from forewarn.agent.records import Record, StepRecord
from forewarn.client.documents import Document, Event, EventType, Status

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def an_event(**changes: Any) -> Event:
    event = Event(
        id="E1",
        type=EventType.REBOOT,
        status=Status.SCHEDULED,
        resources=("vm",),
        not_before=NOON + timedelta(minutes=15),
        source="Platform",
        raw={"EventId": "E1"},
    )
    return replace(event, **changes)


def a_document(*events: Event, incarnation: int = 1, date: datetime = NOON) -> Document:
    return Document(incarnation=incarnation, events=events, date=date)


def a_spec(name: str = "step", **changes: Any) -> StepSpec:
    return StepSpec(**{"name": name, "use": "log", **changes})


def a_record(event: Event | None = None, chain: Sequence[StepSpec] = (), **changes: Any) -> Record:
    return Record(
        **{
            "event": event or an_event(),
            "me": "vm",
            "rule": "any",
            "approval": Approval.OWN,
            "seen_at": NOON,
            "steps": tuple(StepRecord(position=position, spec=spec) for position, spec in enumerate(chain)),
            **changes,
        }
    )
