"""The document of scheduled events, as bytes.

`_Event` is the shape of one event, and the order of its fields is the captured order of the keys. A key that the
api-version does not have is absent, never null.
"""

from dataclasses import dataclass

from msgspec import UNSET, DecodeError, Struct, UnsetType
from msgspec.json import Decoder, Encoder

from forewarn.domain.events import Announcement, Document, EventType, Phase, Source
from forewarn.wire.dates import parse_date, rfc1123
from forewarn.wire.errors import Malformed
from forewarn.wire.versions import EventVersion


class _Event(Struct, frozen=True, kw_only=True, rename="pascal"):
    event_id: str
    event_status: str
    event_type: str
    resource_type: str = "VirtualMachine"
    resources: list[str]
    not_before: str | None = ""
    description: str | UnsetType = UNSET
    event_source: str | UnsetType = UNSET
    duration_in_seconds: int | UnsetType = UNSET


class _Document(Struct, frozen=True, rename="pascal"):
    document_incarnation: int
    events: list[_Event]


_encoder = Encoder()
_decoder = Decoder(_Document, strict=False)  # not strict: old classes hold the incarnation as a string


def render(document: Document, version: EventVersion) -> bytes:
    prefix = "_" if version.underscore and document.iaas else ""
    events = [_tell(event, version, prefix) for event in document.announcements if event.type in version.types]
    return _encoder.encode(_Document(document.incarnation, events))


def _tell(event: Announcement, version: EventVersion, prefix: str) -> _Event:
    return _Event(
        event_id=event.id,
        event_status=event.phase.value,
        event_type=event.type.value,
        resources=[prefix + name for name in event.resources],
        not_before="" if event.not_before is None else rfc1123(event.not_before),
        description=event.description if version.description else UNSET,
        event_source=event.source.value if version.source else UNSET,
        duration_in_seconds=event.duration if version.duration else UNSET,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a reader learns from a document."""

    incarnation: int
    announcements: tuple[Announcement, ...]
    unknown: tuple[str, ...] = ()  # ids of events whose type or status this code has no word for


def parse(body: bytes, version: EventVersion, *, iaas: bool = True) -> Reading:
    """Read a document asked for with `version`. What that version does not tell is at its default.

    `not_before` of a Scheduled event is None if the date cannot be read: unknown, not due.
    """
    try:
        document = _decoder.decode(body.decode("utf-8-sig"))
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"not a document of scheduled events: {error}") from None
    prefix = "_" if version.underscore and iaas else ""
    heard = [_hear(event, prefix) for event in document.events]
    return Reading(
        incarnation=document.document_incarnation,
        announcements=tuple(event for event in heard if isinstance(event, Announcement)),
        unknown=tuple(event for event in heard if isinstance(event, str)),
    )


def _hear(event: _Event, prefix: str) -> Announcement | str:
    try:
        phase, kind = Phase(event.event_status), EventType(event.event_type)
    except ValueError:
        return event.event_id
    return Announcement(
        id=event.event_id,
        phase=phase,
        type=kind,
        source=Source.USER if event.event_source == Source.USER.value else Source.PLATFORM,
        resources=tuple(name.removeprefix(prefix) for name in event.resources),
        not_before=parse_date(event.not_before or ""),
        description=event.description or "",
        duration=-1 if event.duration_in_seconds is UNSET else event.duration_in_seconds,
    )
