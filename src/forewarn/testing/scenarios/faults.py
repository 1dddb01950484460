"""The faults of a scenario: when they begin, and for whom they may still strike."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.model import ScriptedFault
from forewarn.wire.durations import parse_duration


class Playbook:
    def __init__(self, faults: Sequence[ScriptedFault], forewarn: Forewarn) -> None:
        self._ahead = sorted(faults, key=lambda fault: fault.at)
        self._begun: dict[str, ScriptedFault] = {}  # by the id that the server gave it
        self._client = forewarn.client

    def moments(self, now: timedelta) -> Iterator[timedelta]:
        yield from (fault.at for fault in self._ahead[:1])
        yield from (end for fault in self._begun.values() if (end := _end(fault)) is not None and end > now)

    def due(self, now: timedelta) -> list[ScriptedFault]:
        due = [fault for fault in self._ahead if fault.at <= now]
        self._ahead = [fault for fault in self._ahead if fault.at > now]
        return due

    def begun(self, fault: ScriptedFault, ids: Sequence[str]) -> None:
        self._begun.update(dict.fromkeys(ids, fault))

    def look(self) -> None:
        """Forget those that are over, or were taken back."""
        if self._begun:
            met = {item["id"]: item for item in self._client.get("/faults")["items"]}
            self._begun = {id: fault for id, fault in self._begun.items() if id in met and not _is_used_up(met[id])}

    def is_open(self, machine: str, now: timedelta) -> bool:
        """Whether one may still change what this machine is told."""
        return any(
            fault.how.get("machine", machine).rpartition("/")[2] == machine
            and ((end := _end(fault)) is None or now < end)
            for fault in self._begun.values()
        )


def _end(fault: ScriptedFault) -> timedelta | None:
    return fault.at + parse_duration(fault.how["lasts"]) if "lasts" in fault.how else None


def _is_used_up(told: dict[str, object]) -> bool:
    """Of a whole scope's, each machine has so many: that is not known here."""
    requests, met = told["requests"], told["met"]
    return told["machine"] is not None and isinstance(requests, int) and isinstance(met, int) and met >= requests
