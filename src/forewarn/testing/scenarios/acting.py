"""Does what a step says, over the native API."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from forewarn.remote import Refusal, in_path
from forewarn.testing import metadata
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.errors import CannotPlay
from forewarn.testing.scenarios.model import Do, ScriptedFault, Step
from forewarn.testing.scenarios.story import Story
from forewarn.testing.scenarios.titles import shown
from forewarn.testing.scenarios.writing import to_toml
from forewarn.wire.durations import format_iso

PATIENCE, GLANCE = 10.0, 0.002
"""Seconds of real time, for a poll to arrive."""

STEERING = {Do.PAUSE_CAMPAIGN: "pause", Do.RESUME_CAMPAIGN: "resume", Do.CANCEL_CAMPAIGN: "cancel"}


class Stage:
    """Where steps are done. It remembers what they made."""

    def __init__(self, forewarn: Forewarn, story: Story, fleet: Mapping[str, Any] | None) -> None:
        self._forewarn = forewarn
        self._client = forewarn.client
        self._story = story
        self._fleet = fleet

    def do(self, step: Step) -> None:
        try:
            self._do(step)
        except Refusal as refusal:
            raise CannotPlay(f"{step.where}: {describe(step)}: refused: {refusal}") from None

    def spoil(self, fault: ScriptedFault) -> list[str]:
        """The ids of the faults that it has become."""
        try:
            return self._forewarn.fault(fault.kind.value, **fault.how)
        except Refusal as refusal:
            raise CannotPlay(f"{fault.where}: fault {fault.kind.value}: refused: {refusal}") from None

    def _do(self, step: Step) -> None:
        match step.do:
            case Do.SCHEDULE | Do.HARDWARE_FAILURE:
                self._schedule(step)
            case Do.RESTART | Do.REDEPLOY | Do.DELETE | Do.EVICT:
                for machine in step.machines:
                    self._made(step, self._client.post(f"/machines/{in_path(machine)}/{step.do.value}"))
            case Do.START | Do.STOP | Do.DEALLOCATE:
                for machine in step.machines:
                    self._client.post(f"/machines/{in_path(machine)}/{step.do.value}")
            case Do.ENROL:
                for machine in step.machines:
                    self._enrol(step, machine)
            case Do.DRIVER_FAILURE:
                for machine in step.machines:
                    self._client.post(f"/machines/{in_path(machine)}/fail", {"times": step.times})
            case Do.APPROVE | Do.CANCEL:
                self._decide(step)
            case Do.START_CAMPAIGN:
                self._begin_campaign(step)
            case Do.PAUSE_CAMPAIGN | Do.RESUME_CAMPAIGN | Do.CANCEL_CAMPAIGN:
                (campaign,) = self._story.named[step.target]
                self._client.post(f"/campaigns/{campaign}/{STEERING[step.do]}")
            case Do.SETTINGS:
                self._set(step)
            case Do.CLEAR_FAULTS:
                self._forewarn.clear_faults()
            case Do.WAIT:
                pass

    def _enrol(self, step: Step, name: str) -> None:
        """The answer is not waited for: it may only come when the fleet's time goes on."""
        machine = self._client.get(f"/machines/{in_path(name)}")
        threading.Thread(target=_poll, args=(machine["metadata_url"],), daemon=True).start()
        deadline = time.monotonic() + PATIENCE
        while self._client.get(f"/scopes/{in_path(machine['scope'])}")["enrolled_at"] is None:
            if time.monotonic() > deadline:
                raise CannotPlay(f"{step.where}: {name} polled, and its scope is not enrolled after {PATIENCE:g} s.")
            time.sleep(GLANCE)

    def _schedule(self, step: Step) -> None:
        asked = {
            "type": step.type.value,
            "machines": list(step.machines),
            "notice": None if step.notice is None else format_iso(step.notice),
            "at_once": step.do is Do.HARDWARE_FAILURE,
            "description": step.description,
            "duration": step.duration,
        }
        for event in self._client.post("/events", asked)["events"]:
            self._story.named[step.name].append(event["id"])

    def _made(self, step: Step, operation: Mapping[str, Any]) -> None:
        self._story.operations[step.name].append(operation["id"])
        if operation["event"] is not None:
            self._story.named[step.name].append(operation["event"])

    def _decide(self, step: Step) -> None:
        events = self._story.named[step.target]
        if not events:
            raise CannotPlay(f"{step.where}: there is no event {step.target}: what it stands for was not announced.")
        for event in events:
            body = {"why": step.why} if step.why else None
            self._client.post(f"/events/{event}/{step.do.value}", body)

    def _begin_campaign(self, step: Step) -> None:
        asked = {
            "type": step.type.value,
            "scopes": list(step.scopes),
            "notice": None if step.notice is None else format_iso(step.notice),
            "pause": None if step.pause is None else format_iso(step.pause),
            "description": step.description,
        }
        self._story.named[step.name].append(self._client.post("/campaigns", asked)["id"])

    def _set(self, step: Step) -> None:
        """The fleet is declared anew, with these numbers; whatever else is there stays."""
        fleet = self._fleet or {}
        self._fleet = {**fleet, "settings": {**fleet.get("settings", {}), **step.settings}}
        self._client.put("/fleet", {"declaration": to_toml(self._fleet)})


def _poll(url: str) -> None:
    with suppress(OSError, HTTPException):
        metadata.poll(url)


def describe(step: Step) -> str:
    """A step as a line to read."""
    what = step.type.value if step.do in (Do.SCHEDULE, Do.HARDWARE_FAILURE, Do.START_CAMPAIGN) else ""
    whom = ", ".join(step.machines or step.scopes) or step.target
    settings = ", ".join(f"{key} = {shown(value)}" for key, value in step.settings.items())
    named = f"as {step.name}" if step.name else ""
    return " ".join(word for word in (step.do.value, what, whom, settings, named) if word)


def describe_fault(fault: ScriptedFault) -> str:
    whom = fault.how.get("machine", fault.how.get("scope"))
    more = [f"{key} {value}" for key, value in fault.how.items() if key not in ("machine", "scope", "seed")]
    return f"fault {fault.kind.value} for {whom}" + (f" ({', '.join(more)})" if more else "")
