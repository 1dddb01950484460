"""What a body may only say from some api-version on, and how Compute refuses it before: to the character.

The message is that of its JSON reader: the member, the type of the object it is in, its path, and where in the text the
reader stood, which is behind the colon.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from forewarn.domain.errors import Invalid
from forewarn.domain.resources import AVAILABILITY_SET, SCALE_SET, VIRTUAL_MACHINE
from forewarn.wire.compute.digging import Json, dig

PREFIXES = {SCALE_SET: "vmss", VIRTUAL_MACHINE: "vm", AVAILABILITY_SET: "availabilitySet"}


class Gate(Struct, frozen=True):
    since: str
    path: str
    of: str  # the type of the object that the member is in


_POLICY = (
    Gate("2025-04-01", "properties.scheduledEventsPolicy.allInstancesDown", "ScheduledEventsPolicy"),
    Gate(
        "2025-04-01",
        "properties.scheduledEventsPolicy.scheduledEventsAdditionalPublishingTargets.eventGridAndResourceGraph"
        ".scheduledEventsApiVersion",
        "EventGridAndResourceGraph",
    ),
)
_MODEL = "properties.virtualMachineProfile.scheduledEventsProfile"
GATES = {
    SCALE_SET: (
        Gate("2018-10-01", "properties.automaticRepairsPolicy", "Properties"),
        Gate("2019-03-01", "properties.scaleInPolicy", "Properties"),
        Gate("2019-03-01", _MODEL, "VirtualMachineProfile"),
        Gate("2022-11-01", f"{_MODEL}.osImageNotificationProfile", "ScheduledEventsProfile"),
        Gate("2024-03-01", "properties.scheduledEventsPolicy", "Properties"),
        *_POLICY,
    ),
    VIRTUAL_MACHINE: (
        Gate("2021-03-01", "properties.scheduledEventsProfile", "Properties"),
        Gate("2022-11-01", "properties.scheduledEventsProfile.osImageNotificationProfile", "ScheduledEventsProfile"),
        Gate("2024-03-01", "properties.scheduledEventsPolicy", "Properties"),
        *_POLICY,
    ),
    AVAILABILITY_SET: (Gate("2024-07-01", "properties.scheduledEventsPolicy", "Properties"), *_POLICY),
}


class UnknownMember(Invalid):
    """The body says something that its api-version has no word for."""

    def __init__(self, message: str, target: str) -> None:
        super().__init__(message)
        self.target = target


def check_members(kind: str, body: Json, raw: bytes, version: str) -> None:
    """`raw` is the text that `body` came as; `version` the api-version, a date."""
    for gate in GATES.get(kind, ()):
        path = gate.path.split(".")
        if version[:10] < gate.since and dig(body, *path) is not None:
            line, column = where(raw.decode(), path)
            raise UnknownMember(
                f"Could not find member '{path[-1]}' on object of type '{gate.of}'. "
                f"Path '{gate.path}', line {line}, position {column}.",
                f"{PREFIXES[kind]}.{gate.path}",
            )


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')


def where(text: str, path: list[str]) -> tuple[int, int]:
    """Line and position behind the colon of the member at `path`; (1, 0) if it is not there."""
    for found, end in _members(text):
        if found == path:
            return text.count("\n", 0, end) + 1, end - (text.rfind("\n", 0, end) + 1)
    return 1, 0


def _members(text: str) -> Iterator[tuple[list[str | None], int]]:
    """The path of every member of every object, in order, and where its colon ends. Members of lists are at None."""
    path: list[str | None] = []
    last = ""
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece in "{[":
            path.append(None)
        elif piece in "}]":
            path.pop()
        elif piece == ":":
            path[-1] = last[1:-1]
            yield path, match.end()
        else:
            last = piece
