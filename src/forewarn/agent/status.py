"""What the agent is doing, as plain values: for `forewarn agent status`, for programs, and for the service manager.

All of it but what the agent waits for is in the journal, so that it can be told without an agent, too.
"""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from forewarn import __version__
from forewarn.agent.journal import Journal
from forewarn.agent.records import Progress, Record, Stage

if TYPE_CHECKING:
    from forewarn.agent.counting import Tally
    from forewarn.agent.loop import Agent
    from forewarn.agent.watching import Watcher

RUNNING = frozenset({Progress.PREPARING, Progress.RESTORING})
TROUBLED = frozenset({Progress.FAILED, Progress.SKIPPED, Progress.UNRESTORED})


def status_of(agent: "Agent", watcher: "Watcher", tally: "Tally", listen: str) -> dict[str, Any]:
    identity = agent.identity
    settings = agent.config.settings
    return {
        "running": True,
        "version": __version__,
        "pid": os.getpid(),
        "machine": "" if identity is None else identity.name or identity.resource or identity.host,
        "listen": listen,
        "dry_run": settings.dry_run,
        "trouble": watcher.trouble,
        "heard_seconds_ago": None if tally.silence is None else round(tally.silence, 1),
        "incarnation": None if agent.document is None else agent.document.incarnation,
        **journal_status(agent.journal, agent.now(), dict(agent.waits)),
        "left_alone": _left_alone(agent),
    }


def journal_status(journal: Journal, now: datetime | None, waits: Mapping[str, str]) -> dict[str, Any]:
    """`now` is the server's; None if it cannot be known, and then nor can what is left."""
    return {
        "now": None if now is None else now.isoformat(timespec="seconds"),
        "events": [event_status(record, now, waits) for record in journal.records()],
        "past": [event_status(record, None, {}) for record in journal.past()],
        "notices_waiting": len(journal.notices()),
    }


def event_status(record: Record, now: datetime | None, waits: Mapping[str, str]) -> dict[str, Any]:
    event = record.event
    left = None if now is None or event.not_before is None or record.started else event.not_before - now
    return {
        "event": event.id,
        "type": event.kind,
        "resources": list(event.resources),
        "machine": record.me,
        "not_before": None if event.not_before is None else event.not_before.isoformat(),
        "seconds_left": None if left is None else round(left.total_seconds(), 1),
        "rule": record.rule,
        "short_path": record.urgent,
        "stage": record.stage.value,
        "ready": record.stage is Stage.READY,
        "approval": record.approval.value,
        "asked": record.asked,
        "approved": record.approved,
        "started": record.started,
        "waits_for": waits_for(record, waits),
        "steps": [
            {"name": s.spec.name, "use": s.spec.use, "progress": s.progress.value, "note": s.note} for s in record.steps
        ],
    }


def waits_for(record: Record, waits: Mapping[str, str]) -> str:
    step = next((s for s in record.steps if s.progress in RUNNING), None)
    match record.stage:
        case Stage.OVER:
            return ""
        case Stage.PREPARING | Stage.RESTORING:
            return "" if step is None else f"{step.spec.name} is {step.progress.value}"
        case _ if record.started:
            return "its end"
        case _ if record.approved:
            return "its start; it is approved"
        case Stage.BLOCKED if record.key not in waits or not record.approve_after_failure:
            return _why_blocked(record)
        case _:
            return waits.get(record.key, "")


def _why_blocked(record: Record) -> str:
    failed = next((s for s in record.steps if s.progress in TROUBLED), None)
    return "its start; it was not prepared" if failed is None else f"its start; {failed.spec.name}: {failed.note}"


def _left_alone(agent: "Agent") -> list[dict[str, Any]]:
    """What is in the document and of no concern here; the log says why."""
    document = agent.document
    ours = {record.key for record in agent.journal.records()}
    return [
        {"event": event.id, "type": event.kind, "resources": list(event.resources)}
        for event in (() if document is None else document.events)
        if event.key not in ours
    ]


def summary_of(records: list[Record], trouble: str) -> str:
    """In a line."""
    if trouble:
        return f"the metadata service does not answer: {trouble}"
    told = [f"{record.event.kind} {record.event.id[:8]} {record.stage.value}" for record in records]
    return ", ".join(told) if told else "nothing is coming"
