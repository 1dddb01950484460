"""Scale sets: made, described anew, looked at."""

from typing import Any

import pytest

from forewarn.domain.events import Actor
from forewarn.wire.compute.reading import spec_of
from tests.arm.compute import COMPUTE, NEWEST, SET, SETS, TEN_MINUTES, Cloud, a_cloud, a_set, with_notice
from tests.arm.rig import RG, S

Json = dict[str, Any]


def patch(cloud: Cloud, body: Json) -> Any:
    answer = cloud.ask("PATCH", SET, body, version=NEWEST)
    assert answer.status == 200, answer.body
    return answer.json


def profile(view: Json) -> Any:
    return view["properties"]["virtualMachineProfile"].get("scheduledEventsProfile")


def terminate(**wish: object) -> Json:
    settings = {"scheduledEventsProfile": {"terminateNotificationProfile": wish}}
    return {"properties": {"virtualMachineProfile": settings}}


def test_a_set_is_made_with_its_instances() -> None:
    cloud = a_cloud()
    answer = cloud.ask("PUT", SET, with_notice(2), version=NEWEST)
    assert answer.status == 201
    assert "azure-asyncoperation" not in answer.headers, "nothing waits"
    assert answer.headers["etag"] == '"1"'
    view = answer.json
    assert (view["id"], view["name"], view["location"], view["etag"]) == (SET, "web", "eastus", '"1"')
    assert view["sku"] == {"name": "Standard_D2s_v5", "tier": "Standard", "capacity": 2}
    properties = view["properties"]
    assert properties["provisioningState"] == "Succeeded"
    assert properties["upgradePolicy"] == {"mode": "Manual"}
    assert (properties["singlePlacementGroup"], properties["platformFaultDomainCount"]) == (True, 5)
    model = properties["virtualMachineProfile"]
    assert model["scheduledEventsProfile"] == {
        "terminateNotificationProfile": {"notBeforeTimeout": "PT10M", "enable": True}
    }
    assert "adminPassword" not in model["osProfile"]
    assert model["storageProfile"]["osDisk"]["osType"] == "Linux"
    assert cloud.get(SET) == view
    assert cloud.ids() == ["0", "1"]


def test_instances_are_listed_with_their_places() -> None:
    cloud = a_cloud()
    cloud.made(SET, {**a_set(3), "zones": ["1", "2"]})
    listed = cloud.get(f"{SET}/virtualMachines?$expand=instanceView")["value"]
    first = listed[0]
    assert (first["name"], first["instanceId"]) == ("web_0", "0")
    assert first["id"] == f"{SET}/virtualMachines/0"
    assert first["properties"]["osProfile"]["computerName"] == "webpre000000"
    assert first["properties"]["latestModelApplied"] is True
    assert [item["zones"] for item in listed] == [["1"], ["2"], ["1"]]
    view = first["properties"]["instanceView"]
    assert view["statuses"][1]["code"] == "PowerState/running"
    assert view == cloud.get(f"{SET}/virtualMachines/0/instanceView")


def test_the_instances_of_a_set_are_counted() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(3))
    cloud.post(f"{SET}/virtualMachines/1/deallocate")
    assert cloud.get(f"{SET}/instanceView")["virtualMachine"]["statusesSummary"] == [
        {"code": "ProvisioningState/succeeded", "count": 3},
        {"code": "PowerState/running", "count": 2},
        {"code": "PowerState/deallocated", "count": 1},
    ]


def test_scale_out_sends_nothing_but_a_sku() -> None:
    cloud = a_cloud()
    before = cloud.made(SET, with_notice(2))
    answer = cloud.ask("PUT", SET, {"location": "eastus", "sku": {"name": "Standard_D2s_v5", "capacity": 4}})
    assert (answer.status, answer.json["sku"]["capacity"], answer.json["etag"]) == (200, 4, '"2"')
    assert answer.json["properties"] == before["properties"]
    assert cloud.ids() == ["0", "1", "2", "3"]
    assert all(item["properties"]["latestModelApplied"] for item in cloud.get(f"{SET}/virtualMachines")["value"])


@pytest.mark.parametrize(
    ("wish", "time"),
    [
        pytest.param({"enable": True}, "PT5M", id="five-minutes-by-default"),
        pytest.param({"enable": "true", "notBeforeTimeout": "PT7M"}, "PT7M", id="as-asked"),
    ],
)
def test_terminate_notifications_are_switched_on(wish: Json, time: str) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set())
    told = {"terminateNotificationProfile": {"notBeforeTimeout": time, "enable": True}}
    assert profile(patch(cloud, terminate(**wish))) == told
    assert profile(patch(cloud, terminate(notBeforeTimeout="PT9M")))["terminateNotificationProfile"]["enable"] is True
    assert profile(patch(cloud, terminate(enable=False))) == {}


def test_a_put_of_nothing_but_the_notification_switches_it_on_and_keeps_the_rest() -> None:
    """So the page on terminate notifications shows it, with the first version that knows of them."""
    cloud = a_cloud()
    before = cloud.made(SET, a_set())
    answer = cloud.ask("PUT", SET, terminate(notBeforeTimeout="PT5M", enable=True), version="2019-03-01")
    assert answer.status == 200, answer.body
    after = cloud.get(SET)
    assert profile(after) == {"terminateNotificationProfile": {"notBeforeTimeout": "PT5M", "enable": True}}
    assert (after["location"], after["sku"]) == (before["location"], before["sku"])


@pytest.mark.parametrize(
    ("wish", "model", "says"),
    [
        pytest.param({"enable": True, "notBeforeTimeout": "PT3M"}, {}, "from PT5M to PT15M, not PT3M", id="too-short"),
        pytest.param({"enable": True, "notBeforeTimeout": "PT16M"}, {}, "from PT5M to PT15M, not PT16M", id="too-long"),
        pytest.param({"enable": True, "notBeforeTimeout": "10"}, {}, "ISO 8601", id="no-duration"),
        pytest.param({"enable": True}, {"priority": "Spot"}, "cannot be enabled on Spot", id="spot"),
        pytest.param({"enable": True}, {"priority": "Low"}, "cannot be enabled on Spot or low-priority", id="low"),
    ],
)
def test_a_notification_that_cannot_be_is_refused(wish: Json, model: Json, says: str) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(model=model))
    answer = cloud.ask("PATCH", SET, terminate(**wish))
    assert (answer.status, answer.code) == (400, "InvalidParameter")
    assert says in answer.json["error"]["message"]


def repairs(**wish: object) -> Json:
    return {"properties": {"automaticRepairsPolicy": wish}}


def test_a_repairs_policy_is_shown_merged_and_switched_off() -> None:
    cloud = a_cloud()
    made = cloud.made(SET, a_set(automaticRepairsPolicy={"enabled": "true"}))
    policy = {"enabled": True, "gracePeriod": "PT10M", "repairAction": "Replace"}
    assert made["properties"]["automaticRepairsPolicy"] == policy
    changed = patch(cloud, repairs(gracePeriod="PT30M", repairAction="restart"))
    assert changed["properties"]["automaticRepairsPolicy"] == {
        **policy,
        "gracePeriod": "PT30M",
        "repairAction": "Restart",
    }
    off = patch(cloud, repairs(enabled=False))["properties"]["automaticRepairsPolicy"]
    assert (off["enabled"], off["gracePeriod"]) == (False, "PT30M")
    assert cloud.get(SET)["properties"]["automaticRepairsPolicy"] == off
    listed = cloud.get(f"{SET}/virtualMachines")["value"]
    assert all(item["properties"]["latestModelApplied"] for item in listed), "it is no part of the model"


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        pytest.param({"enabled": True, "gracePeriod": "PT9M"}, "from PT10M to PT1H30M, not PT9M", id="too-short"),
        pytest.param({"enabled": True, "gracePeriod": "PT91M"}, "from PT10M to PT1H30M, not PT1H31M", id="too-long"),
        pytest.param({"gracePeriod": "soon"}, "gracePeriod: 'soon' is not an ISO 8601 duration", id="no-duration"),
        pytest.param({"repairAction": "Pray"}, "must be one of Replace, Restart, Reimage", id="no-action"),
    ],
)
def test_a_repairs_policy_that_cannot_be_is_refused(wish: Json, says: str) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set())
    answer = cloud.ask("PATCH", SET, repairs(**wish))
    assert (answer.status, answer.code) == (400, "InvalidParameter")
    assert says in answer.json["error"]["message"]


def test_an_instance_that_is_being_replaced_is_deleting_and_does_not_count() -> None:
    cloud = a_cloud()
    cloud.made(SET, with_notice(2, automaticRepairsPolicy={"enabled": True}))
    cloud.enrol("rg/web:0")
    cloud.advance(minutes=10)
    cloud.run(cloud.engine.repair(("rg/web:0", "web_1"), spec_of, Actor.user("probe")))
    listed = cloud.get(f"{SET}/virtualMachines")["value"]
    states = {item["instanceId"]: item["properties"]["provisioningState"] for item in listed}
    assert states == {"0": "Succeeded", "1": "Deleting", "2": "Succeeded"}
    assert cloud.get(SET)["sku"]["capacity"] == 2
    cloud.made(SET, {"location": "eastus", "sku": {"name": "Standard_D2s_v5", "capacity": 2}})
    cloud.advance(minutes=10)
    assert cloud.ids() == ["0", "2"]


def test_an_api_version_without_the_word_refuses_it() -> None:
    cloud = a_cloud()
    answer = cloud.ask("PUT", SET, with_notice(), version="2018-10-01")
    error = answer.json["error"]
    assert (answer.status, error["code"]) == (400, "BadRequest")
    assert error["message"].startswith(
        "Could not find member 'scheduledEventsProfile' on object of type 'VirtualMachineProfile'. "
        "Path 'properties.virtualMachineProfile.scheduledEventsProfile', line 1, position "
    )
    assert error["target"] == "vmss.properties.virtualMachineProfile.scheduledEventsProfile"


@pytest.mark.parametrize(
    ("mode", "applied"),
    [
        pytest.param("Manual", False, id="manual-waits"),
        pytest.param("Automatic", True, id="automatic"),
        pytest.param("Rolling", True, id="rolling"),
    ],
)
def test_a_new_model_reaches_instances_as_the_policy_says(mode: str, applied: bool) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(upgradePolicy={"mode": mode}))
    patch(cloud, terminate(enable=True))
    listed = cloud.get(f"{SET}/virtualMachines")["value"]
    assert [item["properties"]["latestModelApplied"] for item in listed] == [applied, applied]


def test_what_was_shown_and_is_put_back_is_no_new_model() -> None:
    cloud = a_cloud()
    view = cloud.made(SET, with_notice())
    cloud.made(SET, view)
    listed = cloud.get(f"{SET}/virtualMachines")["value"]
    assert [item["properties"]["latestModelApplied"] for item in listed] == [True, True]


@pytest.mark.parametrize(
    ("capacity", "says"),
    [pytest.param(101, "from 0 to 100 while singlePlacementGroup is true", id="one-group"), (-1, "from 0 to")],
)
def test_a_set_has_so_many_instances(capacity: int, says: str) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set())
    answer = cloud.ask("PATCH", SET, {"sku": {"capacity": capacity}})
    assert answer.status == 400
    assert says in answer.json["error"]["message"]


def test_a_large_set_has_several_placement_groups() -> None:
    cloud = a_cloud()
    view = cloud.made(SET, a_set(150))
    assert view["properties"]["singlePlacementGroup"] is False
    groups = {
        item["properties"]["instanceView"]["placementGroupId"]
        for item in cloud.get(f"{SET}/virtualMachines?$expand=instanceView")["value"]
    }
    assert len(groups) == 2


def test_the_orchestration_mode_is_for_life() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set())
    assert cloud.refused("PATCH", SET, {"properties": {"orchestrationMode": "Flexible"}}) == (
        409,
        "PropertyChangeNotAllowed",
    )


def test_a_set_stays_where_it_is() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set())
    assert cloud.refused("PUT", SET, {"location": "West US"}) == (409, "InvalidResourceLocation")
    assert cloud.refused("PUT", f"{SETS}/other", {"sku": {"capacity": 1}}) == (400, "LocationRequired")


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_what_is_not_there_is_not_found(method: str) -> None:
    cloud = a_cloud()
    answer = cloud.ask(method, SET, {} if method == "PATCH" else None)
    assert answer.json["error"] == {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Compute/virtualMachineScaleSets/web' under resource group 'rg' was not "
        "found. For more details please go to https://aka.ms/ARMResourceNotFoundFix",
    }
    elsewhere = SET.replace("/rg/", "/nowhere/")
    assert cloud.refused(method, elsewhere, {} if method == "PATCH" else None) == (404, "ResourceGroupNotFound")


def test_nothing_is_made_in_a_group_that_is_not_there() -> None:
    assert a_cloud().refused("PUT", SET.replace("/rg/", "/nowhere/"), a_set()) == (404, "ResourceGroupNotFound")


def test_sets_are_listed_in_their_group_and_everywhere() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    cloud.put(f"{S}/resourceGroups/other", {"location": "westus"})
    cloud.made(f"{S}/resourceGroups/other/providers/Microsoft.Compute/virtualMachineScaleSets/db", a_set(0))
    assert cloud.names(SETS) == ["web"]
    assert cloud.names(f"{S}/providers/Microsoft.Compute/virtualMachineScaleSets") == ["db", "web"]
    assert cloud.refused("GET", SETS.replace("/rg/", "/nowhere/")) == (404, "ResourceGroupNotFound")


def test_paths_are_read_in_any_letter_case() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    assert cloud.get(SET.replace("resourceGroups", "resourcegroups").replace("Microsoft.C", "microsoft.C"))["id"] == SET
    assert cloud.get(f"{RG}/providers/Microsoft.Compute//virtualMachineScaleSets/WEB")["id"] == SET


def test_etags_guard_a_change() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    for header, etag, status in (
        ("If-Match", '"7"', 412),
        ("If-None-Match", "*", 412),
        ("If-Match", '"1"', 200),
        ("If-Match", "*", 200),
    ):
        assert cloud.ask("PATCH", SET, {"tags": {"a": "b"}}, headers={header: etag}).status == status


def test_the_policy_of_a_set_is_kept_and_dropped() -> None:
    cloud = a_cloud()
    grid = {"eventGridAndResourceGraph": {"enable": True}}
    policy = {
        "scheduledEventsAdditionalPublishingTargets": grid,
        "userInitiatedReboot": {"automaticallyApprove": True},
    }
    view = cloud.made(SET, a_set(scheduledEventsPolicy=policy))
    assert view["properties"]["scheduledEventsPolicy"] == policy
    scope = cloud.run(cloud.store.read(lambda reader: reader.scope("rg/web:0")))
    assert scope is not None
    assert (scope.policy.publish, scope.policy.approve_user_reboot) == (True, True)
    off = {
        "scheduledEventsAdditionalPublishingTargets": {"eventGridAndResourceGraph": {"enable": False}},
        "userInitiatedReboot": {"automaticallyApprove": False},
    }
    assert "scheduledEventsPolicy" not in patch(cloud, {"properties": {"scheduledEventsPolicy": off}})["properties"]


def test_a_system_s_identity_has_a_principal() -> None:
    cloud = a_cloud()
    view = cloud.made(SET, {**a_set(0), "identity": {"type": "SystemAssigned"}})
    assert sorted(view["identity"]) == ["principalId", "tenantId", "type"]


def test_network_interfaces_are_computed() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(2))
    cards = cloud.get(f"{SET}/networkInterfaces")["value"]
    assert [card["id"] for card in cards] == [f"{SET}/virtualMachines/{i}/networkInterfaces/nic" for i in (0, 1)]
    addresses = {card["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"] for card in cards}
    assert len(addresses) == 2
    assert cloud.get(f"{SET}/virtualMachines/1/networkInterfaces")["value"] == cards[1:]
    assert cloud.get(f"{SET}/publicipaddresses") == {"value": []}
    assert cloud.get(f"{SET}/skus")["value"]


# Flexible sets

FLEX = f"{SETS}/flex"


def test_flexible_instances_are_machines_of_their_own() -> None:
    cloud = a_cloud()
    cloud.made(FLEX, with_notice(2, mode="Flexible"))
    listed = cloud.get(f"{FLEX}/virtualMachines")["value"]
    assert [sorted(item) for item in listed] == [["id", "instanceId", "location", "name", "type", "zones"]] * 2
    names = [item["name"] for item in listed]
    assert all(name.startswith("flex_") and len(name) == 13 for name in names)
    assert cloud.names(f"{COMPUTE}/virtualMachines") == sorted(names)
    machine = cloud.get(f"{COMPUTE}/virtualMachines/{names[0]}?$expand=instanceView")
    assert machine["properties"]["virtualMachineScaleSet"] == {"id": FLEX}
    assert machine["properties"]["scheduledEventsProfile"] == {
        "terminateNotificationProfile": {"notBeforeTimeout": "PT10M", "enable": True}
    }
    assert machine["properties"]["instanceView"]["statuses"][1]["code"] == "PowerState/running"
    cloud.ask("PATCH", FLEX, {"sku": {"capacity": 1}})
    cloud.advance()
    assert len(cloud.names(f"{COMPUTE}/virtualMachines")) == 1


def test_a_flexible_instance_is_deleted_as_a_machine() -> None:
    cloud = a_cloud()
    cloud.made(FLEX, with_notice(2, mode="Flexible"))
    cloud.enrol("rg/flex:0")
    first, second = cloud.names(f"{COMPUTE}/virtualMachines")
    answer = cloud.ask("DELETE", f"{COMPUTE}/virtualMachines/{first}")
    assert cloud.events("rg/flex:0") == [("Terminate", "Scheduled", (first,))]
    assert cloud.get(FLEX)["sku"]["capacity"] == 1
    cloud.advance(minutes=10)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.ids(FLEX) == [second]


def computer_name(cloud: Cloud, machine: str) -> str:
    told = cloud.get(f"{COMPUTE}/virtualMachines/{machine}")["properties"]["osProfile"]["computerName"]
    return str(told)


def test_a_flexible_instance_also_goes_by_its_number() -> None:
    cloud = a_cloud()
    cloud.made(FLEX, with_notice(3, mode="Flexible"))
    cloud.enrol("rg/flex:0")
    (second,) = [name for name in cloud.ids(FLEX) if computer_name(cloud, name).endswith("000001")]
    cloud.post(f"{FLEX}/delete", {"instanceIds": ["1", second]})
    assert cloud.events("rg/flex:0") == [("Terminate", "Scheduled", (second,))]
    assert cloud.refused("POST", f"{FLEX}/delete", {"instanceIds": ["3"]}) == (400, "InvalidParameter")


def test_a_machine_is_made_in_a_flexible_set() -> None:
    cloud = a_cloud()
    cloud.made(FLEX, {"location": "eastus", "properties": {"orchestrationMode": "Flexible"}})
    assert "sku" not in cloud.get(FLEX)
    body = {"location": "eastus", "properties": {"virtualMachineScaleSet": {"id": FLEX}}}
    cloud.made(f"{COMPUTE}/virtualMachines/mine", body)
    assert cloud.ids(FLEX) == ["mine"]
    cloud.enrol("rg/flex:0")
    cloud.post(f"{FLEX}/restart")
    assert cloud.events("rg/flex:0") == [("Reboot", "Scheduled", ("mine",))]


def test_a_uniform_set_takes_no_machines() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    body = {"location": "eastus", "properties": {"virtualMachineScaleSet": {"id": SET}}}
    assert cloud.ask("PUT", f"{COMPUTE}/virtualMachines/mine", body).status in (400, 409)


def test_an_upgrade_reaches_the_machine_too() -> None:
    cloud = a_cloud()
    cloud.made(FLEX, a_set(1, mode="Flexible"))
    (name,) = cloud.names(f"{COMPUTE}/virtualMachines")
    model = {"virtualMachineProfile": {"scheduledEventsProfile": TEN_MINUTES}}
    cloud.ask("PATCH", FLEX, {"properties": model}, version=NEWEST)
    cloud.post(f"{FLEX}/manualupgrade", {"instanceIds": ["*"]})
    machine = cloud.get(f"{COMPUTE}/virtualMachines/{name}")
    assert "terminateNotificationProfile" in machine["properties"]["scheduledEventsProfile"]
