"""Whether an expectation holds now: what is there, compared with what is wanted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from forewarn.remote import Refusal, in_path
from forewarn.testing.handles import Event, Machine
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.fleettime import FleetTime
from forewarn.testing.scenarios.model import Expectation, Start, Subject
from forewarn.testing.scenarios.story import Story
from forewarn.testing.scenarios.titles import shown
from forewarn.testing.scenarios.witnesses import has_seen

LIVE = ("Scheduled", "Started")


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """`seen` is what is there where it does not hold."""

    holds: bool
    seen: str = ""


@dataclass(slots=True)
class Judge:
    forewarn: Forewarn
    story: Story
    time: FleetTime
    samples: dict[tuple[str, timedelta], dict[str, int]] = field(default_factory=dict)
    """Incarnations, by scope as it is called and moment."""

    def look(self, expected: Expectation) -> Finding:
        try:
            things = self._things(expected)
        except Refusal as refusal:
            return Finding(holds=False, seen=str(refusal))
        if isinstance(things, str):
            return Finding(holds=False, seen=things)
        wrong = [found for thing in things for found in self._differences(expected, thing)]
        return Finding(holds=not wrong, seen="; ".join(dict.fromkeys(wrong)))

    def sample(self, scope: str, moment: timedelta) -> None:
        self.samples[scope, moment] = {here["id"]: here["incarnation"] for here in self._scopes(scope)}

    def events_of(self, expected: Expectation) -> list[str]:
        """The ids of the events that it is about."""
        if expected.subject is Subject.EVENT:
            return self.story.named.get(expected.name, [])
        if expected.subject is not Subject.EVENT_OF:
            return []
        scope, name = self.machine(expected.name)
        newest = self.story.newest_of(scope, name)
        return [] if newest is None else [newest]

    def machine(self, name: str) -> tuple[str, str]:
        """Scope and name; of one that is gone, as far as events told of it."""
        scope, _, bare = name.rpartition("/")
        if scope:
            return scope, bare
        try:
            found = self.forewarn.client.get(f"/machines/{in_path(name)}")
            return found["scope"], found["name"]
        except Refusal:
            homes = [event.scope for event in self.story.events.values() if bare in event.resources]
            return (homes or [""])[-1], bare

    def _differences(self, expected: Expectation, thing: Any) -> list[str]:
        found = []
        see = SEEING[expected.subject]
        for key, wanted in expected.wants.items():
            seen = see(self, thing, key, wanted)
            if seen != wanted:
                found.append(f"{key.replace('_', ' ')} {shown(seen)} instead of {shown(wanted)}")
        return found

    def _things(self, expected: Expectation) -> list[Any] | str:
        """What it is about, as it is now; or why there is nothing to look at."""
        name, client = expected.name, self.forewarn.client
        match expected.subject:
            case Subject.EVENT | Subject.EVENT_OF:
                events = [client.get(f"/events/{id}") for id in self.events_of(expected)]
                if "exists" in expected.wants:
                    return [events[0] if events else None]
                return events or "no such event"
            case Subject.SCOPE:
                return [(name, self._scopes(name))]
            case Subject.MACHINE | Subject.CLIENT:
                return [self.machine(name)]
            case Subject.OPERATION:
                return [client.get(f"/operations/{id}") for id in self.story.operations[name]] or "no such operation"
            case Subject.CAMPAIGN:
                return [client.get(f"/campaigns/{id}") for id in self.story.named.get(name, [])] or "no such campaign"

    def _scopes(self, name: str) -> list[dict[str, Any]]:
        """The scope of that id, or those of the scale set."""
        return [scope for scope in self.forewarn.client.pages("/scopes") if name in (scope["id"], scope["scale_set"])]


def _see_event(judge: Judge, event: Mapping[str, Any] | None, key: str, wanted: Any) -> Any:
    if key == "exists":
        return event is not None
    if event is None:
        return "no such event"
    time = judge.time
    match key:
        case "status":
            return event["phase"]
        case "resources":
            return tuple(sorted(event["resources"]))
        case "notice":
            return time.since(event["not_before"]) - time.since(event["scheduled_at"])
        case "left":
            return time.since(event["not_before"]) - time.now if event["phase"] == "Scheduled" else None
        case "started":
            return _start(event).value
        case "gone":
            return event["phase"] not in LIVE
        case "approved_by":
            return tuple(sorted({said["by"]["name"] for said in event["approvals"] if said["by"]["kind"] == "machine"}))
        case "shown_to" | "hidden_from":
            shows = [name for name in wanted if _shows(judge, event, name)]
            return tuple(name for name in wanted if (name in shows) == (key == "shown_to"))
        case "seen_by":
            return tuple(name for name in wanted if _has_seen(judge, event, name))
        case _:
            return event[key]


def _start(event: Mapping[str, Any]) -> Start:
    if event["started_at"] is None:
        return Start.NOT
    if event["started_at"] == event["scheduled_at"] and not event["approvals"]:
        return Start.AT_ONCE
    started, not_before = (datetime.fromisoformat(event[key]) for key in ("started_at", "not_before"))
    return Start.BEFORE_NOT_BEFORE if started < not_before else Start.AT_NOT_BEFORE


def _shows(judge: Judge, event: Mapping[str, Any], name: str) -> bool:
    return event["phase"] in LIVE and judge.machine(name)[0] == event["scope"]


def _has_seen(judge: Judge, event: Mapping[str, Any], name: str) -> bool:
    scope, bare = judge.machine(name)
    appeared = judge.story.events.get(event["id"])
    return appeared is not None and has_seen(appeared, _requests(judge, scope, bare))


def _requests(judge: Judge, scope: str, name: str) -> list[dict[str, Any]]:
    return judge.forewarn.requests(Machine(scope, name, "", judge.forewarn))


def _see_scope(judge: Judge, thing: tuple[str, list[dict[str, Any]]], key: str, wanted: Any) -> Any:
    name, scopes = thing
    match key:
        case "enrolled":
            return _together([scope["enrolled_at"] is not None for scope in scopes])
        case "incarnation":
            return _together([scope["incarnation"] for scope in scopes])
        case "events":
            return sum(scope["live_events"] for scope in scopes)
        case _:
            then = judge.samples.get((name, wanted))
            same = then == {scope["id"]: scope["incarnation"] for scope in scopes}
            if same == (key == "same_since"):
                return wanted
            return f"{'the same' if same else 'another'} incarnation"


def _together(values: list[Any]) -> Any:
    """One value, where all scopes have the same."""
    return values[0] if len(set(values)) == 1 else tuple(values)


def _see_machine(judge: Judge, thing: tuple[str, str], key: str, wanted: Any) -> Any:
    scope, name = thing
    try:
        machine = judge.forewarn.client.get(f"/machines/{in_path(f'{scope}/{name}')}")
    except Refusal:
        return False if key == "exists" else "no such machine"
    match key:
        case "exists":
            return True
        case "events":
            return len(list(judge.forewarn.client.pages("/events", {"machine": f"{scope}/{name}"})))
        case _:
            return machine[key]


def _see_client(judge: Judge, thing: tuple[str, str], key: str, wanted: Any) -> Any:
    asked = _requests(judge, *thing)
    polls = [request for request in asked if request["asked"] == "poll"]
    match key:
        case "polled":
            return bool(polls)
        case "answered":
            return any(poll["status"] == 200 for poll in polls)
        case _:
            return sum(request["asked"] == "approval" and request["status"] == 200 for request in asked)


def _see_operation(judge: Judge, operation: Mapping[str, Any], key: str, wanted: Any) -> Any:
    return operation["event"] is not None if key == "announced" else operation["state"]


def _see_campaign(judge: Judge, told: Mapping[str, Any], key: str, wanted: Any) -> Any:
    match key:
        case "state":
            return told["campaign"]["state"]
        case "under_way":
            return told["scopes_under_way"] > 0
        case _:
            current = {item["current"] for item in told["items"] if item["current"] is not None}
            return _together(sorted(current)) if current else None


SEEING: Mapping[Subject, Callable[[Judge, Any, str, Any], Any]] = {
    Subject.EVENT: _see_event,
    Subject.EVENT_OF: _see_event,
    Subject.SCOPE: _see_scope,
    Subject.MACHINE: _see_machine,
    Subject.CLIENT: _see_client,
    Subject.OPERATION: _see_operation,
    Subject.CAMPAIGN: _see_campaign,
}


def timeline(forewarn: Forewarn, ids: list[str]) -> str:
    return "\n".join(str(Event(id, forewarn).timeline) for id in ids)
