"""A role in one resource group is none in another, whatever is written into a body, a template or a path."""

import asyncio
from typing import Any

import pytest

from forewarn.domain.access import Assignment, Role
from forewarn.domain.resources import Resource
from forewarn.domain.subscriptions import EVENT_SUBSCRIPTION
from forewarn.engine.estate import Estate
from tests.arm.compute import MACHINES, a_machine, a_set
from tests.arm.rig import RG, Rig, S, a_rig
from tests.arm.test_deployments import DEPLOYMENTS, a_body

OTHER = f"{S}/resourceGroups/other"
COMPUTE = f"{OTHER}/providers/Microsoft.Compute"
AVAILABILITY_SET = f"{COMPUTE}/availabilitySets/as1"
FLEXIBLE = f"{COMPUTE}/virtualMachineScaleSets/flex"
THEIR_VM = f"{COMPUTE}/virtualMachines/theirs"
SETS = [
    pytest.param({"availabilitySet": {"id": AVAILABILITY_SET}}, id="availability-set"),
    pytest.param({"availabilitySet": {"id": AVAILABILITY_SET.upper()}}, id="in-capitals"),
    pytest.param({"virtualMachineScaleSet": {"id": FLEXIBLE}}, id="flexible-scale-set"),
]


def two_groups() -> Rig:
    """Anna is a contributor in `rg`, and nothing in `other`."""
    rig = a_rig()
    rig.put(OTHER, {"location": "eastus"})
    rig.put(AVAILABILITY_SET, {"location": "eastus"})
    rig.put(FLEXIBLE, a_set(0, mode="Flexible"))
    rig.put(THEIR_VM, a_machine(availabilitySet={"id": AVAILABILITY_SET}))
    given = Assignment(id="anna's", principal="anna", role=Role.CONTRIBUTOR, scope=RG)
    asyncio.run(rig.access.assignments.put(given))
    return rig


def outcome(rig: Rig, name: str) -> Any:
    return rig.get(f"{DEPLOYMENTS}/{name}", who="anna")["properties"]


@pytest.mark.parametrize("home", SETS)
def test_no_machine_joins_a_set_of_another_group(home: dict[str, Any]) -> None:
    """Its identity would read the events of all machines there, and could let them start."""
    rig = two_groups()
    assert rig.refused("PUT", f"{MACHINES}/spy", a_machine(**home), who="anna") == (400, "InvalidParameter")
    assert rig.refused("PUT", f"{MACHINES}/spy", a_machine(**home)) == (400, "InvalidParameter")
    planned = {
        "type": "Microsoft.Compute/virtualMachines",
        "name": "spy",
        "apiVersion": "2024-11-01",
        **a_machine(**home),
    }
    rig.put(f"{DEPLOYMENTS}/d", a_body(planned), who="anna")
    assert outcome(rig, "d")["provisioningState"] == "Failed"
    assert rig.refused("GET", f"{MACHINES}/spy", who="anna")[0] == 404


@pytest.mark.parametrize("full", [", '2024-11-01'", ", '2024-11-01', 'Full'"], ids=["properties", "full"])
def test_outputs_do_not_tell_what_their_owner_may_not_read(full: str) -> None:
    rig = two_groups()
    body = a_body(outputs={"stolen": {"type": "object", "value": f"[reference('{THEIR_VM}'{full})]"}})
    rig.put(f"{DEPLOYMENTS}/theirs", body, who="anna")
    told = outcome(rig, "theirs")
    assert told["provisioningState"] == "Failed"
    assert "outputs" not in told
    rig.put(f"{DEPLOYMENTS}/mine", body)
    assert "stolen" in rig.get(f"{DEPLOYMENTS}/mine")["properties"]["outputs"]


@pytest.mark.parametrize("name", ["Microsoft.EventGrid/eventSubscriptions", "microsoft.eventgrid/EVENTSUBSCRIPTIONS"])
def test_outputs_do_not_tell_the_url_of_a_webhook(name: str) -> None:
    rig = two_groups()
    hook = {"endpoint": "https://example.com/?code=secret"}
    asyncio.run(_keep(rig, f"{RG}/providers/Microsoft.EventGrid/eventSubscriptions/hook", hook))
    asked = f"[reference('{RG}/providers/{name}/hook', '2025-02-15')]"
    rig.put(f"{DEPLOYMENTS}/d", a_body(outputs={"x": {"type": "object", "value": asked}}))
    assert rig.get(f"{DEPLOYMENTS}/d")["properties"]["provisioningState"] == "Failed"
    assert b"secret" not in rig.ask("GET", f"{DEPLOYMENTS}/d").body


async def _keep(rig: Rig, id: str, properties: dict[str, Any]) -> None:
    resource = Resource(id=id, type=EVENT_SUBSCRIPTION, name="hook", group=RG.lower(), body={"properties": properties})
    await Estate(rig.engine).put(resource.key, lambda known: resource)


PATHS = [
    "",
    "/resources",
    "/providers/Microsoft.Compute/virtualMachines",
    "/providers/Microsoft.Compute/virtualMachines/theirs",
    "/providers/Microsoft.Compute/virtualMachines/theirs/instanceView",
    "/providers/Microsoft.Compute/virtualMachineScaleSets/flex/virtualMachines",
    "/providers/Microsoft.Resources/deployments",
    "/providers/Microsoft.Authorization/roleAssignments",
    "/providers/Microsoft.EventGrid/eventSubscriptions",
    "/providers/Microsoft.Network/virtualNetworks",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("group", ["other", "OTHER", "/other", "rg/../other"])
def test_no_path_leads_into_another_group(path: str, group: str) -> None:
    rig = two_groups()
    assert rig.refused("GET", f"{S}/resourceGroups/{group}{path}", who="anna")[0] in (403, 404)


def test_names_that_are_the_same_only_to_a_dictionary_are_two() -> None:
    rig = two_groups()
    for name in ("stra\u00dfe", "strasse"):
        rig.put(f"{S}/resourceGroups/{name}", {"location": "eastus"})
    here = f"{S}/resourceGroups/stra\u00dfe"
    asyncio.run(rig.access.assignments.put(Assignment(id="b", principal="bob", role=Role.CONTRIBUTOR, scope=here)))
    assert rig.refused("GET", f"{S}/resourceGroups/strasse", who="bob")[0] == 403


def test_lists_of_everything_are_lists_of_what_the_caller_may_see() -> None:
    rig = two_groups()
    compute = f"{S}/providers/Microsoft.Compute"
    for path in (f"{S}/resources", f"{compute}/virtualMachines", f"{compute}/availabilitySets"):
        assert rig.names(path) != []
        assert rig.names(path, who="anna") == []
    assert rig.names(f"{S}/resourceGroups", who="anna") == ["rg"]
    query = {"query": "resources | project id"}
    asked = rig.ask("POST", "/providers/Microsoft.ResourceGraph/resources", query, who="anna").json
    assert asked["totalRecords"] == 0


def test_what_happens_in_another_group_cannot_be_followed() -> None:
    rig = two_groups()
    waiting = rig.ask("POST", f"{THEIR_VM}/restart")
    path = waiting.headers["azure-asyncoperation"].removeprefix("https://localhost:8443").partition("?")[0]
    assert rig.get(path)["status"]
    assert rig.refused("GET", path, who="anna") == (403, "AuthorizationFailed")
