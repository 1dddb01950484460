"""Who polls, how often, and whether it has seen the newest document: so that time goes on only when it has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from forewarn.remote import Client, Refusal, in_path

MARGIN = 0.5
"""Seconds of real time that a client may be later than it ever was, three times over, before nobody waits for it."""

UNKNOWN = 0.35
"""Of who has polled once: with one that polls each second, as Azure recommends, it will just do."""

Key = tuple[str, str]
"""Scope and name of a machine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """A machine's client, as far as its polls tell."""

    scope: str
    name: str
    polls: tuple[int, ...]  # their numbers
    answered: tuple[int, ...]  # of those that were, whatever the answer
    incarnation: int | None  # of the document there was when it last looked, whatever it was shown
    interval: float  # the longest of its last pauses, in seconds of real time

    @property
    def key(self) -> Key:
        return self.scope, self.name

    @property
    def patience(self) -> float:
        return 3 * self.interval + MARGIN

    @property
    def is_held(self) -> bool:
        """Its last poll waits for something to happen."""
        return self.polls[-1] > self.answered[-1]

    def has_asked_since(self, number: int) -> bool:
        """And was answered."""
        return self.answered[-1] > number

    def came_back_since(self, number: int) -> bool:
        """And so has done what it does about the answer, if it does one thing after another."""
        later = [each for each in self.answered if each > number]
        return bool(later) and self.polls[-1] > later[0]


def readers(requests: Sequence[Mapping[str, Any]]) -> list[Reader]:
    """Whoever has polled and was told a document."""
    polls: dict[Key, list[Mapping[str, Any]]] = {}
    for request in requests:
        if request["asked"] == "poll":
            polls.setdefault((request["scope"], request["machine"]), []).append(request)
    return [_reader(key, seen) for key, seen in polls.items() if any(poll["status"] in (200, 304) for poll in seen)]


def _reader(key: Key, polls: Sequence[Mapping[str, Any]]) -> Reader:
    times = [poll["seconds"] for poll in polls[-6:]]
    told = [poll["newest"] for poll in polls if poll["newest"] is not None]
    return Reader(
        scope=key[0],
        name=key[1],
        polls=tuple(poll["number"] for poll in polls),
        answered=tuple(poll["number"] for poll in polls if poll["status"] is not None),
        incarnation=told[-1] if told else None,
        interval=max((later - earlier for earlier, later in pairwise(times)), default=UNKNOWN),
    )


def behind(client: Client, reader: Reader) -> bool:
    """Whether there is a document that it has not seen, and it is still there to see it."""
    try:
        client.get(f"/machines/{in_path(f'{reader.scope}/{reader.name}')}")
        scope = client.get(f"/scopes/{in_path(reader.scope)}")
    except Refusal:
        return False  # it is gone
    return bool((reader.incarnation or 0) < scope["incarnation"])
