"""Handlers that are wrong, each in one way: `python -m tests.testing.doctor.handlers.wrong NAME URL MACHINE …`.

Most ways to be wrong were seen in clients that people use. The last two only have ways of their own.
"""

import json
import socket
import sys
import time
import urllib.error
from datetime import datetime
from typing import Any

from tests.testing.doctor.handlers.right import TROUBLE, Event, Handler


class ApprovesEverything(Handler):
    """Prepares for its own events only, but approves whatever it sees."""

    def look(self, document: dict[str, Any]) -> None:
        super().look(document)
        for event in document["Events"]:
            if event["EventId"] not in self.approved:
                self.approve(event)


class IgnoresResources(Handler):
    def is_mine(self, event: Event) -> bool:
        return True

    def may_approve(self, event: Event) -> bool:
        return True


class LooksForItsNameInNames(Handler):
    def is_mine(self, event: Event) -> bool:
        return any(self.machine in name for name in event["Resources"])

    def may_approve(self, event: Event) -> bool:
        return len(event["Resources"]) == 1


class ApprovesFirst(Handler):
    def handle(self, event: Event) -> None:
        if self.may_approve(event) and event["EventId"] not in self.approved:
            self.approve(event)
        self.prepare()


class ApprovesOnce(Handler):
    """Remembers that it has approved before it has."""

    def approve(self, event: Event) -> None:
        self.approved.add(event["EventId"])
        super().approve(event)


class ApprovesWithoutVersion(Handler):
    def approve(self, event: Event) -> None:
        whole, self.url = self.url, self.url.partition("?")[0]
        self.approved.add(event["EventId"])
        try:
            super().approve(event)
        finally:
            self.url = whole


class ApprovesWithoutHeader(Handler):
    def fields(self, body: bytes | None) -> dict[str, str]:
        return {"Metadata": "true"} if body is None else {}


class ApprovesAgainAndAgain(Handler):
    def approve(self, event: Event) -> None:
        for _ in range(3):
            super().approve(event)
        self.approved.clear()


class ApprovesNothing(Handler):
    def may_approve(self, event: Event) -> bool:
        return False


class StopsAfterAnEvent(Handler):
    def approve(self, event: Event) -> None:
        super().approve(event)
        while True:
            time.sleep(0.05)
            self.ask()


class UndoesOnlyWhatHasStarted(Handler):
    started = False

    def look(self, document: dict[str, Any]) -> None:
        self.started |= any(event["EventStatus"] == "Started" for event in document["Events"] if self.is_mine(event))
        super().look(document)

    def undo(self) -> None:
        if self.started:
            super().undo()
        self.started = False


class TrustsTheIncarnation(Handler):
    newest = -1

    def look(self, document: dict[str, Any]) -> None:
        if document["DocumentIncarnation"] >= self.newest:
            self.newest = document["DocumentIncarnation"]
            super().look(document)


class LooksAtTheFirstEvent(Handler):
    def look(self, document: dict[str, Any]) -> None:
        super().look({**document, "Events": document["Events"][:1]})


class ReadsIsoDates(Handler):
    def not_before(self, event: Event) -> object:
        try:
            return datetime.fromisoformat(event["NotBefore"])
        except ValueError as error:
            sys.exit(f"ValueError: {error}")


class NeedsEveryDate(Handler):
    """A document in which one NotBefore is empty is as good as none."""

    def look(self, document: dict[str, Any]) -> None:
        for event in document["Events"]:
            if not self.is_mine(event):
                datetime.strptime(event["NotBefore"], "%a, %d %b %Y %H:%M:%S GMT")  # noqa: DTZ007
        super().look(document)


class DiesOf500(Handler):
    def stumble(self, trouble: Exception) -> None:
        if isinstance(trouble, urllib.error.HTTPError) and trouble.code == 500:
            sys.exit(f"the metadata service answered {trouble}")


class DiesOfAnythingButJson(Handler):
    def stumble(self, trouble: Exception) -> None:
        if isinstance(trouble, json.JSONDecodeError):
            raise SystemExit(str(trouble)) from trouble


class WaitsForEver(Handler):
    timeout = None


class GivesUpSoon(Handler):
    timeout = 0.4


class HurriesWhenRefused(Handler):
    def stumble(self, trouble: Exception) -> None:
        time.sleep(0.02)
        try:
            self.ask()
        except TROUBLE as again:
            if isinstance(again, urllib.error.HTTPError):
                self.stumble(again)


class AsksForAnOldVersion(Handler):
    def __init__(self, *told: str) -> None:
        super().__init__(*told)
        self.url = self.url.replace("2020-07-01", "2017-08-01")


class EndsBeforeAnEviction(Handler):
    """Not wrong: it is all that some do."""

    def look(self, document: dict[str, Any]) -> None:
        if any(event["EventType"] == "Preempt" and self.is_mine(event) for event in document["Events"]):
            sys.exit(0)


class WantsToBeAlone(Handler):
    """Nor is this one: it takes a port of the machine that only one can have."""

    def run(self) -> None:
        with socket.create_server(("127.0.0.1", 47291)):
            super().run()


if __name__ == "__main__":
    name, *told = sys.argv[1:]
    handler: Handler = globals()[name](*told)
    handler.run()
