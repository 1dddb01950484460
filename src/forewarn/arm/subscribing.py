"""What a caller writes when they subscribe to events, and what they read of it: Event Grid's shapes and our values.

What Event Grid knows and Forewarn does not is refused, not ignored: nobody should wait for a dead letter that is
never written.
"""

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from forewarn.arm.asking import Json
from forewarn.arm.errors import ArmError
from forewarn.domain.resources import Resource
from forewarn.domain.subscriptions import LONGEST_LIFE, MOST_ATTEMPTS, Schema, Subscription, subscription_of
from forewarn.grid.targets import target_of
from forewarn.wire.eventgrid import EVENT_TYPE

NAME = re.compile(r"[A-Za-z0-9-]{3,64}")
LONGEST_FILTER = 1024
UNSUPPORTED = {
    "deadLetterDestination": "Dead-lettering is",
    "deadLetterWithResourceIdentity": "Dead-lettering is",
    "deliveryWithResourceIdentity": "Delivery with a managed identity is",
    "expirationTimeUtc": "An expiration time is",
}
UNSUPPORTED_OF_HOOKS = {
    "azureActiveDirectoryTenantId": "Signing in to the webhook with Microsoft Entra is",
    "azureActiveDirectoryApplicationIdOrUri": "Signing in to the webhook with Microsoft Entra is",
    "deliveryAttributeMappings": "Headers of your own are",
}


def read(body: Json, source: str) -> Subscription:
    """What the caller asks for; how the endpoint takes it is still to be seen."""
    asked = _object(body, "properties")
    _refuse(asked, UNSUPPORTED)
    destination, filters = _object(asked, "destination"), _object(asked, "filter")
    _refuse(filters, {"advancedFilters": "Advanced filters are"})
    attempts, lifetime = _patience(_object(asked, "retryPolicy"))
    return Subscription(
        source=source,
        endpoint=_endpoint(destination),
        schema=_schema(asked),
        types=_types(filters),
        begins=_text(filters, "subjectBeginsWith"),
        ends=_text(filters, "subjectEndsWith"),
        case_sensitive=filters.get("isSubjectCaseSensitive") in (True, "true", "True"),
        labels=tuple(_texts(asked, "labels")),
        attempts=attempts,
        lifetime=lifetime,
    )


def tell(resource: Resource, wall: datetime) -> Json:
    known = subscription_of(resource)
    hook = {"endpointBaseUrl": base_url(known), "maxEventsPerBatch": 1, "preferredBatchSizeInKilobytes": 64}
    return {
        "id": resource.id,
        "name": resource.name,
        "type": resource.type,
        "properties": {
            "topic": known.source,
            "provisioningState": state(known, wall),
            "labels": list(known.labels),
            "destination": {"endpointType": "WebHook", "properties": hook},
            "filter": {
                "subjectBeginsWith": known.begins,
                "subjectEndsWith": known.ends,
                "isSubjectCaseSensitive": known.case_sensitive,
                "includedEventTypes": list(known.types) if known.types is not None else [EVENT_TYPE],
            },
            "eventDeliverySchema": known.schema.value,
            "retryPolicy": {
                "maxDeliveryAttempts": known.attempts,
                "eventTimeToLiveInMinutes": int(known.lifetime.total_seconds() // 60),
            },
        },
    }


def state(subscription: Subscription, wall: datetime) -> str:
    if subscription.validation is None:
        return "Succeeded"
    return "AwaitingManualAction" if wall < subscription.validation.until else "Failed"


def base_url(subscription: Subscription) -> str:
    """The endpoint without what may be secret, as Event Grid shows it."""
    parts = urlsplit(subscription.endpoint)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise _invalid("An event subscription's name has 3 to 64 characters: letters, digits and hyphens.")


def _endpoint(destination: Json) -> str:
    kind = destination.get("endpointType")
    if not isinstance(kind, str) or kind.lower() != "webhook":
        raise _invalid(f"Events are delivered to an endpoint of the type WebHook, not {str(kind)[:100]!r}.")
    hook = _object(destination, "properties")
    _refuse(hook, UNSUPPORTED_OF_HOOKS)
    url = _text(hook, "endpointUrl", longest=4096)
    target_of(url)
    return url


def _schema(asked: Json) -> Schema:
    given = asked.get("eventDeliverySchema") or Schema.EVENT_GRID.value
    for schema in Schema:
        if str(given).lower() == schema.value.lower():
            return schema
    known = " or ".join(schema.value for schema in Schema)
    raise _invalid(f"The delivery schema is {known}, not {str(given)[:100]!r}.")


def _types(filters: Json) -> tuple[str, ...] | None:
    if filters.get("includedEventTypes") is None:
        return None
    types = tuple(_texts(filters, "includedEventTypes"))
    for other in types:
        if other.lower() not in (EVENT_TYPE.lower(), "all"):
            raise _invalid(f"There are events of the type {EVENT_TYPE}, none of {other[:200]!r}.")
    return types or None


def _patience(policy: Json) -> tuple[int, timedelta]:
    minutes = int(LONGEST_LIFE.total_seconds() // 60)
    attempts = _number(policy, "maxDeliveryAttempts", MOST_ATTEMPTS)
    return attempts, timedelta(minutes=_number(policy, "eventTimeToLiveInMinutes", minutes))


def _number(policy: Json, name: str, most: int) -> int:
    given = policy.get(name)
    if given is None:
        return most
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise _invalid(f"{name} is a whole number from 1 to {most}, not {str(given)[:40]}.")
    return given


def _object(body: Json, name: str) -> Json:
    given = body.get(name)
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise _invalid(f"{name} must be a JSON object.")
    return given


def _text(body: Json, name: str, longest: int = LONGEST_FILTER) -> str:
    given: Any = body.get(name) or ""
    if not isinstance(given, str) or len(given) > longest:
        raise _invalid(f"{name} must be a string of at most {longest} characters.")
    return given


def _texts(body: Json, name: str) -> list[str]:
    given: Any = body.get(name) or []
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given) or len(given) > 100:
        raise _invalid(f"{name} must be a list of at most 100 strings.")
    return given


def _refuse(body: Json, unsupported: dict[str, str]) -> None:
    for name, what in unsupported.items():
        if body.get(name):
            raise _invalid(f"{what} not supported here: leave {name} out.")


def _invalid(message: str) -> ArmError:
    return ArmError(400, "InvalidRequest", message)
