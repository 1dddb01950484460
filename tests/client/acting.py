"""What stands at the client's ports in its tests: a pace that only counts, and a transport that reads from a list."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from forewarn.client import Answer, ClientError, Patience, Request, ScheduledEvents
from forewarn.client.alarm import Alarm

ENDPOINT = "http://metadata.example"
DATE = "Thu, 22 Jul 2021 04:35:17 GMT"
EVENT: Mapping[str, object] = {
    "EventId": "4CAEA225-A741-474D-A72E-428C86FCD853",
    "EventStatus": "Scheduled",
    "EventType": "Reboot",
    "ResourceType": "VirtualMachine",
    "Resources": ["vm1"],
    "NotBefore": "Thu, 22 Jul 2021 04:50:17 GMT",
    "Description": "",
    "EventSource": "User",
    "DurationInSeconds": -1,
}

Act = Answer | ClientError | Callable[[Request], Answer]


class Pace:
    """Time goes by when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.on_sleep: Callable[[], None] = lambda: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, alarm: Alarm | None) -> None:
        self.slept.append(seconds)
        self.now += seconds
        self.on_sleep()


class Tape:
    """Plays its answers in order, and the last one for ever. It says what it is as Azure does, unless told."""

    def __init__(self, pace: Pace, acts: Iterable[Act], about: Answer | None = None) -> None:
        self._pace = pace
        self._acts = list(acts)
        self.about = about or Answer(status=404, body=b"<html>")
        self.requests: list[Request] = []
        self.moments: list[float] = []

    def send(self, request: Request) -> Answer:
        if request.target == "/forewarn/v1/about":
            return self.about
        self.requests.append(request)
        self.moments.append(self._pace.now)
        act = self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]
        if isinstance(act, ClientError):
            raise act
        return act if isinstance(act, Answer) else act(request)

    def play(self, *acts: Act) -> None:
        self._acts = list(acts)

    def close(self) -> None:
        pass

    @property
    def targets(self) -> list[str]:
        return [request.target for request in self.requests]


class Stage:
    def __init__(self, client: ScheduledEvents, tape: Tape, pace: Pace) -> None:
        self.client = client
        self.tape = tape
        self.pace = pace


@contextmanager
def playing(*acts: Act, about: Answer | None = None, name: str | None = None, interval: float = 1.0) -> Iterator[Stage]:
    pace = Pace()
    tape = Tape(pace, acts, about)
    patience, rng = Patience(pace=pace), random.Random(1)
    with ScheduledEvents(ENDPOINT, name=name, transport=tape, patience=patience, interval=interval, rng=rng) as client:
        yield Stage(client, tape, pace)


def told(incarnation: object, *events: Mapping[str, object], etag: str | None = None) -> Answer:
    """A document, as Forewarn sends it; `etag` empty: without one."""
    fields = {"date": DATE, "etag": f'"{incarnation}"' if etag is None else etag}
    body = json.dumps({"DocumentIncarnation": incarnation, "Events": list(events)}).encode()
    return Answer(status=200, fields={name: value for name, value in fields.items() if value}, body=body)


def says(status: int, body: bytes = b"", **fields: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return Answer(status=status, body=body, fields={"date": DATE, **named})


def statuses(*numbers: int) -> Sequence[Answer]:
    return [says(number) for number in numbers]
