"""A handler that does everything right; those in `wrong` are this one with one thing wrong.

`python -m tests.testing.doctor.handlers.right URL MACHINE PROBE INTERVAL`: it has prepared when PROBE is there.
"""

import http.client
import json
import sys
import time
import urllib.request
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

Event = dict[str, Any]
TROUBLE = (OSError, http.client.HTTPException, ValueError)


class Handler:
    timeout: float | None = 2.5

    def __init__(self, url: str, machine: str, probe: str, interval: str) -> None:
        self.url = f"{url}/metadata/scheduledevents?api-version=2020-07-01"
        self.machine = machine
        self.probe = Path(probe)
        self.interval = float(interval)
        self.approved: set[str] = set()

    def run(self) -> None:
        while True:
            try:
                self.look(json.loads(self.ask()))
            except TROUBLE as trouble:
                self.stumble(trouble)
            time.sleep(self.interval)

    def stumble(self, trouble: Exception) -> None:
        print(f"trying again: {trouble}", flush=True)

    def look(self, document: dict[str, Any]) -> None:
        mine = [event for event in document["Events"] if self.is_mine(event)]
        for event in mine:
            self.not_before(event)
            if event["EventStatus"] == "Scheduled":
                self.handle(event)
        if not mine:
            self.undo()

    def is_mine(self, event: Event) -> bool:
        return self.machine in event["Resources"]

    def not_before(self, event: Event) -> object:
        return parsedate_to_datetime(event["NotBefore"]) if event["NotBefore"] else None

    def handle(self, event: Event) -> None:
        self.prepare()
        if self.may_approve(event) and event["EventId"] not in self.approved:
            self.approve(event)

    def may_approve(self, event: Event) -> bool:
        return bool(event["Resources"] == [self.machine])

    def prepare(self) -> None:
        self.probe.touch()

    def undo(self) -> None:
        self.probe.unlink(missing_ok=True)

    def approve(self, event: Event) -> None:
        self.ask(json.dumps({"StartRequests": [{"EventId": event["EventId"]}]}).encode())
        self.approved.add(event["EventId"])

    def fields(self, body: bytes | None) -> dict[str, str]:
        return {"Metadata": "true"}

    def ask(self, body: bytes | None = None) -> bytes:
        request = urllib.request.Request(self.url, body, self.fields(body))
        with urllib.request.urlopen(request, timeout=self.timeout) as answer:
            return bytes(answer.read())


if __name__ == "__main__":
    Handler(*sys.argv[1:]).run()
