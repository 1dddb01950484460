"""Works off the jobs in a directory, one after another. Before its machine goes down, it finishes and takes no more.

    python worker.py INBOX DONE [--metadata URL] [--pause SECONDS]

A job is a file that says how many seconds it takes. It needs the standard library alone.
"""

import argparse
import json
import logging
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

AZURE = "http://169.254.169.254"
EVENTS = "/metadata/scheduledevents?api-version=2020-07-01"
NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"

log = logging.getLogger("worker")


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """The metadata service of the machine on which this runs."""

    url: str
    seconds: float = 5.0  # until it must have answered

    def name(self) -> str:
        return self._ask(NAME).decode()

    def events(self) -> list[dict[str, Any]]:
        events = json.loads(self._ask(EVENTS))["Events"]
        assert isinstance(events, list)
        return events

    def approve(self, event: str) -> None:
        self._ask(EVENTS, json.dumps({"StartRequests": [{"EventId": event}]}).encode())

    def _ask(self, path: str, body: bytes | None = None) -> bytes:
        request = urllib.request.Request(self.url + path, body, {"Metadata": "true"})
        with urllib.request.urlopen(request, timeout=self.seconds) as answer:
            told: bytes = answer.read()
            return told


@dataclass(kw_only=True)
class Worker:
    inbox: Path
    done: Path
    may_work: threading.Event = field(default_factory=threading.Event)
    at_work: threading.Lock = field(default_factory=threading.Lock)

    def run(self, pause: float) -> None:
        while True:
            self.may_work.wait()
            with self.at_work:
                job = min(self.inbox.iterdir(), default=None)
                if job is not None and self.may_work.is_set():
                    self._work_off(job)
            time.sleep(pause)

    def _work_off(self, job: Path) -> None:
        under_way = job.rename(self.done / f"{job.name}.part")
        time.sleep(float(under_way.read_text()))
        under_way.rename(self.done / job.name)

    def is_drained(self) -> bool:
        """No job is under way, and none will be begun."""
        if self.may_work.is_set() or not self.at_work.acquire(blocking=False):
            return False
        self.at_work.release()
        return True


@dataclass(kw_only=True)
class Watch:
    """Looks at the events about this machine, and lets the worker work while there are none."""

    metadata: Metadata
    worker: Worker
    machine: str = ""  # its name, once it is known

    def run(self, pause: float) -> None:
        while True:
            try:
                self.look()
            except (OSError, HTTPException, ValueError, KeyError) as error:
                log.warning("no word from the metadata service, asked again in a moment: %s", error)
            time.sleep(pause)

    def look(self) -> None:
        self.machine = self.machine or self.metadata.name()
        mine = [event for event in self.metadata.events() if self.machine in event["Resources"]]
        if not mine:
            self.worker.may_work.set()
            return
        self.worker.may_work.clear()
        if self.worker.is_drained():
            for event in mine:
                if event["EventStatus"] == "Scheduled":
                    log.info("ready for %s", event["EventType"])
                    self.metadata.approve(event["EventId"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inbox", type=Path)
    parser.add_argument("done", type=Path)
    parser.add_argument("--metadata", default=AZURE)
    parser.add_argument("--pause", type=float, default=1.0)
    args = parser.parse_args()
    logging.basicConfig(level="INFO")
    worker = Worker(inbox=args.inbox, done=args.done)
    threading.Thread(target=worker.run, args=(args.pause,), daemon=True).start()
    Watch(metadata=Metadata(url=args.metadata), worker=worker).run(args.pause)


if __name__ == "__main__":
    main()
