"""What a machine sends to say "you may start now": `{"StartRequests":[{"EventId":"…"}]}`.

Only these two names are read, in exactly this spelling; every other member (such as the `DocumentIncarnation` that all
samples of 2017 send, as a string or a number) is skipped unread. The content type is not asked for: most clients send
a wrong one.
"""

from typing import Annotated

from msgspec import DecodeError, Meta, Struct
from msgspec.json import Decoder

from forewarn.wire.errors import Malformed


class _StartRequest(Struct, rename="pascal"):
    event_id: str


class _Approval(Struct, rename="pascal"):
    start_requests: Annotated[list[_StartRequest], Meta(min_length=1)]


_decoder = Decoder(_Approval)


def event_ids(body: bytes) -> tuple[str, ...]:
    """The ids to approve, upper-case, each once, in the order given."""
    try:
        approval = _decoder.decode(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Malformed("the body is not UTF-8") from None
    except RecursionError:
        raise Malformed("the body is nested too deeply") from None
    except DecodeError as error:
        raise Malformed(str(error)) from None
    return tuple(dict.fromkeys(request.event_id.upper() for request in approval.start_requests))
