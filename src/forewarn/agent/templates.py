"""The event's facts under the names that commands, templates and messages use."""

import json
import re
from collections.abc import Mapping

from forewarn.client.documents import Event, Status

_PLACE = re.compile(r"\{(\w+)\}")


def facts_of(event: Event, me: str) -> dict[str, str]:
    return {
        "event": event.id,
        "type": event.kind,
        "status": event.status.value if isinstance(event.status, Status) else event.status,
        "resources": ",".join(event.resources),
        "not_before": "" if event.not_before is None else event.not_before.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "description": event.description,
        "source": event.source,
        "duration": "" if event.duration is None else str(int(event.duration.total_seconds())),
        "me": me,
    }


def fill(template: str, event: Event, me: str, more: Mapping[str, str] | None = None) -> str:
    """Replaces `{name}`; any other brace stays as it is, so that JSON can be a template."""
    return put(template, {**facts_of(event, me), **(more or {})})


def put(template: str, facts: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: facts.get(found[1], found[0]), template)


def environment_of(event: Event, me: str) -> dict[str, str]:
    """FOREWARN_EVENT_ID and so on, for programs."""
    names = {"event": "FOREWARN_EVENT_ID", "me": "FOREWARN_ME"}
    facts = facts_of(event, me)
    return {names.get(name, f"FOREWARN_{name.upper()}"): value for name, value in facts.items()}


def as_json(event: Event) -> bytes:
    """The event exactly as the server sent it, for a program's standard input."""
    return json.dumps(dict(event.raw)).encode() + b"\n"
