"""What the agent has done since it started, in numbers. They are taken where things are done, and read by /metrics."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from forewarn.agent.errors import Stopped
from forewarn.agent.turns import RunsOn, Step, Turn
from forewarn.client import Answer, ClientError, Request, Transport

PATHS = {
    "/metadata/scheduledevents": "document",
    "/metadata/instance": "instance",
    "/forewarn/v1/about": "about",
    "/forewarn/v1/ready": "readiness",
}


def kind_of(request: Request) -> str:
    """What is asked for, in a word."""
    kind = PATHS.get(request.target.partition("?")[0].rstrip("/"), "other")
    return "approval" if kind == "document" and request.method == "POST" else kind


class Tally:
    """Counts only go up. Any thread may count, and any may read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps: Counter[tuple[str, ...]] = Counter()
        self._seconds: defaultdict[tuple[str, ...], float] = defaultdict(float)
        self._requests: Counter[tuple[str, ...]] = Counter()
        self.heard: float | None = None
        """When the metadata service last gave a good answer, by `monotonic`."""

    def step_ended(self, step: str, direction: str, outcome: str, seconds: float) -> None:
        with self._lock:
            self._steps[step, direction, outcome] += 1
            self._seconds[step, direction] += seconds

    def answered(self, kind: str, outcome: str) -> None:
        with self._lock:
            self._requests[kind, outcome] += 1

    @property
    def steps(self) -> dict[tuple[str, ...], int]:
        """By step, direction (`prepare`, `restore`) and outcome (`done`, `failed`, `stopped`)."""
        with self._lock:
            return dict(self._steps)

    @property
    def seconds(self) -> dict[tuple[str, ...], float]:
        with self._lock:
            return dict(self._seconds)

    @property
    def requests(self) -> dict[tuple[str, ...], int]:
        """By what was asked for and the status of the answer, or `none`."""
        with self._lock:
            return dict(self._requests)

    @property
    def silence(self) -> float | None:
        """Seconds since the metadata service was heard; None if it never was."""
        return None if self.heard is None else monotonic() - self.heard


@dataclass(frozen=True, slots=True)
class CountedStep:
    name: str
    step: Step
    tally: Tally

    def prepare(self, turn: Turn) -> None:
        with self._counted("prepare"):
            self.step.prepare(turn)

    def restore(self, turn: Turn) -> None:
        with self._counted("restore"):
            self.step.restore(turn)

    def end(self, turn: Turn) -> None:
        if isinstance(self.step, RunsOn):
            self.step.end(turn)

    def told(self) -> tuple[str, str]:
        return self.step.told()

    @contextmanager
    def _counted(self, direction: str) -> Iterator[None]:
        begun, outcome = monotonic(), "failed"
        try:
            yield
            outcome = "done"
        except Stopped:
            outcome = "stopped"
            raise
        finally:
            self.tally.step_ended(self.name, direction, outcome, monotonic() - begun)


class CountedTransport:
    def __init__(self, transport: Transport, tally: Tally) -> None:
        self._transport = transport
        self._tally = tally

    def send(self, request: Request) -> Answer:
        try:
            answer = self._transport.send(request)
        except ClientError:
            self._tally.answered(kind_of(request), "none")
            raise
        self._tally.answered(kind_of(request), str(answer.status))
        if answer.status < 300 or answer.status == 304:
            self._tally.heard = monotonic()
        return answer

    def close(self) -> None:
        self._transport.close()
