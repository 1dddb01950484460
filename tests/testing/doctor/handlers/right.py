"""A handler that does everything right: the others are this one with one thing wrong.

`python right.py URL MACHINE PROBE [INTERVAL]`: prepared is when the file PROBE is there.
"""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from pathlib import Path

TROUBLE = (OSError, http.client.HTTPException, ValueError)


class Handler:
    timeout = 3.0

    def __init__(self, url: str, machine: str, probe: str, interval: str = "0.05") -> None:
        self.url = f"{url}/metadata/scheduledevents?api-version=2020-07-01"
        self.machine = machine
        self.probe = Path(probe)
        self.interval = float(interval)
        self.approved: set[str] = set()

    def run(self) -> None:
        while True:
            try:
                self.look()
            except TROUBLE as trouble:
                self.stumble(trouble)
            time.sleep(self.interval)

    def stumble(self, trouble: Exception) -> None:
        print(f"trying again: {trouble}", flush=True)

    def look(self) -> None:
        document = json.loads(self.ask())
        mine = [event for event in document["Events"] if self.is_mine(event)]
        for event in mine:
            self.when(event)
            if event["EventStatus"] == "Scheduled":
                self.handle(event)
        if not mine:
            self.probe.unlink(missing_ok=True)

    def is_mine(self, event: dict) -> bool:
        return self.machine in event["Resources"]

    def when(self, event: dict) -> object:
        return parsedate_to_datetime(event["NotBefore"]) if event["NotBefore"] else None

    def handle(self, event: dict) -> None:
        self.prepare()
        if event["Resources"] == [self.machine] and event["EventId"] not in self.approved:
            self.approve(event)

    def prepare(self) -> None:
        self.probe.touch()

    def approve(self, event: dict) -> None:
        self.ask(json.dumps({"StartRequests": [{"EventId": event["EventId"]}]}).encode())
        self.approved.add(event["EventId"])

    def fields(self, body: bytes | None) -> dict[str, str]:
        return {"Metadata": "true"}

    def ask(self, body: bytes | None = None) -> bytes:
        request = urllib.request.Request(self.url, body, self.fields(body))
        with urllib.request.urlopen(request, timeout=self.timeout) as answer:
            return answer.read()


if __name__ == "__main__":
    Handler(*sys.argv[1:]).run()
