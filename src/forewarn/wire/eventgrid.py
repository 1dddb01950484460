"""Scheduled events as Event Grid and Resource Graph tell them.

The order of the keys and the forms of the dates are those of Azure's samples: an envelope's times in ISO 8601 with
seven digits, NotBefore in RFC 1123 and empty once the event has started.
"""

from datetime import UTC, datetime
from typing import Any

from msgspec.json import Encoder

from forewarn.domain.notices import Notice
from forewarn.domain.subscriptions import Schema
from forewarn.wire.dates import rfc1123

Json = dict[str, Any]

EVENT_TYPE = "Microsoft.ResourceNotifications.MaintenanceResources.ScheduledEventEmitted"
VALIDATION_TYPE = "Microsoft.EventGrid.SubscriptionValidationEvent"
TOPIC_TYPE = "Microsoft.ResourceNotifications.MaintenanceResources"
RESOURCE_TYPE = "microsoft.maintenance/scheduledevents"
API_VERSION = "2024-07-01"
"""Of the fields that are Scheduled Events' own."""

CONTENT_TYPES = {
    Schema.EVENT_GRID: "application/json; charset=utf-8",
    Schema.CLOUD_EVENTS: "application/cloudevents+json; charset=utf-8",
}

_encode = Encoder().encode


def instant(moment: datetime) -> str:
    """`2024-12-04T18:01:13.2675752Z`; the last digit is finer than our clock."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"


def payload(notice: Notice, schema: Schema) -> bytes:
    """The body of one delivery: Event Grid's own schema comes in an array, a CloudEvent by itself."""
    if schema is Schema.CLOUD_EVENTS:
        return _encode(cloud_event(notice))
    return _encode([event_grid_event(notice)])


def event_grid_event(notice: Notice) -> Json:
    return {
        "id": notice.id,
        "topic": source(notice),
        "subject": notice.subject,
        "data": data(notice),
        "eventType": EVENT_TYPE,
        "dataVersion": "3.0",
        "metadataVersion": "1",
        "eventTime": instant(notice.at),
    }


def cloud_event(notice: Notice) -> Json:
    return {
        "id": notice.id,
        "source": source(notice),
        "subject": notice.subject,
        "data": data(notice),
        "type": EVENT_TYPE,
        "specversion": "1.0",
        "time": instant(notice.at),
    }


def source(notice: Notice) -> str:
    """The subscription: `/subscriptions/ID`."""
    return "/".join(notice.owner.split("/")[:3])


def data(notice: Notice) -> Json:
    return {
        "resourceInfo": {
            "id": notice.subject,
            "name": notice.event.id,
            "type": "microsoft.maintenance/scheduledEvents",
            "location": notice.location,
            "tags": {},
            "properties": properties(notice),
        },
        "operationalInfo": {"resourceEventTime": instant(notice.at)},
        "apiVersion": API_VERSION,
    }


def properties(notice: Notice) -> Json:
    told = notice.announcement
    return {
        "DurationInSeconds": told.duration,
        "Description": told.description,
        "EventId": told.id,
        "EventSource": told.source.value,
        "EventStatus": notice.status,
        "EventType": told.type.value,
        "NotBefore": "" if told.not_before is None else rfc1123(told.not_before),
        "Resources": list(told.resources),
        "ResourceType": "VirtualMachine",
        "ScheduledEventApiVersion": notice.version,
    }


def graph_row(notice: Notice, tenant: str) -> Json:
    """A row of Resource Graph's table maintenanceresources."""
    parts = notice.owner.split("/")
    return {
        "id": notice.subject,
        "name": notice.event.id,
        "type": RESOURCE_TYPE,
        "tenantId": tenant,
        "location": notice.location,
        "resourceGroup": parts[4].lower() if len(parts) > 4 else "",
        "subscriptionId": parts[2],
        "properties": {**properties(notice), "TargetResourceId": notice.owner},
        "tags": None,
        "zones": None,
    }


def validation(*, id: str, topic: str, code: str, url: str, at: datetime) -> bytes:
    """The event that asks an endpoint whether it wants to hear; the answer repeats the code."""
    event = {
        "id": id,
        "topic": topic,
        "subject": "",
        "data": {"validationCode": code, "validationUrl": url},
        "eventType": VALIDATION_TYPE,
        "eventTime": instant(at),
        "metadataVersion": "1",
        "dataVersion": "2",
    }
    return _encode([event])
