"""What became of an event, as lines to read: the history of it, and who polled in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from forewarn.wire.durations import format_duration


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """Printed, it tells one event from beginning to end."""

    event: Mapping[str, Any]
    entries: Sequence[Mapping[str, Any]]  # of the history, about it
    requests: Sequence[Mapping[str, Any]]  # of its scope's clients
    now: datetime

    def __str__(self) -> str:
        event = self.event
        named = ", ".join(event["resources"])
        lines = [f"{event['type']} of {named} ({event['phase']}), event {event['id']}"]
        lines += [f"  {self._ago(at):>9}  {text}" for at, text in sorted(self._moments(), key=itemgetter(0))]
        return "\n".join(lines)

    def _moments(self) -> list[tuple[datetime, str]]:
        told = [(datetime.fromisoformat(entry["at"]), _told(entry)) for entry in self.entries]
        if self.event["started_at"] is None and self.event["ended_at"] is None:
            told.append((datetime.fromisoformat(self.event["not_before"]), "NotBefore: it starts by itself"))
        return [*told, *self._polls(), (self.now, "now")]

    def _polls(self) -> list[tuple[datetime, str]]:
        """Each client's requests since the event was there, as one line: when the last came, and how many did."""
        since = datetime.fromisoformat(self.event["scheduled_at"])
        seen: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for request in self.requests:
            if datetime.fromisoformat(request["at"]) >= since:
                seen.setdefault((request["machine"], request["asked"]), []).append(request)
        return [
            (datetime.fromisoformat(asked[-1]["at"]), f"{machine} asked: {len(asked)} × {kind}, last {_outcome(asked)}")
            for (machine, kind), asked in seen.items()
        ] or [(since, "nobody has polled since")]

    def _ago(self, at: datetime) -> str:
        """Since the event was scheduled."""
        passed = at - datetime.fromisoformat(self.event["scheduled_at"])
        rounded = timedelta(milliseconds=round(abs(passed) / timedelta(milliseconds=1)))
        return ("-" if passed < timedelta(0) else "+") + format_duration(rounded)


def _told(entry: Mapping[str, Any]) -> str:
    who = f"{entry['who']['kind']}:{entry['who']['name']}"
    detail = f" ({entry['detail']})" if entry["detail"] else ""
    return f"{entry['what']} by {who}{detail}"


def _outcome(requests: Sequence[Mapping[str, Any]]) -> str:
    last = requests[-1]
    spoilt = f" with {', '.join(last['faults'])}" if last["faults"] else ""
    return ("not answered" if last["status"] is None else f"answered {last['status']}") + spoilt
