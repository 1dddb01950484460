"""Virtual machines: made, described anew, looked at."""

from typing import Any

import pytest

from tests.arm.compute import AVAILABILITY_SET, COMPUTE, MACHINES, NEWEST, SET, VM, a_cloud, a_machine, a_set
from tests.arm.rig import RG, S, a_rig


def test_a_machine_is_made() -> None:
    cloud = a_cloud()
    answer = cloud.ask("PUT", VM, a_machine(), version=NEWEST)
    assert answer.status == 201
    assert "azure-asyncoperation" not in answer.headers
    view = answer.json
    properties = view["properties"]
    assert (view["id"], view["type"], view["etag"]) == (VM, "Microsoft.Compute/virtualMachines", '"1"')
    assert properties["provisioningState"] == "Succeeded"
    assert properties["hardwareProfile"] == {"vmSize": "Standard_DS1_v2"}
    assert properties["storageProfile"]["imageReference"]["exactVersion"] == "18.04.202401161"
    assert properties["storageProfile"]["osDisk"]["osType"] == "Linux"
    assert "adminPassword" not in properties["osProfile"]
    assert len(properties["vmId"]) == 36
    assert cloud.get(VM) == view


def test_a_machine_is_described_anew() -> None:
    cloud = a_cloud()
    view = cloud.made(VM, a_machine())
    answer = cloud.ask("PUT", VM, {**view, "tags": {"a": "b"}})
    assert (answer.status, answer.json["tags"], answer.json["etag"]) == (200, {"a": "b"}, '"2"')
    patched = cloud.ask("PATCH", VM, {"properties": {"hardwareProfile": {"vmSize": "Standard_B2s"}}}).json
    assert patched["properties"]["hardwareProfile"] == {"vmSize": "Standard_B2s"}
    assert patched["properties"]["vmId"] == view["properties"]["vmId"]
    assert patched["tags"] == {"a": "b"}


def test_who_describes_a_machine_anew_does_not_wait_for_its_restart() -> None:
    cloud = a_cloud()
    cloud.made(VM, a_machine())
    cloud.enrol("rg/vm")
    cloud.post(f"{VM}/restart")
    assert cloud.ask("PATCH", VM, {"tags": {"a": "b"}}).json["properties"]["provisioningState"] == "Succeeded"
    assert cloud.get(VM)["properties"]["provisioningState"] == "Updating"


def test_machines_are_listed_with_what_the_platform_sees() -> None:
    cloud = a_cloud()
    cloud.made(VM, a_machine())
    cloud.made(f"{MACHINES}/second", a_machine())
    assert cloud.names(MACHINES) == ["second", "vm"]
    assert cloud.names(f"{S}/providers/Microsoft.Compute/virtualMachines") == ["second", "vm"]
    assert "instanceView" not in cloud.get(MACHINES)["value"][0]["properties"]
    expanded = cloud.get(f"{MACHINES}?$expand=instanceView")["value"][1]
    assert expanded == cloud.get(f"{VM}?$expand=instanceView")
    assert expanded["properties"]["instanceView"] == cloud.get(f"{VM}/instanceView")


def test_a_page_is_as_long_as_asked_for() -> None:
    cloud = a_cloud()
    for name in ("a", "b", "c"):
        cloud.made(f"{MACHINES}/{name}", a_machine())
    first = cloud.get(f"{MACHINES}?$top=2")
    assert [item["name"] for item in first["value"]] == ["a", "b"]
    rest = cloud.get(first["nextLink"].partition("localhost:8443")[2], version="")
    assert [item["name"] for item in rest["value"]] == ["c"]


def test_members_of_an_availability_set_share_events() -> None:
    cloud = a_cloud()
    cloud.made(AVAILABILITY_SET, {"location": "eastus"})
    for name in ("a", "b"):
        cloud.made(f"{MACHINES}/{name}", a_machine(availabilitySet={"id": AVAILABILITY_SET.upper()}))
    cloud.enrol("rg/as1")
    cloud.post(f"{MACHINES}/a/restart")
    assert cloud.events("rg/as1") == [("Reboot", "Scheduled", ("a",))]
    view = cloud.get(f"{MACHINES}/b/instanceView")
    assert (view["platformUpdateDomain"], view["platformFaultDomain"]) == (1, 1)


POLICY = {"userInitiatedReboot": {"automaticallyApprove": True}}


@pytest.mark.parametrize(
    ("properties", "status", "code"),
    [
        pytest.param(
            {"availabilitySet": {"id": AVAILABILITY_SET}, "scheduledEventsPolicy": POLICY},
            400,
            "InvalidParameter",
            id="a-policy-of-its-own-in-a-set",
        ),
        pytest.param({"availabilitySet": {"id": f"{AVAILABILITY_SET}x"}}, 404, "NotFound", id="no-such-set"),
        pytest.param({"availabilitySet": {"id": VM}}, 400, "InvalidParameter", id="a-machine-is-no-set"),
        pytest.param({"availabilitySet": {"id": "as1"}}, 400, "InvalidResourceId", id="no-id"),
        pytest.param({"availabilitySet": "as1"}, 400, "InvalidParameter", id="no-object"),
        pytest.param(
            {"availabilitySet": {"id": AVAILABILITY_SET}, "virtualMachineScaleSet": {"id": SET}},
            400,
            "InvalidParameter",
            id="in-two-sets",
        ),
        pytest.param({"priority": "Cheap"}, 400, "InvalidParameter", id="no-priority"),
        pytest.param({"osProfile": 7}, 400, "InvalidParameter", id="no-profile"),
        pytest.param(
            {
                "priority": "Spot",
                "scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True}},
            },
            400,
            "InvalidParameter",
            id="spot-is-not-told",
        ),
    ],
)
def test_a_machine_that_cannot_be_is_refused(properties: dict[str, Any], status: int, code: str) -> None:
    cloud = a_cloud()
    cloud.made(AVAILABILITY_SET, {"location": "eastus"})
    cloud.made(SET, a_set(0))
    assert cloud.refused("PUT", VM, a_machine(**properties), version=NEWEST) == (status, code)
    assert cloud.names(MACHINES) == []


def test_a_machine_stays_in_its_set() -> None:
    cloud = a_cloud()
    cloud.made(AVAILABILITY_SET, {"location": "eastus"})
    cloud.made(VM, a_machine())
    answer = cloud.ask("PATCH", VM, {"properties": {"availabilitySet": {"id": AVAILABILITY_SET}}})
    assert (answer.status, answer.code) == (409, "PropertyChangeNotAllowed")
    assert answer.json["error"]["target"] == "availabilitySet.id"


def test_a_machine_and_a_set_may_have_one_name() -> None:
    cloud = a_cloud()
    cloud.made(f"{MACHINES}/web", a_machine())
    cloud.made(SET, a_set(1))
    cloud.made(f"{RG}/providers/Microsoft.Compute/availabilitySets/web", {"location": "eastus"})
    cloud.ask("DELETE", SET)
    cloud.advance()
    assert cloud.names(MACHINES) == ["web"]


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"properties":[]}', b'{"location":7}', b'{"tags":7}', b'{"zones":"1"}']
)
def test_a_body_that_makes_no_sense_is_the_caller_s_mistake(body: bytes) -> None:
    assert a_cloud().ask("PUT", VM, body).status == 400


@pytest.mark.parametrize("name", ["a..b", "a%25", "x" * 261, "trailing."])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    assert a_cloud().refused("PUT", f"{MACHINES}/{name}", a_machine()) == (400, "InvalidResourceName")


def test_who_may_only_look_may_not_act() -> None:
    cloud = a_cloud()
    cloud.made(VM, a_machine())
    assert cloud.refused("POST", f"{VM}/restart", who="stranger") == (403, "AuthorizationFailed")
    assert cloud.refused("GET", VM, who="stranger") == (403, "AuthorizationFailed")


def test_a_group_takes_its_machines_with_it() -> None:
    cloud = a_cloud()
    cloud.made(VM, a_machine())
    cloud.made(SET, a_set(2))
    answer = cloud.ask("DELETE", RG)
    cloud.advance()
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.refused("GET", VM) == (404, "ResourceGroupNotFound")


ODD_NAMES = ["-rf", "_x", "$(id)", "a b", "vm;reboot", "\u00e9", pytest.param("a" * 81, id="long")]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("kind", ["virtualMachines", "virtualMachineScaleSets", "availabilitySets", "cloudServices"])
def test_a_name_is_one_that_can_go_into_file_names_and_commands(kind: str, name: str) -> None:
    rig = a_rig()
    assert rig.refused("PUT", f"{COMPUTE}/{kind}/{name}", {"location": "eastus"}) == (400, "InvalidResourceName")
