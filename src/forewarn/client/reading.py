"""From the bytes of an answer to values.

A service that says nothing has not said that nothing is going to happen: an answer without a body, or without a list
of events, is Unreadable and never an empty document.
"""

import codecs
import json
import re
from collections.abc import Mapping
from datetime import timedelta
from enum import Enum
from typing import TypeVar

from forewarn.client.dates import read_date
from forewarn.client.documents import Document, Event, EventType, Status
from forewarn.client.errors import Unreadable

E = TypeVar("E", bound=Enum)

UNKNOWN_INCARNATION = -1
_UNDERSCORED = frozenset({"2017-03-01", "latest"})
_role_instance = re.compile(r".*_IN_[0-9]+", re.IGNORECASE | re.DOTALL)


def is_empty(body: bytes) -> bool:
    """Some hosts answer with nothing while they have nothing to tell."""
    return not body.removeprefix(codecs.BOM_UTF8).strip()


def read_document(body: bytes, fields: Mapping[str, str], version: str = "2020-07-01") -> Document:
    """`fields`: the answer's header, with names in lower case; `version`: the one that was asked for."""
    document = read_object(body)
    events = document.get("Events")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise Unreadable("The answer is no document of scheduled events: it has no list of them.")
    prefix = "_" if version in _UNDERSCORED else ""
    incarnation = _integer(document.get("DocumentIncarnation"))
    return Document(
        incarnation=UNKNOWN_INCARNATION if incarnation is None else incarnation,
        events=tuple(_read_event(event, prefix) for event in events),
        date=read_date(fields.get("date", "")),
        etag=fields.get("etag", ""),
    )


def read_object(body: bytes) -> dict[str, object]:
    """An object of JSON, or Unreadable."""
    try:
        found = json.loads(body.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        said = "nothing" if is_empty(body) else f"{body[:80]!r}"
        raise Unreadable(f"The answer is not JSON but {said}.") from error
    if not isinstance(found, dict):
        raise Unreadable(f"The answer is no object of JSON but {body[:80]!r}.")
    return found


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def _read_event(event: dict[str, object], prefix: str) -> Event:
    resources = event.get("Resources")
    names = [name for name in resources if isinstance(name, str)] if isinstance(resources, list) else []
    return Event(
        id=text_of(event.get("EventId")),
        type=_word(EventType, event.get("EventType")),
        status=_word(Status, event.get("EventStatus")),
        resources=tuple(_bare(name, prefix) for name in names),
        not_before=read_date(text_of(event.get("NotBefore"))),
        description=text_of(event.get("Description")),
        source=text_of(event.get("EventSource")),
        duration=_duration(event.get("DurationInSeconds")),
        raw=event,
    )


def _bare(name: str, prefix: str) -> str:
    """The oldest version puts a `_` before the names of VMs, and none before those of role instances."""
    return name if _role_instance.fullmatch(name) else name.removeprefix(prefix)


def _word(words: type[E], value: object) -> E | str:
    try:
        return words(value)
    except ValueError:
        return text_of(value)


def _duration(value: object) -> timedelta | None:
    seconds = _integer(value)
    try:
        return None if seconds is None or seconds < 0 else timedelta(seconds=seconds)
    except OverflowError:
        return None


def _integer(value: object) -> int | None:
    """Old classes hold numbers as strings."""
    try:
        return int(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
    except ValueError:
        return None
