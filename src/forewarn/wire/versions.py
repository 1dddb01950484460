"""Which api-versions there are, and what each one changed. Two lists: scheduled events have their own."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from forewarn.domain.events import EventType

_FIRST = frozenset({EventType.FREEZE, EventType.REBOOT, EventType.REDEPLOY})
_WITH_PREEMPT = _FIRST | {EventType.PREEMPT}
_WITH_TERMINATE = _WITH_PREEMPT | {EventType.TERMINATE}


@dataclass(frozen=True, kw_only=True, slots=True)
class EventVersion:
    """What a reader of this api-version of `/metadata/scheduledevents` sees, and must send."""

    name: str
    types: frozenset[EventType]  # events of other types exist and proceed, but are not listed
    description: bool = False
    source: bool = False
    duration: bool = False
    underscore: bool = False  # names of IaaS machines are shown with a leading `_`
    post_needs_header: bool = True  # a GET needs `Metadata: true` in every version


_TABLE = (
    EventVersion(name="2017-03-01", types=_FIRST, underscore=True, post_needs_header=False),
    EventVersion(name="2017-08-01", types=_FIRST),
    EventVersion(name="2017-11-01", types=_WITH_PREEMPT),
    EventVersion(name="2019-01-01", types=_WITH_TERMINATE),
    EventVersion(name="2019-04-01", types=_WITH_TERMINATE, description=True),
    EventVersion(name="2019-08-01", types=_WITH_TERMINATE, description=True, source=True),
    EventVersion(name="2020-07-01", types=_WITH_TERMINATE, description=True, source=True, duration=True),
)
_BY_NAME = {version.name: version for version in _TABLE} | {"latest": _TABLE[0]}

EVENT_VERSIONS: tuple[str, ...] = tuple(version.name for version in _TABLE)

INSTANCE_VERSIONS: tuple[str, ...] = (
    "2017-03-01",
    "2017-04-02",
    "2017-08-01",
    "2017-10-01",
    "2017-12-01",
    "2018-02-01",
    "2018-04-02",
    "2018-10-01",
    "2019-02-01",
    "2019-03-11",
    "2019-04-30",
    "2019-06-01",
    "2019-06-04",
    "2019-08-01",
    "2019-08-15",
    "2019-11-01",
    "2020-06-01",
    "2020-07-15",
    "2020-09-01",
    "2020-10-01",
    "2020-12-01",
    "2021-01-01",
    "2021-02-01",
    "2021-03-01",
    "2021-05-01",
    "2021-08-01",
    "2021-10-01",
    "2021-11-01",
    "2021-11-15",
    "2021-12-13",
    "2023-07-01",
    "2023-11-15",
    "2024-03-15",
    "2024-07-17",
    "2025-04-07",
)


def event_version(text: str) -> EventVersion | None:
    """The version of that name; `latest` is the preview's, whose readers knew no other."""
    return _BY_NAME.get(text.lower())


def newest(versions: Sequence[str]) -> list[str]:
    """The three an error names, newest first."""
    return list(reversed(versions[-3:]))


def versions_document() -> bytes:
    """The answer to `GET /metadata/versions`."""
    return msgspec.json.encode({"apiVersions": INSTANCE_VERSIONS})
