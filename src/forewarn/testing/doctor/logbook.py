"""What the client has asked, as the server tells it: each request when it comes, and again when it is answered."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from forewarn.testing.handles import Machine
from forewarn.testing.kit import Forewarn
from forewarn.testing.metadata import USER_AGENT

MOST_OPEN = 500
"""Requests that are looked at again until they are answered; the server tells a thousand at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    number: int
    at: float  # by this process's monotonic clock
    asked: str
    method: str
    target: str
    fields: Mapping[str, str]
    body: str
    status: int | None
    incarnation: int | None
    faults: tuple[str, ...]

    @property
    def is_poll(self) -> bool:
        return self.asked == "poll"

    @property
    def is_answered(self) -> bool:
        return self.status in (200, 304)

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query))

    @property
    def approves(self) -> frozenset[str]:
        """The ids of the events, whether or not the server took it."""
        if self.asked != "approval":
            return frozenset()
        try:
            return frozenset(str(one["EventId"]).upper() for one in json.loads(self.body)["StartRequests"])
        except (ValueError, TypeError, KeyError):
            return frozenset()

    def __str__(self) -> str:
        what = f"approval of {', '.join(sorted(self.approves)) or 'nothing'}" if self.asked == "approval" else "asked"
        told = "not answered" if self.status is None else f"answered {self.status}"
        wrong = f", met {' and '.join(self.faults)}" if self.faults else ""
        return f"{what}: {self.method} {self.target}, {told}{wrong}"


class Logbook:
    def __init__(self, kit: Forewarn, machine: Machine) -> None:
        self._client = kit.client
        self._machine = machine.name
        self._known: dict[int, Request] = {}
        self._settled = 0  # all up to this one are answered
        self._last = 0
        self._zero = 0.0
        began = time.monotonic()
        machine.poll()
        seen = self._client.get("/requests", machine=self._machine)["items"][-1]
        self._zero = began - seen["seconds"]
        self._settled = self._last = seen["number"]

    @property
    def last(self) -> int:
        return self._last

    def look(self, wait: float = 0.0) -> None:
        """`wait`: seconds until something comes, or is answered, at most."""
        items = self._ask(self._last, wait) if wait else []
        if self._settled < self._last or not wait:
            items = self._ask(self._settled, 0)
        for item in items:
            self._last = max(self._last, item["number"])
            if item["fields"].get("user-agent") != USER_AGENT:
                self._known[item["number"]] = self._read(item)
        waiting = [item["number"] - 1 for item in items if item["status"] is None]
        self._settled = max(min(waiting, default=self._last), self._last - MOST_OPEN)

    def _ask(self, after: int, wait: float) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self._client.get("/requests", after=after, machine=self._machine, wait=wait)[
            "items"
        ]
        return items

    def since(self, number: int) -> list[Request]:
        return [request for request in self._known.values() if request.number > number]

    def _read(self, item: Mapping[str, Any]) -> Request:
        return Request(
            number=item["number"],
            at=self._zero + item["seconds"],
            asked=item["asked"],
            method=item["method"],
            target=item["target"],
            fields=item["fields"],
            body=item["body"],
            status=item["status"],
            incarnation=item["incarnation"],
            faults=tuple(item["faults"]),
        )


def summed_up(requests: Sequence[Request]) -> Iterator[tuple[float, str]]:
    """Times and lines; what came the same many times in a row is one line."""
    for text, same in groupby(requests, str):
        first, *more = same
        times = f" ({len(more) + 1} times in {more[-1].at - first.at:.1f} s)" if more else ""
        yield first.at, f"client: {text}{times}"


def busiest_second(requests: Sequence[Request]) -> int:
    """How many came within one second, at most."""
    times = [request.at for request in requests]
    return max((sum(1 for at in times if began <= at < began + 1) for began in times), default=0)
