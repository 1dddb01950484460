"""A declared fleet as its owner would have described it to the control plane: the resources behind which it stands."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from forewarn.domain.durations import format_iso
from forewarn.domain.machines import Machine
from forewarn.domain.resources import (
    AVAILABILITY_SET,
    CLOUD_SERVICE,
    GROUP,
    SCALE_SET,
    VIRTUAL_MACHINE,
    Resource,
    group_id,
    resource_id,
)
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind

Json = dict[str, Any]
Members = Mapping[str, Sequence[Machine]]


def described(scopes: Sequence[Scope], machines: Iterable[Machine]) -> tuple[list[Scope], Iterator[Resource]]:
    """The scopes as their resources own them; and those resources, made one by one, since a large fleet has many."""
    members: dict[str, list[Machine]] = defaultdict(list)
    for machine in machines:
        members[machine.scope].append(machine)
    sets: dict[str, list[Machine]] = defaultdict(list)
    for scope in scopes:
        if scope.scale_set is not None:
            sets[scope.scale_set] += members[scope.id]
    owned = [_owned(_spread(scope, members[scope.id]), members, sets) for scope in scopes]
    return owned, _with_groups(_resources(owned, members, sets))


def _spread(scope: Scope, members: Sequence[Machine]) -> Scope:
    """The scope, with as many domains as its machines are in."""
    if not members:
        return scope
    return replace(
        scope,
        update_domains=max(machine.update_domain for machine in members) + 1,
        fault_domains=max(machine.fault_domain for machine in members) + 1,
    )


def stand_in(owner: Resource, machine: Machine) -> Resource:
    """An instance of a flexible scale set is a virtual machine in its own right: what stands for it."""
    model = owner.body.get("properties", {}).get("virtualMachineProfile", {})
    named = {name: value for name, value in model.get("osProfile", {}).items() if name != "computerNamePrefix"}
    properties: Json = {
        "hardwareProfile": {"vmSize": machine.profile.size},
        "storageProfile": model.get("storageProfile") or _storage(machine),
        "osProfile": {**named, "computerName": machine.computer_name or machine.name},
        "networkProfile": {"networkInterfaces": []},
        "virtualMachineScaleSet": {"id": owner.id},
        **_common(machine),
    }
    body: Json = {"properties": properties, "tags": dict(machine.profile.tags)}
    if machine.zone:
        body["zones"] = [machine.zone]
    told = _resource(machine, VIRTUAL_MACHINE, machine.name, body, scope=machine.scope, machine=machine.name)
    return replace(told, created_at=machine.created_at)


def numbered(machine: Machine, scope: Scope) -> Machine:
    """An instance of a scale set knows its number, and that it is made from the set's first model."""
    if scope.scale_set is None or machine.instance:
        return machine
    return replace(machine, instance=machine.name.removeprefix(f"{scope.scale_set}_"), model=1)


def _owned(scope: Scope, members: Members, sets: Members) -> Scope:
    """The scope, with the key of the resource that it is there for."""
    here = members[scope.id] if scope.scale_set is None else sets[scope.scale_set]
    return replace(scope, owner=_owner(scope, here).lower() if here else "")


def _owner(scope: Scope, members: Sequence[Machine]) -> str:
    if scope.scale_set is not None:
        return _id(members[0], SCALE_SET, scope.scale_set)
    match scope.kind:
        case ScopeKind.AVAILABILITY_SET:
            return _id(members[0], AVAILABILITY_SET, scope.id)
        case ScopeKind.CLOUD_SERVICE:
            return _id(members[0], CLOUD_SERVICE, scope.id)
        case ScopeKind.STANDALONE:
            return _id(members[-1], VIRTUAL_MACHINE, members[-1].name)
        case ScopeKind.PLACEMENT_GROUP:
            return ""


def _resources(scopes: Sequence[Scope], members: Members, sets: Members) -> Iterator[Resource]:
    for scope in scopes:
        if scope.scale_set is None:
            yield from _of_scope(scope, members[scope.id])
    first = {scope.scale_set: scope for scope in reversed(scopes)}  # one for all its placement groups
    for name, instances in sets.items():
        if instances:
            yield _scale_set(first[name], instances)


def _of_scope(scope: Scope, members: Sequence[Machine]) -> Iterator[Resource]:
    if not members:
        return
    first = members[0]
    match scope.kind:
        case ScopeKind.AVAILABILITY_SET:
            yield _resource(first, AVAILABILITY_SET, scope.id, _availability_set(scope), scope=scope.id)
            yield from (_machine(machine, scope) for machine in members)
        case ScopeKind.CLOUD_SERVICE:
            yield _resource(first, CLOUD_SERVICE, scope.id, {"properties": {}}, scope=scope.id)
        case ScopeKind.STANDALONE | ScopeKind.PLACEMENT_GROUP:
            yield from (_machine(machine, scope) for machine in members)


def _with_groups(resources: Iterable[Resource]) -> Iterator[Resource]:
    """And after them the groups they are in."""
    inside: dict[str, Resource] = {}
    for resource in resources:
        inside[resource.group] = resource
        yield resource
    for resource in inside.values():
        root, _, name = resource.id.partition("/providers/")[0].rpartition("/")
        yield Resource(id=f"{root}/{name}", type=GROUP, name=name, location=resource.location)


def _machine(machine: Machine, scope: Scope) -> Resource:
    properties: Json = {
        "hardwareProfile": {"vmSize": machine.profile.size},
        "storageProfile": _storage(machine),
        "osProfile": {"computerName": machine.computer_name or machine.name},
        **_common(machine),
    }
    if scope.kind is ScopeKind.AVAILABILITY_SET:
        properties["availabilitySet"] = {"id": _id(machine, AVAILABILITY_SET, scope.id)}
    else:
        properties |= _policy(scope.policy)
    body: Json = {"properties": properties, "tags": dict(machine.profile.tags)}
    if machine.zone:
        body["zones"] = [machine.zone]
    return _resource(machine, VIRTUAL_MACHINE, machine.name, body, scope=machine.scope, machine=machine.name)


def _availability_set(scope: Scope) -> Json:
    return {
        "sku": {"name": "Aligned"},
        "properties": {
            "platformUpdateDomainCount": scope.update_domains,
            "platformFaultDomainCount": scope.fault_domains,
            **_policy(scope.policy),
        },
    }


def _scale_set(scope: Scope, members: Sequence[Machine]) -> Resource:
    first, name = members[0], str(scope.scale_set)
    numbers = [int(text) for m in members if (text := m.name.removeprefix(f"{name}_")).isdecimal()]
    zones = sorted({machine.zone for machine in members} - {""})
    body: Json = {
        "sku": {"name": first.profile.size, "tier": "Standard"},
        "tags": dict(first.profile.tags),
        **({"zones": zones} if zones else {}),
        "properties": {
            "orchestrationMode": "Uniform",
            "singlePlacementGroup": False,
            "upgradePolicy": {"mode": "Manual"},
            "virtualMachineProfile": {
                "storageProfile": _storage(first),
                "osProfile": {"computerNamePrefix": first.computer_name[:-6] or name},
                **_common(first),
            },
            **_policy(scope.policy),
        },
    }
    counter = max(numbers, default=-1) + 1
    return replace(_resource(first, SCALE_SET, name, body, scope=name), counter=counter)


def _common(machine: Machine) -> Json:
    """What a machine and a scale set's model have in common."""
    told: Json = {}
    if machine.is_spot:
        told |= {"priority": machine.priority.value, "evictionPolicy": machine.eviction_policy.value}
    notices = {
        "terminateNotificationProfile": machine.terminate_notice,
        "osImageNotificationProfile": machine.os_image_notice,
    }
    profiles = {
        name: {"enable": True, "notBeforeTimeout": format_iso(at)} for name, at in notices.items() if at is not None
    }
    return told | ({"scheduledEventsProfile": profiles} if profiles else {})


def _policy(policy: EventsPolicy) -> Json:
    if policy == EventsPolicy():
        return {}
    return {
        "scheduledEventsPolicy": {
            "userInitiatedReboot": {"automaticallyApprove": policy.approve_user_reboot},
            "userInitiatedRedeploy": {"automaticallyApprove": policy.approve_user_redeploy},
            "allInstancesDown": {"automaticallyApprove": policy.approve_all_instances_down},
            "scheduledEventsAdditionalPublishingTargets": {
                "eventGridAndResourceGraph": {
                    "enable": policy.publish,
                    "scheduledEventsApiVersion": policy.publish_version,
                }
            },
        }
    }


def _storage(machine: Machine) -> Json:
    profile = machine.profile
    image: Mapping[str, str] = {
        "publisher": profile.publisher,
        "offer": profile.offer,
        "sku": profile.sku,
        "version": profile.version,
    }
    return {"imageReference": dict(image), "osDisk": {"osType": profile.os_type, "createOption": "FromImage"}}


def _resource(about: Machine, kind: str, name: str, body: Json, *, scope: str, machine: str = "") -> Resource:
    profile = about.profile
    return Resource(
        id=_id(about, kind, name),
        type=kind,
        name=name,
        group=group_id(profile.subscription_id, profile.resource_group).lower(),
        location=profile.location,
        body=body,
        scope=scope,
        machine=machine,
    )


def _id(machine: Machine, kind: str, name: str) -> str:
    return resource_id(machine.profile.subscription_id, machine.profile.resource_group, kind, name)
