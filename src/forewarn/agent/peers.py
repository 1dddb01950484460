"""Who of an event's machines is ready: told and asked through whatever the machines share.

The server keeps it, where it is Forewarn; otherwise the agents ask each other, or look into a directory they share.
"""

import logging
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from forewarn.client import ClientError, Event, Refused, ScheduledEvents

SECONDS = 3.0
"""How long a peer may take to answer."""


class Peers(Protocol):
    def tell(self, event: Event, me: str) -> bool:
        """This machine is ready. Whether that was heard, or to say it again is in vain; never raises."""

    def ready(self, event: Event) -> frozenset[str]:
        """Who is known to be, in lower case."""


class ServerPeers:
    """Through the server's readiness endpoint; where it has none, through `otherwise`."""

    def __init__(self, client: ScheduledEvents, otherwise: Peers, log: logging.Logger) -> None:
        self._client = client
        self._otherwise = otherwise
        self._log = log

    def tell(self, event: Event, me: str) -> bool:
        heard = True
        try:
            if self._client.ready(event) is not None:
                return True
        except ClientError as error:
            heard = isinstance(error, Refused)  # asked again, it would say the same
            self._log.warning(
                "%s %s: the server did not take that this machine is ready: %s", event.kind, event.id, error
            )
        return self._otherwise.tell(event, me) and heard

    def ready(self, event: Event) -> frozenset[str]:
        try:
            known = self._client.readiness(event)
        except ClientError:
            return frozenset()
        return self._otherwise.ready(event) if known is None else frozenset(name.lower() for name in known.ready)


class NoPeers:
    """Nothing is shared, so only this machine is known to be ready."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    def tell(self, event: Event, me: str) -> bool:
        self._told[event.key] = me.lower()
        return True

    def ready(self, event: Event) -> frozenset[str]:
        return frozenset({self._told[event.key]} if event.key in self._told else ())


class DirectoryPeers:
    """A file for each machine of each event. The directory is on storage that all of them see."""

    def __init__(self, directory: Path, log: logging.Logger) -> None:
        self._directory = directory
        self._log = log

    def tell(self, event: Event, me: str) -> bool:
        folder = self._directory / _file_name(event.key)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _file_name(me.lower())).touch()
        except OSError as error:
            self._log.warning("%s %s: it cannot be said in %s: %s", event.kind, event.id, folder, error.strerror)
            return False
        return True

    def ready(self, event: Event) -> frozenset[str]:
        folder = self._directory / _file_name(event.key)
        try:
            present = {file.name for file in folder.iterdir()}
        except OSError:
            return frozenset()
        return frozenset(name.lower() for name in event.resources if _file_name(name.lower()) in present)


class UrlPeers(NoPeers):
    """Each agent is asked at its own address: 200 means that it is ready."""

    def __init__(self, template: str) -> None:
        super().__init__()
        from urllib.request import ProxyHandler, build_opener  # a megabyte, and few have such peers

        self._template = template
        self._opener = build_opener(ProxyHandler({}))

    def ready(self, event: Event) -> frozenset[str]:
        mine = super().ready(event)
        others = [name for name in event.resources if name.lower() not in mine]
        return mine | {name.lower() for name in others if self._says_yes(name, event)}

    def _says_yes(self, name: str, event: Event) -> bool:
        places = {"{name}": quote(name, safe=""), "{event}": quote(event.id, safe="")}
        url = self._template
        for place, value in places.items():
            url = url.replace(place, value)
        try:
            with self._opener.open(url, timeout=SECONDS) as answer:
                return bool(answer.status == 200)
        except (OSError, ValueError):
            return False


def peers_of(setting: str, client: ScheduledEvents, log: logging.Logger) -> Peers:
    if setting.startswith(("http://", "https://")):
        return ServerPeers(client, UrlPeers(setting), log)
    return ServerPeers(client, DirectoryPeers(Path(setting), log) if setting else NoPeers(), log)


def _file_name(text: str) -> str:
    """Never a way out of the directory, whatever the text."""
    return "is-" + quote(text, safe="")
