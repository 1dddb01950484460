"""Turns a recording into a scenario that shows a client the same again: events, their times and ends, and troubles."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from forewarn.domain.events import EventType
from forewarn.domain.settings import Settings
from forewarn.drivers.simulated import DURATIONS
from forewarn.testing.scenarios.recordings import Recording, read_recording
from forewarn.testing.scenarios.tracing import Trace, traces
from forewarn.testing.scenarios.writing import to_toml
from forewarn.wire.durations import format_duration

SECOND = timedelta(seconds=1)
USER_STEPS = {"Reboot": "restart", "Redeploy": "redeploy", "Terminate": "delete"}
Values = dict[str, Any]


def scenario_from(folder: Path, machine: str = "") -> str:
    """The text of the scenario. `machine`: whose client it was, if the recording does not say."""
    recording = read_recording(folder)
    found = traces(recording)
    name = machine or recording.name or _likely(folder, found)
    made = _Making(recording, found, name)
    head = f"# Made from {len(recording.looks)} different answers that {name}'s client was given.\n"
    notes = "".join(f"# {note}\n" for note in made.notes)
    return head + notes + to_toml(made.values())


def _likely(folder: Path, found: list[Trace]) -> str:
    """The directory's name if it is a machine's; or whoever is named first."""
    names = [name for trace in found for name in trace.seen.resources]
    return folder.name if folder.name in names or not names else names[0]


@dataclass(slots=True)
class _Making:
    recording: Recording
    traces: list[Trace]
    machine: str
    notes: list[str] = field(default_factory=list)
    _settings: dict[str, timedelta] = field(default_factory=dict)

    def values(self) -> Values:
        steps = [step for _, step in sorted(self._steps(), key=lambda pair: pair[0])]
        looks = self.recording.looks
        values = {
            "name": "recorded",
            "about": f"What {self.machine}'s client was answered, from {looks[0].at:%Y-%m-%d %H:%M:%S}Z on.",
            "lasts": self._time(self.recording.ended),
            "fleet": self._fleet(),
            "client": [{"machine": self.machine, "approves": "none"}],
            "fault": list(self._faults()),
            "at": [{"at": self._time(step.pop("moment")), **step} for step in steps],
            "expect": list(self._expectations()),
        }
        return {key: value for key, value in values.items() if value != []}

    def _time(self, moment: datetime) -> str:
        return format_duration(moment - self.recording.looks[0].at)

    # What happened.

    def _steps(self) -> Iterator[tuple[tuple[datetime, int], Values]]:
        """Each with its place: the settings that a step needs come before it."""
        start = self.recording.looks[0].at
        if any(trace.first == start and self._by_owner(trace) for trace in self.traces):
            yield (start, -1), {"moment": start, "do": "enrol", "machine": self.machine}
        for trace in self.traces:
            for place, step in enumerate((*self._needed(trace), self._appearance(trace))):
                yield (trace.first, place), {"moment": trace.first, **step}
            end = {"event": trace.name}
            if trace.was_approved and trace.started is not None:
                started = max(trace.started, trace.first + SECOND)  # or nobody would see it scheduled
                yield (started, 9), {"moment": started, "do": "approve", **end}
            elif trace.was_canceled and trace.gone is not None:
                yield (trace.gone, 9), {"moment": trace.gone, "do": "cancel", **end}

    def _appearance(self, trace: Trace) -> Values:
        seen = trace.seen
        machines = {"machine": seen.resources[0]} if len(seen.resources) == 1 else {"machines": list(seen.resources)}
        if self._by_owner(trace):
            return {"do": USER_STEPS[seen.type], **machines, "as": trace.name}
        told = {"description": seen.description, "duration": seen.duration}
        told = {key: value for key, value in told.items() if value is not None}
        if not trace.was_announced:
            return {"do": "hardware-failure", "type": seen.type, **machines, **told, "as": trace.name}
        notice = format_duration(_notice(trace))
        return {"do": "schedule", "type": seen.type, **machines, "notice": notice, **told, "as": trace.name}

    def _by_owner(self, trace: Trace) -> bool:
        seen = trace.seen
        return trace.was_announced and seen.source == "User" and seen.type in USER_STEPS and len(seen.resources) == 1

    def _needed(self, trace: Trace) -> Iterator[Values]:
        """Other numbers for the rules, where an event had less notice than they ask for, or a user's another one."""
        if not trace.was_announced or trace.seen.type == "Terminate":
            return
        key, notice = f"notice_{trace.seen.type.lower()}", _notice(trace)
        known: timedelta = self._settings.get(key, getattr(Settings(), key))
        if notice < known or (self._by_owner(trace) and notice != known):
            self._settings[key] = notice
            yield {"do": "settings", "settings": {key: format_duration(notice)}}

    def _faults(self) -> Iterator[Values]:
        for look in self.recording.looks:
            if look.trouble is not None:
                whom = {"machine": self.machine, "asked": "poll", "requests": look.times}
                yield {"at": self._time(look.at), **look.trouble, **whom}

    # The fleet it happened to.

    def _fleet(self) -> Values:
        names = list(dict.fromkeys([self.machine, *(name for trace in self.traces for name in trace.seen.resources)]))
        tables = {name: self._machine(name) for name in names}
        hosts = _hosts(self.traces)
        for name in names:
            if name in hosts:
                tables[name] |= {"host": hosts[name], "update_domain": 0}
        fleet: Values = {"settings": self._limits(), "driver": self._lengths()}
        if len(names) == 1:
            fleet["machine"] = tables
        else:
            fleet["availability_set"] = {
                "recorded": {"machines": names, "machine": {n: t for n, t in tables.items() if t}}
            }
        return {key: table for key, table in fleet.items() if table}

    def _machine(self, name: str) -> Values:
        table: Values = {}
        for trace in self.traces:
            if name in trace.seen.resources and trace.seen.type == "Preempt":
                table["priority"] = "Spot"
            if name in trace.seen.resources and trace.seen.type == "Terminate" and self._by_owner(trace):
                table["terminate_notification"] = format_duration(_notice(trace))
        return table

    def _limits(self) -> Values:
        """A delete that was seen late had less notice left than one may have."""
        notices = [_notice(t) for t in self.traces if t.seen.type == "Terminate" and t.was_announced]
        usual, limits = Settings(), dict[str, str]()
        if notices and min(notices) < usual.terminate_min:
            limits |= {
                "terminate_min": format_duration(min(notices)),
                "notice_terminate": format_duration(min(notices)),
            }
        if notices and max(notices) > usual.terminate_max:
            limits["terminate_max"] = format_duration(max(notices))
        return limits

    def _lengths(self) -> Values:
        """How long impacts of each type took: the first that was seen from beginning to end counts."""
        lengths: dict[str, timedelta] = {}
        for trace in self.traces:
            if trace.started is None or trace.gone is None:
                continue
            length, kind = trace.gone - trace.started, trace.seen.type.lower()
            if length != lengths.setdefault(kind, length):
                told = f"{format_duration(length)}; here it takes {format_duration(lengths[kind])}, as the first one"
                self.notes.append(f"{trace.name} was Started for {told} of its type.")
        usual = {impact.value.lower(): DURATIONS[impact] for impact in EventType if impact is not EventType.FREEZE}
        return {kind: format_duration(length) for kind, length in lengths.items() if usual.get(kind) != length}

    # What was seen of it.

    def _expectations(self) -> Iterator[Values]:
        for trace in self.traces:
            seen: Mapping[str, Any] = {"type": trace.seen.type, "resources": list(trace.seen.resources)}
            left = {"left": format_duration(_notice(trace))} if trace.was_announced else {}
            yield {"event": trace.name, "at": self._time(trace.first), "status": trace.seen.status, **seen, **left}
            if trace.was_announced and trace.started is not None and trace.started != trace.gone:
                yield {"event": trace.name, "at": self._time(trace.started), "status": "Started"}
            if trace.gone is not None:
                canceled = {"status": "Canceled"} if trace.was_canceled else {}
                yield {"event": trace.name, "at": self._time(trace.gone), "gone": True, **canceled}


def _notice(trace: Trace) -> timedelta:
    """What was left of it when it was first seen."""
    due = trace.seen.not_before
    return SECOND if due is None else max(due - trace.first, SECOND)


def _hosts(found: list[Trace]) -> dict[str, str]:
    """Machines that were ever in one event together are on one host."""
    hosts: dict[str, str] = {}
    for trace in found:
        if len(trace.seen.resources) > 1:
            joined = {hosts[name] for name in trace.seen.resources if name in hosts}
            host = min(joined, default=f"host-{len(hosts)}")
            members = {name for name, known in hosts.items() if known in joined} | set(trace.seen.resources)
            hosts.update(dict.fromkeys(sorted(members), host))
    return hosts
