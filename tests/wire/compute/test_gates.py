"""What an api-version does not know yet is refused in the words of Compute's JSON reader."""

import json
from typing import Any

import pytest

from forewarn.domain.resources import AVAILABILITY_SET, SCALE_SET, VIRTUAL_MACHINE
from forewarn.wire.compute.gates import UnknownMember, check_members, where

PROFILE = {"terminateNotificationProfile": {"enable": True}}
IMAGE = {"osImageNotificationProfile": {"enable": True}}
POLICY = {"userInitiatedReboot": {"automaticallyApprove": True}}
GRID = {
    "scheduledEventsAdditionalPublishingTargets": {
        "eventGridAndResourceGraph": {"enable": True, "scheduledEventsApiVersion": "2020-07-01"}
    }
}


def a_set(profile: object) -> dict[str, Any]:
    return {"properties": {"virtualMachineProfile": {"scheduledEventsProfile": profile}}}


def of(name: str, value: object) -> dict[str, Any]:
    return {"properties": {name: value}}


@pytest.mark.parametrize(
    ("kind", "body", "before", "since", "member", "holder"),
    [
        pytest.param(
            SCALE_SET,
            a_set(PROFILE),
            "2018-10-01",
            "2019-03-01",
            "scheduledEventsProfile",
            "VirtualMachineProfile",
            id="set-profile",
        ),
        pytest.param(
            VIRTUAL_MACHINE,
            of("scheduledEventsProfile", PROFILE),
            "2020-12-01",
            "2021-03-01",
            "scheduledEventsProfile",
            "Properties",
            id="machine-profile",
        ),
        pytest.param(
            SCALE_SET,
            a_set(IMAGE),
            "2022-08-01",
            "2022-11-01",
            "osImageNotificationProfile",
            "ScheduledEventsProfile",
            id="image-profile",
        ),
        pytest.param(
            SCALE_SET,
            of("automaticRepairsPolicy", {"enabled": True}),
            "2018-06-01",
            "2018-10-01",
            "automaticRepairsPolicy",
            "Properties",
            id="set-repairs",
        ),
        pytest.param(
            SCALE_SET,
            of("scheduledEventsPolicy", POLICY),
            "2023-09-01",
            "2024-03-01",
            "scheduledEventsPolicy",
            "Properties",
            id="set-policy",
        ),
        pytest.param(
            VIRTUAL_MACHINE,
            of("scheduledEventsPolicy", POLICY),
            "2023-09-01",
            "2024-03-01",
            "scheduledEventsPolicy",
            "Properties",
            id="machine-policy",
        ),
        pytest.param(
            AVAILABILITY_SET,
            of("scheduledEventsPolicy", POLICY),
            "2024-03-01",
            "2024-07-01",
            "scheduledEventsPolicy",
            "Properties",
            id="availability-set-policy",
        ),
        pytest.param(
            SCALE_SET,
            of("scheduledEventsPolicy", {"allInstancesDown": {"automaticallyApprove": True}}),
            "2024-11-01",
            "2025-04-01",
            "allInstancesDown",
            "ScheduledEventsPolicy",
            id="all-instances-down",
        ),
        pytest.param(
            AVAILABILITY_SET,
            of("scheduledEventsPolicy", GRID),
            "2024-11-01",
            "2025-04-01",
            "scheduledEventsApiVersion",
            "EventGridAndResourceGraph",
            id="version-of-what-is-published",
        ),
    ],
)
def test_a_member_is_known_from_its_version_on(
    kind: str, body: dict[str, Any], before: str, since: str, member: str, holder: str
) -> None:
    raw = json.dumps(body).encode()
    check_members(kind, body, raw, since)
    check_members(kind, body, raw, f"{since}-preview")
    with pytest.raises(
        UnknownMember, match=f"^Could not find member '{member}' on object of type '{holder}'\\. Path '"
    ):
        check_members(kind, body, raw, before)


def test_the_refusal_is_compute_s_to_the_character() -> None:
    raw = b'{"location":"eastus","properties":{"virtualMachineProfile":{"scheduledEventsProfile":{"x":{}}}}}'
    with pytest.raises(UnknownMember) as refused:
        check_members(SCALE_SET, json.loads(raw), raw, "2018-10-01")
    assert str(refused.value) == (
        "Could not find member 'scheduledEventsProfile' on object of type 'VirtualMachineProfile'. "
        "Path 'properties.virtualMachineProfile.scheduledEventsProfile', line 1, position 85."
    )
    assert refused.value.target == "vmss.properties.virtualMachineProfile.scheduledEventsProfile"
    assert raw[:85].endswith(b'"scheduledEventsProfile":')


def test_null_is_no_member() -> None:
    body = a_set(None)
    check_members(SCALE_SET, body, json.dumps(body).encode(), "2018-10-01")


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        pytest.param('{"a":1}', ["a"], (1, 5), id="first"),
        pytest.param('{\n  "Name": "Apple",\n  "Price": 3.99\n}', ["Price"], (3, 10), id="on-a-line-of-its-own"),
        pytest.param('{"x":{"a":1},"a":2}', ["a"], (1, 17), id="not-the-one-inside-another"),
        pytest.param('{"x":[{"a":1}],"a":2}', ["a"], (1, 19), id="not-the-one-inside-a-list"),
        pytest.param('{"x":"\\"a\\":","a":2}', ["a"], (1, 18), id="not-the-one-inside-a-text"),
        pytest.param('{"a":{"b":{"c" : 1}}}', ["a", "b", "c"], (1, 16), id="deep-with-spaces"),
        pytest.param("{}", ["a"], (1, 0), id="nowhere"),
    ],
)
def test_a_member_is_found_behind_its_colon(text: str, path: list[str], found: tuple[int, int]) -> None:
    assert where(text, path) == found
