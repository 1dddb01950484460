"""Everybody who polls: scripted clients, and real ones in processes of their own."""

import logging
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from forewarn.agent.recording import Recorder
from forewarn.client import HttpTransport, Request, Transport
from forewarn.domain.settings import Settings
from forewarn.remote import Refusal, in_path
from forewarn.testing.handles import Machine
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.asking import FIELDS, Voice
from forewarn.testing.scenarios.clients import Puppet
from forewarn.testing.scenarios.fleettime import FleetTime
from forewarn.testing.scenarios.model import Scenario, ScriptedClient
from forewarn.testing.scenarios.processes import Process
from forewarn.wire.durations import parse_duration

log = logging.getLogger(__name__)
INSTANCE = "/metadata/instance?api-version=2021-02-01"


@dataclass(slots=True)
class Crew:
    forewarn: Forewarn
    real: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Machines whose client is real, with the command that starts it; empty: it runs elsewhere."""
    record: Path | None = None  # where scripted clients write down what they see
    puppets: list[Puppet] = field(default_factory=list)
    _processes: list[Process] = field(default_factory=list)
    _pool: ThreadPoolExecutor | None = None

    def enter(self, scenario: Scenario, time: FleetTime, say: Callable[[str], None]) -> None:
        """Everybody is there when it returns; real clients have polled once, or had the time to."""
        real = {_bare(name) for name in self.real}
        scripts = [script for script in scenario.clients if _bare(script.machine) not in real]
        self._pool = ThreadPoolExecutor(max_workers=len(scripts) or 1, thread_name_prefix="scenario")
        first_answer = self._first_answer(scenario)
        for script in scripts:
            self.puppets.append(self._puppet(script, time, first_answer, say))
        self._processes = [
            Process.start(self._machine(name), command, say) for name, command in self.real.items() if command
        ]
        for process in self._processes:
            process.wait_for_poll(self.forewarn)

    def stir(self) -> None:
        """Something has happened: there may be news for everybody."""
        for puppet in self.puppets:
            puppet.news = True

    def dismiss(self) -> dict[str, str]:
        """The last words of real clients, by machine."""
        for puppet in self.puppets:
            puppet.voice.close()
        if self._pool is not None:
            self._pool.shutdown()
        return {process.machine.name: process.stop() for process in self._processes}

    def _puppet(
        self, script: ScriptedClient, time: FleetTime, first_answer: timedelta, say: Callable[[str], None]
    ) -> Puppet:
        assert self._pool is not None, "they enter together"
        machine = self._machine(script.machine)
        voice = Voice(
            machine.metadata_url,
            script.version,
            self._transport(machine, time),
            self._pool,
            lambda: self.forewarn.requests(machine),
        )
        return Puppet(script, machine.name, voice, say, lambda: self._first_answer_due(machine, time, first_answer))

    def _transport(self, machine: Machine, time: FleetTime) -> Transport:
        if self.record is None:
            return HttpTransport()
        recorder = Recorder(HttpTransport(), self.record / machine.name, lambda: time.start + time.now, log)
        recorder.send(
            Request(endpoint=machine.metadata_url, target=INSTANCE, fields=FIELDS)
        )  # so that it tells whose it is
        return recorder

    def _first_answer(self, scenario: Scenario) -> timedelta:
        """How long the first answer of a scope takes, as the fleet declares it."""
        fleet = scenario.fleet
        if fleet is None:
            fleet = tomllib.loads(self.forewarn.client.get("/fleet")["declaration"])
        text = fleet.get("settings", {}).get("first_answer_delay")
        return Settings().first_answer_delay if text is None else parse_duration(text)

    def _first_answer_due(self, machine: Machine, time: FleetTime, delay: timedelta) -> timedelta | None:
        if not delay:
            return None
        try:
            scope: dict[str, Any] = self.forewarn.client.get(f"/scopes/{in_path(machine.scope)}")
        except Refusal:
            return None
        return None if scope["enrolled_at"] is None else time.since(scope["enrolled_at"]) + delay

    def _machine(self, name: str) -> Machine:
        found = self.forewarn.client.get(f"/machines/{in_path(name)}")
        return Machine(found["scope"], found["name"], found["metadata_url"], self.forewarn)


def _bare(name: str) -> str:
    return name.rpartition("/")[2]
