"""One POST: TLS verified, time bounded, redirects not followed, and of the answer only its head is read."""

from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, responses
from urllib.parse import SplitResult

from forewarn.agent.sending import Message, NotTaken, TryLater, Wire
from forewarn.agent.sending.forms import Body, body_of
from forewarn.agent.sending.tls import trusting
from forewarn.agent.sending.troubles import unreached
from forewarn.agent.steps.notify import Notify

AGAIN = frozenset({408, 429})
"""Refusals that pass."""


def post(step: Notify, message: Message, wire: Wire) -> str:
    try:
        address, secret = step.address(), step.all_headers()
    except OSError as error:
        raise TryLater(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise TryLater(str(error)) from None
    body = body_of(step, message)
    headers = {
        "User-Agent": "forewarn-agent",
        **{name: value for name, value in secret.items() if name.lower() != "content-type"},
        **body.headers,
        "Content-Type": body.content_type,
        "Idempotency-Key": message.id,
    }
    _judge(address.netloc, *_asked(step, address, body, headers, wire))
    return f"{address.netloc} took it"


def _asked(step: Notify, address: SplitResult, body: Body, headers: dict[str, str], wire: Wire) -> tuple[int, str]:
    target = (address.path or "/") + (f"?{address.query}" if address.query else "")
    connection = _connection(step, address, wire.limit)
    try:
        connection.connect()
        wire.holds(connection.sock)
        connection.request("POST", target, body.content, headers)
        answer: HTTPResponse = connection.getresponse()
        return answer.status, answer.getheader("Retry-After", "")
    except (OSError, HTTPException) as error:
        raise unreached(address.netloc, error, wire.limit) from None
    finally:
        connection.close()


def _connection(step: Notify, address: SplitResult, limit: float) -> HTTPConnection:
    host = address.hostname or ""
    if address.scheme == "http":
        return HTTPConnection(host, address.port or 80, timeout=limit)
    return HTTPSConnection(host, address.port or 443, timeout=limit, context=trusting(step))


def _judge(where: str, status: int, retry_after: str) -> None:
    answered = f"{where} answered {status} {responses.get(status, '')}".strip()
    if 200 <= status < 300:
        return
    if 400 <= status < 500 and status not in AGAIN:
        raise NotTaken(answered)
    raise TryLater(answered, after=float(retry_after) if retry_after.isdecimal() and len(retry_after) < 7 else 0.0)
