"""What real Compute answered, answered here: the recordings of the CLI's own tests."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from forewarn.domain.machines import EvictionPolicy, Machine, Power, Priority, Profile
from forewarn.domain.resources import SCALE_SET, VIRTUAL_MACHINE, Resource
from forewarn.wire.compute.bodies import cleaned, merged
from forewarn.wire.compute.completing import complete_machine, complete_set, without_capacity
from forewarn.wire.compute.machines import instance_view, machine_view
from forewarn.wire.compute.reading import Place, set_spec
from forewarn.wire.compute.scalesets import Instance, instance_instance_view, instance_views, set_view
from forewarn.wire.compute.states import Provisioning
from tests.wire.goldens import golden

Json = dict[str, Any]
AT = datetime(2024, 8, 26, 8, 55, 27, 582082, tzinfo=UTC)
COMPUTED = {"provisioningState", "uniqueId", "timeCreated", "etag", "doNotRunExtensionsOnOverprovisionedVMs"}


def recorded(name: str) -> Any:
    return json.loads(golden(f"compute/{name}.json"))


def kept(answer: Json) -> Resource:
    """What is kept of a scale set that was answered so."""
    body = without_capacity(complete_set(cleaned(answer)))
    return Resource(
        id=answer["id"], type=SCALE_SET, name=answer["name"], location=answer["location"], body=body, scope="rg/set"
    )


def put(known: Resource, request: Json) -> tuple[Resource, int | None]:
    body = complete_set(merged(known.body, cleaned(request)))
    place = Place(subscription="s", group="g", location=known.location)
    spec = set_spec(body, name="rg/set", title=known.name, place=place)
    changed = Resource(
        id=known.id, type=known.type, name=known.name, location=known.location, body=without_capacity(body)
    )
    return changed, spec.capacity


def told(value: Any) -> Any:
    """Without what differs from one run to the next."""
    if isinstance(value, dict):
        return {name: told(inner) for name, inner in value.items() if name not in COMPUTED}
    return [told(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("before", "name"),
    [
        pytest.param("get-flexible-set", "put-terminate-8-minutes", id="another-time-without-the-image"),
        pytest.param("get-flexible-set", "put-terminate-off", id="switched-off-leaves-an-empty-profile"),
        pytest.param("get-uniform-set", "put-capacity", id="scale-sends-only-a-sku"),
        pytest.param("put-policy-off", "put-policy-on", id="policy-on"),
        pytest.param("put-policy-on", "put-policy-off", id="policy-off-is-no-policy"),
    ],
)
def test_a_put_is_answered_as_recorded(before: str, name: str) -> None:
    exchange, start = recorded(name), recorded(before)
    known = kept(start.get("answer", start))
    changed, capacity = put(known, exchange["request"])
    assert told(set_view(changed, capacity or 0, Provisioning.UPDATING)) == told(exchange["answer"])


@pytest.mark.parametrize("name", ["get-flexible-set", "get-uniform-set"])
def test_what_was_answered_and_is_put_back_changes_nothing(name: str) -> None:
    answer = recorded(name)
    known = kept(answer)
    changed, capacity = put(known, answer)
    assert changed.body == known.body
    assert capacity == answer["sku"]["capacity"]


def test_a_time_alone_keeps_the_notification_on() -> None:
    model = {"scheduledEventsProfile": {"terminateNotificationProfile": {"notBeforeTimeout": "PT9M"}}}
    changed, _ = put(kept(recorded("get-flexible-set")), {"properties": {"virtualMachineProfile": model}})
    profile = changed.body["properties"]["virtualMachineProfile"]["scheduledEventsProfile"]
    assert profile == {"terminateNotificationProfile": {"notBeforeTimeout": "PT9M", "enable": True}}


def keys(value: Any) -> Any:
    """The members of an answer, and of what is in it."""
    if isinstance(value, dict):
        return {name: keys(inner) for name, inner in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


def a_machine(**changes: Any) -> Machine:
    profile = Profile(
        vm_id="c1a92dfc-a2a7-42f6-ac3d-1cf909b40617",
        location="westus",
        resource_group="cli_test_vmss_vms000001",
        size="Standard_DS1_v2",
        publisher="Canonical",
        offer="UbuntuServer",
        sku="18.04-LTS",
    )
    facts: Json = {
        "scope": "rg/clitestvmss000002:0",
        "name": "clitestvmss000002_0",
        "instance": "0",
        "computer_name": "clitec259000000",
        "model": 2,
        "profile": profile,
        **changes,
    }
    return Machine(**facts)


def the_set_behind(listed: Json) -> Resource:
    """A scale set whose instances look as those in a list."""
    instance = listed["properties"]
    model = {
        "storageProfile": instance["storageProfile"],
        "osProfile": {**instance["osProfile"], "computerNamePrefix": "clitec259"},
        "networkProfile": instance["networkProfileConfiguration"],
    }
    model["storageProfile"]["osDisk"].pop("name")
    model["osProfile"].pop("computerName")
    identity, _, _ = listed["id"].partition("/virtualMachines/")
    properties = {"orchestrationMode": "Uniform", "virtualMachineProfile": model}
    body = complete_set(cleaned({"sku": listed["sku"], "properties": properties}))
    return Resource(
        id=identity, type=SCALE_SET, name="clitestvmss000002", location=listed["location"], body=body, model=2
    )


def test_a_uniform_instance_is_listed_as_recorded() -> None:
    (answer,) = recorded("list-uniform-instances")["value"]
    resource = the_set_behind(json.loads(json.dumps(answer)))
    (view,) = instance_views(resource, [Instance(a_machine(), Provisioning.UPDATING)])
    for each in (answer, view):
        disk = each["properties"]["storageProfile"]["osDisk"]
        disk["name"], disk["managedDisk"]["id"] = "disk", "id"
    assert told(view) == told(answer)
    assert view["etag"] == answer["etag"]


def test_flexible_instances_are_listed_as_recorded() -> None:
    answer = recorded("list-flexible-instances")["value"]
    identity, _, _ = answer[0]["id"].partition("/virtualMachines/")
    body = {"properties": {"orchestrationMode": "Flexible"}}
    resource = Resource(id=identity, type=SCALE_SET, name="vmss2000003", location="westus", body=body)
    machines = [a_machine(name=item["name"], instance=item["instanceId"]) for item in answer]
    assert instance_views(resource, [Instance(machine) for machine in machines]) == answer


def test_the_instance_view_of_an_instance_has_the_recorded_members() -> None:
    answer = recorded("get-instance-view")
    machine = a_machine(created_at=AT)
    view = instance_instance_view(Instance(machine))
    assert keys(view) == keys(answer)
    assert [status["code"] for status in view["statuses"]] == [status["code"] for status in answer["statuses"]]
    assert {name: view[name] for name in ("computerName", "osName", "platformFaultDomain", "hyperVGeneration")} == {
        name: answer[name] for name in ("computerName", "osName", "platformFaultDomain", "hyperVGeneration")
    }


def test_a_machine_with_its_instance_view_has_the_recorded_members() -> None:
    answer = recorded("get-machine-with-instance-view")
    body = complete_machine(cleaned(answer))
    resource = Resource(
        id=answer["id"],
        type=VIRTUAL_MACHINE,
        name=answer["name"],
        location="eastus",
        body=body,
        version=2,
        created_at=AT,
    )
    machine = a_machine(name=answer["name"], computer_name=answer["name"], created_at=AT)
    view = machine_view(
        resource,
        machine,
        Provisioning.SUCCEEDED,
        instance_view=instance_view(machine, Provisioning.SUCCEEDED, domains=False),
    )
    assert keys(view) == keys(answer)
    assert view["etag"] == answer["etag"]


def test_a_machine_that_is_off_tells_nothing_from_inside() -> None:
    machine = a_machine(power=Power.DEALLOCATED, priority=Priority.SPOT, eviction_policy=EvictionPolicy.DEALLOCATE)
    view = instance_instance_view(Instance(machine))
    assert sorted(view) == sorted(
        ["placementGroupId", "platformUpdateDomain", "platformFaultDomain", "disks", "hyperVGeneration", "statuses"]
    )
    assert view["statuses"][1] == {
        "code": "PowerState/deallocated",
        "level": "Info",
        "displayStatus": "VM deallocated",
    }
