"""Asking an endpoint whether it wants to hear, before it hears anything: nobody is made to listen.

In Event Grid's own schema the endpoint gets an event with a code and answers with it; or it answers nothing, and
somebody calls the URL that came along, within five minutes. A CloudEvents endpoint is asked with OPTIONS, and names the
origins it allows (CloudEvents 1.0, "Web Hooks for Event Delivery").
"""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from forewarn.domain.subscriptions import Schema
from forewarn.grid.calling import Answer, Unreachable, Webhooks
from forewarn.wire.eventgrid import CONTENT_TYPES, validation

ORIGIN = "eventgrid.azure.net"
RATE = "120"


class HandshakeFailed(Exception):
    """The endpoint does not want to hear, or nobody is there. The text says which."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    name: str  # of the subscription
    endpoint: str
    topic: str
    id: str
    code: str
    url: str  # where the code can be confirmed by hand
    at: datetime


async def shake_hands(webhooks: Webhooks, question: Question, schema: Schema) -> bool:
    """Whether the endpoint has said yes; False if it has taken the question, and somebody has to confirm it by hand."""
    if schema is Schema.CLOUD_EVENTS:
        await _ask_for_permission(webhooks, question)
        return True
    return await _send_code(webhooks, question)


async def _send_code(webhooks: Webhooks, question: Question) -> bool:
    body = validation(id=question.id, topic=question.topic, code=question.code, url=question.url, at=question.at)
    headers = {
        "Content-Type": CONTENT_TYPES[Schema.EVENT_GRID],
        "aeg-event-type": "SubscriptionValidation",
        "aeg-subscription-name": question.name.upper(),
        "aeg-delivery-count": "0",
    }
    answer = await _call(webhooks, "POST", question.endpoint, headers, body)
    return _code_in(answer) == question.code


async def _ask_for_permission(webhooks: Webhooks, question: Question) -> None:
    headers = {
        "WebHook-Request-Origin": ORIGIN,
        "WebHook-Request-Callback": question.url,
        "WebHook-Request-Rate": RATE,
    }
    answer = await _call(webhooks, "OPTIONS", question.endpoint, headers, b"")
    allowed = answer.headers.get("webhook-allowed-origin", "").strip()
    if allowed != "*" and allowed.lower() != ORIGIN:
        said = f"'{allowed[:100]}'" if allowed else "nothing"
        raise HandshakeFailed(
            f"The endpoint must answer an OPTIONS request with the header WebHook-Allowed-Origin: {ORIGIN} (or *), "
            f"and it said {said}."
        )


async def _call(webhooks: Webhooks, method: str, url: str, headers: dict[str, str], body: bytes) -> Answer:
    try:
        answer = await webhooks.call(method, url, headers, body)
    except Unreachable as error:
        raise HandshakeFailed(f"{error}.") from None
    if not 200 <= answer.status < 300:
        raise HandshakeFailed(f"The endpoint answered the {method} request with {answer.status}.")
    return answer


class _Reply(msgspec.Struct):
    validation_response: str = msgspec.field(name="validationResponse", default="")


def _code_in(answer: Answer) -> str:
    """It may have answered something that is about nothing at all, and that is no mistake."""
    try:
        return msgspec.json.decode(answer.body, type=_Reply).validation_response
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
