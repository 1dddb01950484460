"""What the metadata port answers beside Azure's contract: what this server is, and who is ready for an event.

`{"EventId":"…","Ready":true}` is said by a machine of itself; the answer tells the event's machines and those of them
that have said yes. As with approvals, other members are skipped unread and the content type is not asked for.
"""

import msgspec
from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from forewarn.domain.consent import yes
from forewarn.domain.errors import Conflict, Forbidden, NotFound, Refused, TooMany
from forewarn.domain.events import Event
from forewarn.wire.answers import Answer, error, ok
from forewarn.wire.errors import Malformed

ABOUT = "/forewarn/v1/about"
READY = "/forewarn/v1/ready"

STATUSES: dict[type[Refused], int] = {Forbidden: 403, NotFound: 404, Conflict: 409, TooMany: 429}


class Said(Struct, frozen=True, rename="pascal"):
    event_id: str
    ready: bool


_decoder = Decoder(Said)


def read_said(body: bytes) -> Said:
    """The id is in upper case."""
    try:
        said = _decoder.decode(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Malformed("the body is not UTF-8") from None
    except RecursionError:
        raise Malformed("the body is nested too deeply") from None
    except DecodeError as wrong:
        raise Malformed(str(wrong)) from None
    return Said(said.event_id.upper(), said.ready)


def about(version: str, wait: int) -> Answer:
    """`wait`: the most seconds that `&wait=` is good for."""
    return ok(msgspec.json.encode({"forewarn": version, "wait": wait, "ready": True}))


def standing(event: Event) -> Answer:
    """The event's machines, and those of them that have said yes, both in the order of the document."""
    said = yes(event)
    ready = [name for name in event.resources if name in said]
    return ok(msgspec.json.encode({"EventId": event.id, "Resources": event.resources, "Ready": ready}))


def refused(refusal: Refused) -> Answer:
    status = next((STATUSES[kind] for kind in type(refusal).__mro__ if kind in STATUSES), 400)
    return error(status, str(refusal))


def malformed(reason: str) -> Answer:
    return error(400, f"Bad request. The readiness was not understood: {reason}")
