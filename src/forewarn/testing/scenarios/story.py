"""What has happened so far, as the server tells it."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from forewarn.remote import Refusal, in_path
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.fleettime import FleetTime
from forewarn.wire.durations import format_duration

BEGINS = frozenset({"scheduled", "struck"})
ENDS = frozenset({"completed", "canceled", "failed"})
WORDS = {"scheduled": "Scheduled", "struck": "Started, without notice", "shrunk": "names fewer machines now"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Appearance:
    """An event, as it was when it appeared."""

    id: str
    type: str
    resources: tuple[str, ...]
    scope: str
    scheduled_at: str
    not_before: str
    incarnation: int  # of the first document that showed it


@dataclass(slots=True)
class Story:
    forewarn: Forewarn
    time: FleetTime
    events: dict[str, Appearance] = field(default_factory=dict)  # by id, in the order they appeared
    live: set[str] = field(default_factory=set)
    named: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What steps made: ids of events and campaigns, by the name that the step gave."""
    operations: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _heard: int = -1

    def begin(self) -> None:
        """What was before is another story."""
        self._heard = self.forewarn.client.last_entry()

    def hear(self) -> list[dict[str, Any]]:
        """The entries of the history that are new."""
        entries = list(self.forewarn.client.pages("/history", start=self._heard))
        for entry in entries:
            self._heard = entry["seq"]
            if entry["what"] in BEGINS:
                self._meet(entry["subject"])
            if entry["what"] in ENDS:
                self.live.discard(entry["subject"])
        return entries

    def newest_of(self, scope: str, machine: str) -> str | None:
        """The id of the event that appeared last, of those that name the machine."""
        named = [event for event in self.events.values() if event.scope == scope and machine in event.resources]
        return named[-1].id if named else None

    def tell(self, entry: dict[str, Any]) -> str:
        """An entry as a line to read."""
        event = self.events.get(entry["subject"])
        by = f"{entry['who']['kind']}:{entry['who']['name']}"
        detail = f" ({entry['detail']})" if entry["detail"] else ""
        if event is None:
            return f"{entry['scope']}: {entry['what']} {self._changed(entry)}by {by}{detail}"
        word = WORDS.get(entry["what"], str(entry["what"]).capitalize())
        notice = ""
        if entry["what"] == "scheduled":
            notice = f", {format_duration(self.time.since(event.not_before) - self.time.since(entry['at']))} of notice"
        return f"{event.type} of {', '.join(event.resources)}: {word}{notice}, by {by}{detail}"

    def _changed(self, entry: dict[str, Any]) -> str:
        return f"{entry['before']} → {entry['after']} " if entry["before"] and entry["after"] else ""

    def _meet(self, id: str) -> None:
        try:
            event = self.forewarn.client.get(f"/events/{id}")
            scope = self.forewarn.client.get(f"/scopes/{in_path(event['scope'])}")
        except Refusal:
            return  # its scope is gone by now, and nobody can have seen it
        self.live.add(id)
        self.events[id] = Appearance(
            id=id,
            type=event["type"],
            resources=tuple(event["resources"]),
            scope=event["scope"],
            scheduled_at=event["scheduled_at"],
            not_before=event["not_before"],
            incarnation=scope["incarnation"],
        )
