"""What Event Grid and Resource Graph tell of an event, byte for byte and field for field."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from forewarn.domain.events import Event, EventType, Phase, Source
from forewarn.domain.notices import Notice
from forewarn.domain.subscriptions import Schema
from forewarn.wire.eventgrid import graph_row, instant, payload, validation
from tests.wire.goldens import golden

OWNER = (
    "/subscriptions/6b9d1d8e-0c5f-4f2b-9a34-0d5d3a0f1c11/resourceGroups/Web-RG"
    "/providers/Microsoft.Compute/virtualMachineScaleSets/web"
)
SEEN = datetime(2024, 12, 4, 18, 1, 13, 267575, tzinfo=UTC)
FREEZE = Event(
    id="3DA1B9AA-5204-4335-8C33-C54E315DCFFE",
    scope="Web-RG/web:0",
    operation="o",
    type=EventType.FREEZE,
    source=Source.PLATFORM,
    resources=("web_1", "web_2"),
    scheduled_at=SEEN,
    not_before=SEEN + timedelta(minutes=15),
    description="Host server is undergoing maintenance.",
    duration=9,
)


def a_notice(phase: Phase = Phase.SCHEDULED) -> Notice:
    event = Event(**{name: getattr(FREEZE, name) for name in FREEZE.__struct_fields__} | {"phase": phase})
    return Notice(at=SEEN, event=event, owner=OWNER, location="eastus", version="2020-07-01")


@pytest.mark.parametrize("schema", Schema, ids=lambda schema: schema.value)
@pytest.mark.parametrize("phase", [Phase.SCHEDULED, Phase.COMPLETED], ids=lambda phase: phase.value)
def test_a_delivery_is_the_golden_one(phase: Phase, schema: Schema) -> None:
    assert payload(a_notice(phase), schema) + b"\n" == golden(f"eventgrid/{schema.value}/{phase.value}.json")


@pytest.mark.parametrize(
    ("phase", "status"),
    [
        pytest.param(Phase.SCHEDULED, "Scheduled", id="scheduled"),
        pytest.param(Phase.STARTED, "Started", id="started"),
        pytest.param(Phase.COMPLETED, "Completed", id="completed"),
        pytest.param(Phase.CANCELED, "Canceled", id="canceled"),
        pytest.param(Phase.FAILED, "Completed", id="failed-is-over-all-the-same"),
    ],
)
def test_an_event_has_one_of_four_statuses_outside(phase: Phase, status: str) -> None:
    told = json.loads(payload(a_notice(phase), Schema.CLOUD_EVENTS))["data"]["resourceInfo"]["properties"]
    assert told["EventStatus"] == status
    assert (told["NotBefore"] == "") is (phase is not Phase.SCHEDULED)


def test_a_notice_told_again_has_the_same_id_and_one_of_another_status_another() -> None:
    assert a_notice().id == a_notice().id
    assert len({a_notice(phase).id for phase in Phase}) == 4


def test_the_row_of_resource_graph_has_the_tables_columns() -> None:
    row = graph_row(a_notice(), "tenant")
    assert row["id"] == f"{OWNER}/providers/microsoft.maintenance/scheduledevents/{FREEZE.id}"
    assert (row["name"], row["type"]) == (FREEZE.id, "microsoft.maintenance/scheduledevents")
    assert (row["resourceGroup"], row["location"], row["tenantId"]) == ("web-rg", "eastus", "tenant")
    assert row["subscriptionId"] == "6b9d1d8e-0c5f-4f2b-9a34-0d5d3a0f1c11"
    assert row["properties"]["TargetResourceId"] == OWNER
    assert row["properties"]["Resources"] == ["web_1", "web_2"]


def test_an_instant_is_told_in_utc_with_seven_digits() -> None:
    assert instant(datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))) == "2025-12-31T23:00:00.0000000Z"


def test_the_validation_event_carries_the_code_and_where_to_call() -> None:
    (event,) = json.loads(validation(id="i", topic="/subscriptions/s", code="c", url="https://u", at=SEEN))
    assert event["eventType"] == "Microsoft.EventGrid.SubscriptionValidationEvent"
    assert event["data"] == {"validationCode": "c", "validationUrl": "https://u"}
    assert event["subject"] == ""
