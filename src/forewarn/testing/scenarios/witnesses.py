"""Who has seen an event, by the requests that the server answered."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from forewarn.testing.scenarios.story import Appearance

UNREADABLE = frozenset({"status", "hang", "reset", "truncated", "empty", "not-json"})
WITHHOLDING = frozenset({"stale", "reordered", "no-notice", "short-notice"})
MISCOUNTING = frozenset({"restarted", "repeated"})
"""Faults under which an incarnation does not tell which document it was."""


def has_seen(event: Appearance, requests: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a client was answered with a document that shows it."""
    return any(_shows(event, request) for request in requests if request["asked"] == "poll")


def _shows(event: Appearance, request: Mapping[str, Any]) -> bool:
    faults = set(request["faults"])
    if request["status"] != 200 or faults & (UNREADABLE | WITHHOLDING):
        return False
    asked, appeared = (datetime.fromisoformat(moment) for moment in (request["at"], event.scheduled_at))
    if faults & MISCOUNTING:
        return asked >= appeared
    return asked >= appeared and (request["incarnation"] or 0) >= event.incarnation
