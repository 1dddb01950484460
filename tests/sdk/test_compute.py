"""azure-mgmt-compute drives scale sets and machines; what their instances see is asked of the metadata service."""

from datetime import timedelta
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError

from tests.azure.driving import notice
from tests.sdk.conftest import Sdk


def scale_set(capacity: int, **profile: Any) -> Any:
    return {
        "location": "eastus",
        "sku": {"name": "Standard_D2s_v5", "capacity": capacity},
        "properties": {
            "orchestrationMode": "Uniform",
            "upgradePolicy": {"mode": "Manual"},
            "virtualMachineProfile": {
                "osProfile": {"computerNamePrefix": "sdk", "adminUsername": "azureuser"},
                "storageProfile": {
                    "imageReference": {
                        "publisher": "Canonical",
                        "offer": "0001-com-ubuntu-server-jammy",
                        "sku": "22_04-lts-gen2",
                        "version": "latest",
                    }
                },
                **profile,
            },
        },
    }


def noticed(minutes: int) -> dict[str, Any]:
    profile = {"notBeforeTimeout": f"PT{minutes}M", "enable": True}
    return {"scheduledEventsProfile": {"terminateNotificationProfile": profile}}


def make(sdk: Sdk, name: str, capacity: int, **profile: Any) -> list[str]:
    sets = sdk.compute.virtual_machine_scale_sets
    made = sets.begin_create_or_update("rg1", name, scale_set(capacity, **profile)).result()
    assert made.provisioning_state == "Succeeded"
    return instances(sdk, name)


def instances(sdk: Sdk, name: str) -> list[str]:
    return sorted(str(vm.name) for vm in sdk.compute.virtual_machine_scale_set_vms.list("rg1", name))


def test_a_deleted_instance_gets_its_notice_and_is_gone_when_the_poller_is_done(sdk: Sdk) -> None:
    assert make(sdk, "web", 2, **noticed(10)) == ["web_0", "web_1"]
    sdk.fleet.events("web_0")
    ids: Any = {"instanceIds": ["1"]}
    poller = sdk.compute.virtual_machine_scale_sets.begin_delete_instances("rg1", "web", ids)
    event = sdk.fleet.wait_for_event("web_0", "Terminate")
    assert event["Resources"] == ["web_1"]
    assert notice(sdk.fleet, event) == timedelta(minutes=10)
    assert not poller.done()
    sdk.fleet.approve("web_1", event["EventId"])
    sdk.fleet.advance("30m")
    poller.result()
    assert instances(sdk, "web") == ["web_0"]


def test_one_instance_by_its_own_operations(sdk: Sdk) -> None:
    make(sdk, "ones", 3, **noticed(5))
    sdk.fleet.events("ones_0")
    vms = sdk.compute.virtual_machine_scale_set_vms
    redeploying = vms.begin_redeploy("rg1", "ones", "0")
    event = sdk.fleet.wait_for_event("ones_1", "Redeploy")
    assert (event["Resources"], notice(sdk.fleet, event)) == (["ones_0"], timedelta(minutes=10))
    deleting = vms.begin_delete("rg1", "ones", "2")
    assert notice(sdk.fleet, sdk.fleet.wait_for_event("ones_1", "Terminate")) == timedelta(minutes=5)
    sdk.fleet.advance("1h")
    redeploying.result()
    deleting.result()
    assert instances(sdk, "ones") == ["ones_0", "ones_1"]
    with pytest.raises(HttpResponseError, match="allowed only for Spot"):
        vms.simulate_eviction("rg1", "ones", "0")


def test_a_patch_scales_in_and_waits(sdk: Sdk) -> None:
    make(sdk, "patched", 3, **noticed(5))
    sdk.fleet.events("patched_0")
    smaller: Any = {"sku": {"name": "Standard_D2s_v5", "capacity": 1}}
    poller = sdk.compute.virtual_machine_scale_sets.begin_update("rg1", "patched", smaller)
    sdk.fleet.wait_for_event("patched_0", "Terminate")
    assert len(sdk.fleet.events("patched_0")) == 2
    assert not poller.done()
    sdk.fleet.advance("1h")
    poller.result()
    assert len(instances(sdk, "patched")) == 1


def test_the_profile_is_kept_changed_and_removed(sdk: Sdk) -> None:
    make(sdk, "profile", 1, **noticed(5))
    sets = sdk.compute.virtual_machine_scale_sets
    change: Any = {
        "location": "eastus",
        "properties": {
            "virtualMachineProfile": {
                "scheduledEventsProfile": {"terminateNotificationProfile": {"notBeforeTimeout": "PT9M"}}
            }
        },
    }
    sets.begin_create_or_update("rg1", "profile", change).result()
    profile = sets.get("rg1", "profile").virtual_machine_profile.scheduled_events_profile
    assert (
        profile.terminate_notification_profile.enable,
        profile.terminate_notification_profile.not_before_timeout,
    ) == (
        True,
        "PT9M",
    )
    vms = sdk.compute.virtual_machine_scale_set_vms
    assert [vm.latest_model_applied for vm in vms.list("rg1", "profile")] == [False]
    everyone: Any = {"instanceIds": ["*"]}
    sets.begin_update_instances("rg1", "profile", everyone).result()
    assert [vm.latest_model_applied for vm in vms.list("rg1", "profile")] == [True]


@pytest.mark.parametrize("time", ["PT3M", "PT16M", "ten minutes"])
def test_a_time_out_of_range_is_refused(time: str, sdk: Sdk) -> None:
    wrong = {"scheduledEventsProfile": {"terminateNotificationProfile": {"notBeforeTimeout": time, "enable": True}}}
    with pytest.raises(HttpResponseError, match="notBeforeTimeout"):
        sdk.compute.virtual_machine_scale_sets.begin_create_or_update("rg1", "wrong", scale_set(1, **wrong)).result()


def test_a_machine_lives_and_dies(sdk: Sdk) -> None:
    vm: Any = {
        "location": "eastus",
        "properties": {
            "hardwareProfile": {"vmSize": "Standard_D2s_v5"},
            "scheduledEventsProfile": {"terminateNotificationProfile": {"notBeforeTimeout": "PT5M", "enable": True}},
        },
    }
    machines = sdk.compute.virtual_machines
    assert machines.begin_create_or_update("rg1", "vm1", vm).result().provisioning_state == "Succeeded"
    sdk.fleet.events("vm1")
    restarting = machines.begin_restart("rg1", "vm1")
    event = sdk.fleet.wait_for_event("vm1", "Reboot")
    assert notice(sdk.fleet, event) == timedelta(minutes=15)
    sdk.maintenance.scheduled_events.acknowledge("rg1", "virtualMachines", "vm1", event["EventId"])
    sdk.fleet.advance("1h")
    restarting.result()
    deleting = machines.begin_delete("rg1", "vm1")
    assert notice(sdk.fleet, sdk.fleet.wait_for_event("vm1", "Terminate")) == timedelta(minutes=5)
    sdk.fleet.advance("1h")
    deleting.result()
    with pytest.raises(ResourceNotFoundError):
        machines.get("rg1", "vm1")


def test_a_canceled_event_makes_the_poller_raise(sdk: Sdk) -> None:
    make(sdk, "called", 1)
    sdk.fleet.events("called_0")
    poller = sdk.compute.virtual_machine_scale_set_vms.begin_restart("rg1", "called", "0")
    event = sdk.fleet.wait_for_event("called_0", "Reboot")
    sdk.fleet.told("cancel", event["EventId"])
    with pytest.raises(HttpResponseError, match=r"[Cc]ancel"):
        poller.result()


def test_an_availability_set_tells_all_its_machines(sdk: Sdk) -> None:
    spread: Any = {"location": "eastus", "properties": {"platformUpdateDomainCount": 5}}
    made = sdk.compute.availability_sets.create_or_update("rg1", "as1", spread)
    vm: Any = {
        "location": "eastus",
        "properties": {"hardwareProfile": {"vmSize": "Standard_D2s_v5"}, "availabilitySet": {"id": made.id}},
    }
    for name in ("in1", "in2"):
        sdk.compute.virtual_machines.begin_create_or_update("rg1", name, vm).result()
    sdk.fleet.events("in1")
    poller = sdk.compute.virtual_machines.begin_redeploy("rg1", "in2")
    assert sdk.fleet.wait_for_event("in1", "Redeploy")["Resources"] == ["in2"]
    sdk.fleet.advance("1h")
    poller.result()


def test_bulk_acknowledge_tells_which_are_not_known(sdk: Sdk) -> None:
    make(sdk, "bulk", 2)
    sdk.fleet.events("bulk_0")
    everyone: Any = {"instanceIds": ["*"]}
    poller = sdk.compute.virtual_machine_scale_sets.begin_restart("rg1", "bulk", everyone)
    sdk.fleet.wait_for_event("bulk_0", "Reboot")
    ids = [event["EventId"] for event in sdk.fleet.events("bulk_0")]
    told = sdk.maintenance.scheduled_events.acknowledge_list(
        "rg1",
        "virtualMachineScaleSets",
        "bulk",
        {"value": ids},
    )
    assert told.value == "Successfully Approved"
    assert {event["EventStatus"] for event in sdk.fleet.events("bulk_0")} == {"Started"}
    sdk.fleet.advance("1h")
    poller.result()
    with pytest.raises(ResourceNotFoundError):
        sdk.maintenance.scheduled_events.acknowledge(
            "rg1", "virtualMachineScaleSets", "bulk", "00000000-0000-0000-0000-000000000001"
        )


def test_groups_and_resources(sdk: Sdk) -> None:
    groups = sdk.resources.resource_groups
    assert groups.check_existence("rg1")
    assert not groups.check_existence("nowhere")
    make(sdk, "listed", 1)
    names = [resource.name for resource in sdk.resources.resources.list_by_resource_group("rg1")]
    assert "listed" in names
    groups.create_or_update("short", {"location": "eastus"})
    groups.begin_delete("short").result()
    assert not groups.check_existence("short")
