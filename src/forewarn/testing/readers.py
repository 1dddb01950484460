"""Who polls, how often, and whether it has seen the newest document: so that time goes on only when it has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from forewarn.remote import Client, Refusal, in_path

MARGIN = 0.5
"""Seconds of real time that a client may be later than it ever was, three times over, before nobody waits for it."""

Key = tuple[str, str]
"""Scope and name of a machine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """A machine's client, as far as its polls tell."""

    scope: str
    name: str
    number: int  # of its last answered poll
    incarnation: int | None  # of the document there was when it last looked, whatever it was shown
    interval: float  # the longest of its last pauses, in seconds of real time

    @property
    def key(self) -> Key:
        return self.scope, self.name

    @property
    def patience(self) -> float:
        return 3 * self.interval + MARGIN


def readers(requests: Sequence[Mapping[str, Any]]) -> list[Reader]:
    polls: dict[Key, list[Mapping[str, Any]]] = {}
    for request in requests:
        if request["asked"] == "poll" and request["status"] in (200, 304):
            polls.setdefault((request["scope"], request["machine"]), []).append(request)
    return [_reader(key, seen) for key, seen in polls.items()]


def _reader(key: Key, polls: Sequence[Mapping[str, Any]]) -> Reader:
    times = [poll["seconds"] for poll in polls[-6:]]
    return Reader(
        scope=key[0],
        name=key[1],
        number=polls[-1]["number"],
        incarnation=polls[-1]["newest"],
        interval=max((later - earlier for earlier, later in pairwise(times)), default=1.0),
    )


def behind(client: Client, reader: Reader) -> bool:
    """Whether there is a document that it has not seen, and it is still there to see it."""
    if reader.incarnation is None:
        return False
    try:
        client.get(f"/machines/{in_path(f'{reader.scope}/{reader.name}')}")
        scope = client.get(f"/scopes/{in_path(reader.scope)}")
    except Refusal:
        return False  # it is gone
    return bool(reader.incarnation < scope["incarnation"])
