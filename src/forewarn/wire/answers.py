"""What the metadata endpoint answers, byte for byte as captured where a capture exists.

An `Answer` is all a server needs to write the response; `len(body)` is its Content-Length, also where the body itself
is not sent (HEAD).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from forewarn.wire.versions import EVENT_VERSIONS, INSTANCE_VERSIONS, newest

SERVER_IMDS = "IMDS/150.870.65.1854"  # some clients look for "IMDS" in it
SERVER_IIS = "Microsoft-IIS/10.0"  # what stands before IMDS, and answers what never reaches it

JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html"
XML = "text/xml; charset=utf-8"

_LONGEST_REASON = 300
_MOST_IDS = 8
_LONGEST_ID = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    body: bytes = b""
    content_type: str | None = None  # None: there is no body to describe
    server: str = SERVER_IMDS
    close: bool = False  # what follows on this connection can no longer be trusted
    allow: str | None = None  # the Allow header of a 405
    retry_after: int | None = None  # in seconds


def ok(body: bytes, content_type: str = JSON) -> Answer:
    return Answer(status=200, body=body, content_type=content_type)


def error(status: int, reason: str, *, close: bool = False, allow: str | None = None) -> Answer:
    body = msgspec.json.encode({"error": _cut(reason, _LONGEST_REASON)})
    return Answer(status=status, body=body, content_type=JSON, close=close, allow=allow)


def _cut(text: str, longest: int) -> str:
    """Text of the sender's, made short and sure to be encodable."""
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _version_refused(versions: Sequence[str]) -> Answer:
    error = (
        "Bad request. api-version is invalid or was not specified in the request."
        " For more information refer to aka.ms/azureimds"
    )
    body = msgspec.json.encode({"error": error, "newest-versions": newest(versions)})
    return Answer(status=400, body=body, content_type=JSON)


def _page(before: str, after: str, length: int) -> bytes:
    """A page of exactly the captured length; clients have been seen to print it, none to read it."""
    page = before + " " * (length - len(before) - len(after)) + after
    return page.encode("ascii")


APPROVED = Answer(status=200)
NOT_MODIFIED = Answer(status=304)

# The spaces and the odd ": ." are Azure's.
MISSING_HEADER = Answer(
    status=400,
    body=b'{ "error": "Bad request: . Required metadata header not specified" }',
    content_type=JSON,
)
FORWARDED = Answer(
    status=400,
    body=b'{ "error": "Bad request: . X-Forwarded-For, Forwarded and Via headers are not allowed" }',
    content_type=JSON,
)
EVENT_VERSION_REFUSED = _version_refused(EVENT_VERSIONS)
INSTANCE_VERSION_REFUSED = _version_refused(INSTANCE_VERSIONS)

OUTSIDE_METADATA = Answer(
    status=404,
    body=_page(
        "<!DOCTYPE html>\n<html>\n<head><title>404 - File or directory not found.</title></head>\n"
        "<body>\n<h1>404 - File or directory not found.</h1>\n<p>Only /metadata is served here.</p>\n",
        "</body>\n</html>\n",
        1245,
    ),
    content_type=HTML,
    server=SERVER_IIS,
)
HEAD_REFUSED = Answer(
    status=400,
    body=_page(
        '<?xml version="1.0" encoding="utf-8"?>\n<Error><Code>BadRequest</Code>'
        "<Message>HEAD is not supported; use GET.</Message>",
        "</Error>\n",
        323,
    ),
    content_type=XML,
    server=SERVER_IIS,
)

UNKNOWN_CALLER = error(403, "Forbidden. No machine is known at this address")
NOT_FOUND = error(404, "Not found. There is nothing at this path below /metadata")
NO_SUCH_ELEMENT = error(404, "Not found. The instance metadata has no such element")
LEAF_NEEDS_TEXT = error(400, "Bad request. A single value is served as text only: add format=text to the query")
TOO_MANY_REQUESTS = error(429, "Too many requests. Ask again in a second")
GONE = error(410, "Gone. The service is being updated: try again within 70 seconds")
INTERNAL_ERROR = error(500, "Internal error. Try again later")

# What a strict HTTP/1.1 server says before the request is even understood. All but 417 end the connection.
REQUEST_TIMEOUT = error(408, "Request timeout. The request did not arrive in time", close=True)
CONTENT_TOO_LARGE = error(413, "Content too large", close=True)
URI_TOO_LONG = error(414, "URI too long", close=True)
EXPECTATION_FAILED = error(417, "Expectation failed. Only 100-continue is understood")
HEADERS_TOO_LARGE = error(431, "Request header fields too large", close=True)


def method_not_allowed(*allowed: str) -> Answer:
    return error(405, f"Method not allowed. Use {' or '.join(allowed)}", allow=", ".join(allowed))


def bad_request(reason: str, *, close: bool = False) -> Answer:
    return error(400, f"Bad request. {reason}", close=close)


def malformed_approval(reason: str) -> Answer:
    return bad_request(f"The approval was not understood: {reason}")


def unknown_events(ids: Sequence[str]) -> Answer:
    """Names some of the ids at most: they are the sender's own text, of any length."""
    named = ", ".join(_cut(id, _LONGEST_ID) for id in ids[:_MOST_IDS])
    more = f" and {len(ids) - _MOST_IDS} more" if len(ids) > _MOST_IDS else ""
    body = msgspec.json.encode({"error": f"Bad request. Unknown event id: {named}{more}"})
    return Answer(status=400, body=body, content_type=JSON)
