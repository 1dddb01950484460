"""Whatever stands at whatever place of a body: it is taken or refused, and what was taken can be looked at."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.arm.compute import AVAILABILITY_SET, COMPUTE, NEWEST, SET, SETS, VM, Cloud, a_cloud, a_machine, a_set

ODD: tuple[Any, ...] = (None, 7, -1, True, "x", "", [], ["x"], [7], [None], {}, {"x": 1})
SERVICE = f"{COMPUTE}/cloudServices/shop"
PROFILE = {
    "terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT5M"},
    "osImageNotificationProfile": {"enable": True, "notBeforeTimeout": "PT15M"},
}
POLICY = {
    "scheduledEventsAdditionalPublishingTargets": {
        "eventGridAndResourceGraph": {"enable": True, "scheduledEventsApiVersion": "2020-07-01"}
    },
    "userInitiatedRedeploy": {"automaticallyApprove": True},
    "userInitiatedReboot": {"automaticallyApprove": True},
    "allInstancesDown": {"automaticallyApprove": True},
}
REST = {"zones": ["1"], "tags": {"a": "b"}, "identity": {"type": "SystemAssigned"}}
BODIES: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "set": (
        SET,
        a_set(1, model={"scheduledEventsProfile": PROFILE}, scheduledEventsPolicy=POLICY, scaleInPolicy={"rules": []})
        | REST,
        ("", "/instanceView", "/virtualMachines?$expand=instanceView", "/networkInterfaces", "/virtualMachines/0"),
    ),
    "flexible-set": (
        f"{SETS}/flex",
        a_set(1, mode="Flexible", model={"scheduledEventsProfile": PROFILE}) | REST,
        ("", "/virtualMachines?$expand=instanceView", "/../../virtualMachines?$expand=instanceView"),
    ),
    "machine": (
        VM,
        a_machine(scheduledEventsProfile=PROFILE, scheduledEventsPolicy=POLICY, priority="Regular") | REST,
        ("?$expand=instanceView", "/instanceView"),
    ),
    "availability-set": (
        AVAILABILITY_SET,
        {"location": "eastus", "sku": {"name": "Aligned"}, "properties": {"scheduledEventsPolicy": POLICY}},
        ("",),
    ),
    "service": (
        SERVICE,
        {"location": "eastus", "properties": {"roleProfile": {"roles": [{"name": "a", "sku": {"capacity": 1}}]}}},
        ("", "/instanceView", "/roleInstances"),
    ),
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def changed(body: Any, path: tuple[Any, ...], odd: Any) -> Any:
    result = copy.deepcopy(body)
    holder = result
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = odd
    return result


@pytest.mark.parametrize("name", BODIES)
def test_an_odd_value_harms_nobody(name: str) -> None:
    path, body, looks = BODIES[name]
    cloud: Cloud = a_cloud()
    for number, place in enumerate(places(body)):
        for kind, odd in enumerate(ODD):
            target = f"{path}{number}x{kind}"
            answer = cloud.ask("PUT", target, changed(body, place, odd), version=NEWEST)
            assert answer.status in (200, 201, 400), (place, odd, answer.body)
            for look in looks if answer.status != 400 else ():
                shown = cloud.ask("GET", _resolved(target + look), version=NEWEST)
                gone = shown.status == 404 and look == "/virtualMachines/0"  # it may have been made without instances
                assert shown.status == 200 or gone, (place, odd, look, shown.body)
            if answer.status != 400:
                cloud.ask("DELETE", target, version=NEWEST)
                cloud.advance()


def _resolved(path: str) -> str:
    return f"{COMPUTE}/{path.partition('/../../')[2]}" if "/../../" in path else path
