"""A scale set and its instances, as their owner sees them."""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.wire.compute.digging import Json, dig
from forewarn.wire.compute.machines import instance_view, storage_view, with_disk
from forewarn.wire.compute.reading import is_flexible
from forewarn.wire.compute.states import Provisioning, powered, provisioned
from forewarn.wire.dates import moment

INSTANCE = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines"


class Instance(Struct, frozen=True):
    """A machine of a scale set, and how far along it is."""

    machine: Machine
    state: Provisioning = Provisioning.SUCCEEDED


@lru_cache(maxsize=1024)
def group_guid(scope: str) -> str:
    """A placement group's id, the same as its machines are told."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, scope))


def set_view(resource: Resource, capacity: int, state: Provisioning) -> Json:
    properties = {
        **dig(resource.body, "properties"),
        "provisioningState": state.value,
        "uniqueId": str(uuid.uuid5(uuid.NAMESPACE_URL, resource.key)),
    }
    if resource.created_at is not None:
        properties["timeCreated"] = moment(resource.created_at)
    view = {
        "name": resource.name,
        "id": resource.id,
        "type": resource.type,
        "location": resource.location,
        "tags": {},
        **resource.body,
        "properties": properties,
        "etag": f'"{resource.version}"',
    }
    if "sku" in resource.body:
        view["sku"] = {**resource.body["sku"], "capacity": capacity}
    return view


def instance_views(
    resource: Resource, instances: Iterable[Instance], *, expand: bool = False, whole: bool = False
) -> list[Json]:
    """As a list tells them: of a flexible set's instances only where they are, unless they are wanted whole."""
    short = is_flexible(dig(resource.body, "properties")) and not whole
    model = _Model(resource)
    return [_view(resource, instance, model, expand, short) for instance in instances]


def instance_instance_view(instance: Instance) -> Json:
    machine = instance.machine
    return instance_view(machine, instance.state, domains=True, group=group_guid(machine.scope))


def summary(instances: Sequence[Instance], state: Provisioning) -> Json:
    """The scale set's own instance view: how many instances are in which state."""
    counted: Counter[str] = Counter()
    for instance in instances:
        counted[provisioned(instance.state)["code"]] += 1
        counted[powered(instance.machine.power)["code"]] += 1
    told = [{"code": code, "count": count} for code, count in sorted(counted.items(), reverse=True)]
    return {"virtualMachine": {"statusesSummary": told}, "statuses": [provisioned(state)], "extensions": []}


class _Model:
    """The parts of a scale set's model that all its instances share."""

    def __init__(self, resource: Resource) -> None:
        model: Json = dig(resource.body, "properties", "virtualMachineProfile") or {}
        self.storage = storage_view(model.get("storageProfile") or {})
        self.os = {name: value for name, value in (model.get("osProfile") or {}).items() if "Prefix" not in name}
        self.cards: list[Json] = dig(model, "networkProfile", "networkInterfaceConfigurations") or []
        self.sku = {"name": "", "tier": "Standard", **(resource.body.get("sku") or {})}
        self.nics = [card.get("name", "nic") for card in self.cards]


def _view(resource: Resource, instance: Instance, model: _Model, expand: bool, short: bool) -> Json:
    machine = instance.machine
    view: Json = {
        "name": machine.name,
        "id": f"{resource.id}/virtualMachines/{machine.instance}",
        "type": INSTANCE,
        "location": resource.location,
        "instanceId": machine.instance,
    }
    if short:
        view["zones"] = [machine.zone or None]
        if expand:
            view["properties"] = {"instanceView": instance_instance_view(instance)}
        return view
    if machine.zone:
        view["zones"] = [machine.zone]
    view["tags"] = machine.profile.tags
    view["sku"] = {**model.sku, "name": machine.profile.size}
    view["properties"] = _properties(resource, instance, model, view["id"])
    if expand:
        view["properties"]["instanceView"] = instance_instance_view(instance)
    view["etag"] = f'"{machine.model}"'
    return view


def _properties(resource: Resource, instance: Instance, model: _Model, own: str) -> Json:
    machine = instance.machine
    profile = machine.profile
    properties: Json = {
        "latestModelApplied": machine.model == resource.model,
        "modelDefinitionApplied": "VirtualMachineScaleSet",
        "networkProfileConfiguration": {"networkInterfaceConfigurations": model.cards},
        "provisioningState": instance.state.value,
        "hardwareProfile": {"vmSize": profile.size},
        "vmId": profile.vm_id,
        "storageProfile": {**with_disk(model.storage, machine), "dataDisks": []},
        "osProfile": {**model.os, "computerName": machine.computer_name or machine.name},
        "networkProfile": {"networkInterfaces": [{"id": f"{own}/networkInterfaces/{nic}"} for nic in model.nics]},
    }
    if machine.keep_on_scale_in or machine.keep_as_it_is:
        properties["protectionPolicy"] = {
            "protectFromScaleIn": machine.keep_on_scale_in,
            "protectFromScaleSetActions": machine.keep_as_it_is,
        }
    if machine.created_at is not None:
        properties["timeCreated"] = moment(machine.created_at)
    return properties
