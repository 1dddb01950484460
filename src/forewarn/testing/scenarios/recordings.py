"""Reads what `forewarn record`, `forewarn agent` and scripted clients wrote down: what a machine's client was answered.

Time is the server's own, as its answers tell it, so a recording of a fleet on a virtual clock reads like any other.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from forewarn.agent.recording import FILE, FILES
from forewarn.testing.scenarios.errors import ScenarioError
from forewarn.wire.dates import parse_date


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenEvent:
    id: str
    type: str
    status: str
    resources: tuple[str, ...]
    not_before: datetime | None
    description: str | None  # None: not told
    source: str
    duration: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One answer, or the lack of one; as often as it came in a row."""

    at: datetime
    times: int
    events: tuple[SeenEvent, ...] | None  # None: there was no document
    trouble: Mapping[str, Any] | None = None  # instead: the fault that does the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    looks: tuple[Look, ...]
    approvals: Mapping[str, datetime]  # by event, when this machine approved it
    name: str  # of the machine; "" if it was not asked for
    ended: datetime


def read_recording(folder: Path) -> Recording:
    """ScenarioError if there is none, or it is no recording."""
    _check_is_one(folder)
    lines = _dated(_lines(folder))
    looks = [(at, line) for at, line in lines if line["kind"] == "document"]
    if not any("end" not in line for _, line in looks):
        raise ScenarioError(f"{folder}: nobody has asked for a document there: it holds no recording of events.")
    counts = [line.get("before", {}).get("times", 1) for _, line in looks[1:]] + [1]
    return Recording(
        looks=tuple(
            _look(at, line, times) for (at, line), times in zip(looks, counts, strict=True) if "end" not in line
        ),
        approvals=dict(_approvals(lines)),
        name=next((name for _, line in lines if (name := _name(line))), ""),
        ended=max(at for at, _ in lines),
    )


def _check_is_one(folder: Path) -> None:
    """A scenario writes one for each of its clients, and they are not told apart by guessing."""
    below = sorted(str(file.parent) for file in folder.glob(f"*/{FILE}"))
    if below and not (folder / FILE).exists():
        raise ScenarioError(f"{folder}: it is no recording, but holds some: name one of {', '.join(below)}.")


def _lines(folder: Path) -> list[dict[str, Any]]:
    """Of all its files, the oldest first; what a file repeats of the one before is left out."""
    numbered = [folder / f"seen.{number}.jsonl" for number in range(FILES - 1, 0, -1)]
    found: list[dict[str, Any]] = []
    for file in (*numbered, folder / FILE):
        if file.exists() or file.name == FILE:
            found += [line for line in _read(file) if not (found and line.get("again"))]
    return found


def _read(file: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{file}: it is no recording: {getattr(error, 'strerror', None) or error}.") from None
    for number, text in enumerate(lines, 1):
        try:
            line = json.loads(text)
            datetime.fromisoformat(line["at"]), line["kind"]
        except (ValueError, KeyError, TypeError):
            if number == len(lines):
                return  # it was being written
            raise ScenarioError(f"{file}:{number}: it is no recording: a line of it is not understood.") from None
        yield line


def _dated(lines: Sequence[dict[str, Any]]) -> list[tuple[datetime, dict[str, Any]]]:
    """By the server's clock; where it did not say, by how long after its last word that was."""
    dated: list[tuple[datetime, dict[str, Any]]] = []
    offset = timedelta(0)
    for line in lines:
        written, told = datetime.fromisoformat(line["at"]), parse_date(line.get("fields", {}).get("date", ""))
        offset = offset if told is None else told - written
        at = written + offset
        dated.append((max(at, dated[-1][0]) if dated else at, line))
    return dated


def _look(at: datetime, line: Mapping[str, Any], times: int) -> Look:
    events = _events(line)
    return Look(at=at, times=times, events=events, trouble=_trouble(line) if events is None else None)


def _events(line: Mapping[str, Any]) -> tuple[SeenEvent, ...] | None:
    try:
        if line.get("status") != 200:
            return None
        return tuple(_event(event) for event in json.loads(line["body"])["Events"])
    except (ValueError, KeyError, TypeError):
        return None


def _event(told: Mapping[str, Any]) -> SeenEvent:
    return SeenEvent(
        id=told["EventId"].upper(),
        type=told["EventType"],
        status=told["EventStatus"],
        resources=tuple(name.removeprefix("_") for name in told["Resources"]),
        not_before=parse_date(told["NotBefore"]) if told["NotBefore"] else None,
        description=told.get("Description"),
        source=told.get("EventSource", "Platform"),
        duration=told.get("DurationInSeconds"),
    )


def _trouble(line: Mapping[str, Any]) -> dict[str, Any]:
    """The fault that has the same effect on a client."""
    if "error" in line:
        error = line["error"]
        return {"kind": "hang" if "within" in error else "truncated" if "IncompleteRead" in error else "reset"}
    if line["status"] >= 300:
        return {"kind": "status", "status": line["status"]}
    return {"kind": "not-json" if line.get("body") else "empty"}


def _approvals(lines: Sequence[tuple[datetime, dict[str, Any]]]) -> Iterator[tuple[str, datetime]]:
    for at, line in lines:
        if line["kind"] == "approval" and line.get("status") == 200:
            try:
                asked = json.loads(line["asked"])["StartRequests"]
                yield from ((request["EventId"].upper(), at) for request in asked)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue


def _name(line: Mapping[str, Any]) -> str:
    if line["kind"] != "instance" or line.get("status") != 200:
        return ""
    try:
        return str(json.loads(line["body"])["compute"]["name"])
    except (ValueError, KeyError, TypeError):
        return ""
