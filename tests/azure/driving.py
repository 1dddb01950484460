"""One Forewarn, one shell that has evaluated `forewarn env`, and the machines as they see themselves."""

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.azure.installing import az
from tests.e2e.running import FOREWARN, Up
from tests.waiting import until

PATIENCE = 60.0
"""Seconds of real time for anything that has to become true."""

VERSION = "2020-07-01"


@dataclass(frozen=True, kw_only=True)
class Result:
    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, f"{self}"
        return json.loads(self.out) if self.out.strip() else None

    def __str__(self) -> str:
        return f"az {' '.join(self.words)}\nexit code {self.code}\n{self.out}\n{self.err}"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A command that has not come back yet."""

    words: tuple[str, ...]
    process: "subprocess.Popen[str]"

    @property
    def is_over(self) -> bool:
        return self.process.poll() is not None

    def result(self) -> Result:
        out, err = self.process.communicate(timeout=PATIENCE)
        return Result(words=self.words, code=self.process.returncode, out=out, err=err)


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Forewarn, by its own command, and the machines as they see themselves."""

    forewarn: Up

    def told(self, *words: str) -> Any:
        done = self.forewarn.cli(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def now(self) -> datetime:
        return datetime.fromisoformat(self.told("clock")["now"])

    def advance(self, by: str) -> None:
        self.told("clock", "advance", by)

    def machines(self) -> dict[str, str]:
        """Name → metadata URL."""
        return {machine["name"]: machine["metadata_url"] for machine in self.told("fleet")}

    # What a machine does

    def document(self, machine: str) -> Any:
        return self._metadata(machine, None)

    def events(self, machine: str) -> list[dict[str, Any]]:
        """The first call enrols the machine's scope."""
        return list(self.document(machine)["Events"])

    def approve(self, machine: str, event: str) -> None:
        self._metadata(machine, {"StartRequests": [{"EventId": event}]})

    def wait_for_event(self, machine: str, kind: str, status: str = "Scheduled") -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            matching = [e for e in self.events(machine) if (e["EventType"], e["EventStatus"]) == (kind, status)]
            return matching[0] if matching else None

        event: dict[str, Any] = until(look, f"{machine} sees a {kind} {status}")
        return event

    def _metadata(self, machine: str, body: dict[str, Any] | None) -> Any:
        url = f"{self.machines()[machine]}/metadata/scheduledevents?api-version={VERSION}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers={"Metadata": "true"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            content = answer.read()
        return json.loads(content) if content else None


@dataclass(frozen=True, kw_only=True)
class Shell(Fleet):
    az: Path
    environment: dict[str, str] = field(repr=False)

    def start(self, *words: str) -> Waiting:
        process = subprocess.Popen(
            [self.az, *words, "--output", "json"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return Waiting(words=words, process=process)

    def run(self, *words: str) -> Result:
        return self.start(*words).result()

    def play_out(self, waiting: Waiting, meanwhile: Callable[[], None] = lambda: None) -> Result:
        """Let time go by until the command comes back."""
        deadline = time.monotonic() + PATIENCE
        while not waiting.is_over and time.monotonic() < deadline:
            meanwhile()
            self.advance("30s")
        return waiting.result()

    def json(self, *words: str) -> Any:
        return self.run(*words).json


def evaluated(forewarn: Up, home: Path, *options: str) -> dict[str, str]:
    """The environment after `eval "$(forewarn env)"` in a shell of somebody who has never used az."""
    words = " ".join(["env", *options])
    script = f'told="$({FOREWARN} --server {forewarn.control} {words})" && eval "$told" && env -0'
    before = {**forewarn.environment, "HOME": str(home)}
    done = subprocess.run(["sh", "-c", script], env=before, capture_output=True, text=True, timeout=60, check=True)
    pairs = (line.partition("=") for line in done.stdout.split("\0") if line)
    return {name: value for name, _, value in pairs}


def nothing_is_announced(fleet: Fleet, machine: str) -> None:
    assert fleet.events(machine) == []


def notice(fleet: Fleet, event: dict[str, Any]) -> timedelta:
    """How long the event still waits. NotBefore is told to the second."""
    not_before = datetime.strptime(event["NotBefore"], "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
    return not_before - fleet.now().replace(microsecond=0)


def needed_az() -> Path:
    """A laptop without it skips the test; in CI that is a failure."""
    program = az()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("The Azure CLI is not installed: run these tests with `make test-azure`.")
        pytest.skip("needs the Azure CLI: run `make test-azure`")
    return program
