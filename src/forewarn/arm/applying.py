"""Making Compute's resources what their owner describes: by a PUT, a PATCH, or a deployment's template.

`APPLY` has one function per type. What a refusal needs of the request (its text, its api-version) is in the order.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from forewarn.arm.asking import Desk, Json
from forewarn.arm.bodies import location_of, tags_of
from forewarn.arm.errors import ArmError, elsewhere, no_group, no_location
from forewarn.arm.keeping import not_found
from forewarn.domain.errors import Invalid
from forewarn.domain.events import Actor
from forewarn.domain.resources import (
    AVAILABILITY_SET,
    CLOUD_SERVICE,
    SCALE_SET,
    VIRTUAL_MACHINE,
    Job,
    Resource,
    group_id,
)
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.scopes import ScopeKind
from forewarn.engine.estate import MachineSpec, ScopeSpec
from forewarn.wire.arm_ids import ArmId, check_machine_name, parse_id
from forewarn.wire.compute.availability import domains_of
from forewarn.wire.compute.bodies import cleaned, merged
from forewarn.wire.compute.completing import (
    complete_availability_set,
    complete_machine,
    complete_set,
    without_capacity,
)
from forewarn.wire.compute.digging import an_object, dig
from forewarn.wire.compute.gates import UnknownMember, check_members
from forewarn.wire.compute.notices import POLICY, policy_of
from forewarn.wire.compute.reading import machine_of, place_of, scope_of, set_of, spec_of
from forewarn.wire.compute.services import role_instances

SETS = ("availabilitySet", "virtualMachineScaleSet")


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """What somebody wants a resource to be."""

    id: ArmId
    body: Json
    version: str
    by: Actor
    raw: bytes | None = None  # the text that the body came as; None: nobody wrote it
    partial: bool = False  # a PATCH: only for what is there
    conditions: Mapping[str, str] = field(default_factory=dict)  # headers: If-Match, If-None-Match


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    resource: Resource
    job: Job | None = None  # None: there is nothing to wait for

    @property
    def created(self) -> bool:
        return self.resource.version == 1


Apply = Callable[[Desk, Order], Awaitable[Applied]]


async def put_machine(desk: Desk, order: Order) -> Applied:
    revised = await _reviser(desk, order, complete_machine)

    def revise(known: Resource | None) -> tuple[Resource, MachineSpec]:
        resource = revised(known)
        properties = resource.body["properties"]
        if known is not None:
            _check_unchanged(known, resource, *SETS)
        home = set_of(properties)
        if known is None and home:
            _check_home(order, parse_id(home))
        if home and POLICY in properties:
            raise Invalid(
                f"'{POLICY}' cannot be set on a virtual machine that is in an availability set or a scale set: "
                "set it on the set."
            )
        machine = machine_of(resource.body, resource.name, scope_of(resource), place_of(resource))
        return resource, MachineSpec(machine=machine, set_key=_set_key(home), policy=policy_of(properties))

    return Applied(resource=await desk.estate.put_machine(order.id.key, revise))


async def put_scale_set(desk: Desk, order: Order) -> Applied:
    revised = await _reviser(desk, order, complete_set)

    def revise(known: Resource | None) -> tuple[Resource, SetSpec]:
        resource = revised(known)
        spec = spec_of(resource)
        if known is not None:
            _check_unchanged(known, resource, "orchestrationMode")
            resource = replace(resource, model=known.model + (_model(known) != _model(resource)))
        return replace(resource, body=without_capacity(resource.body)), spec

    resource, job = await desk.estate.put_scale_set(order.id.key, revise, order.by)
    return Applied(resource=resource, job=job if job.operations else None)


async def put_availability_set(desk: Desk, order: Order) -> Applied:
    revised = await _reviser(desk, order, complete_availability_set)

    def revise(known: Resource | None) -> tuple[Resource, ScopeSpec]:
        resource = revised(known)
        updates, faults = domains_of(resource.body)
        policy = policy_of(resource.body["properties"])
        kind = ScopeKind.AVAILABILITY_SET
        scope = scope_of(resource)
        return resource, ScopeSpec(scope=scope, kind=kind, policy=policy, update_domains=updates, fault_domains=faults)

    return Applied(resource=await desk.estate.put_availability_set(order.id.key, revise))


async def put_cloud_service(desk: Desk, order: Order) -> Applied:
    revised = await _reviser(desk, order, lambda body: {**body, "properties": an_object(body, "properties")})

    def revise(known: Resource | None) -> tuple[Resource, ScopeSpec]:
        resource = revised(known)
        scope = scope_of(resource)
        machines = role_instances(resource.body, scope, place_of(resource))
        return resource, ScopeSpec(scope=scope, kind=ScopeKind.CLOUD_SERVICE, machines=machines)

    resource, job = await desk.estate.put_cloud_service(order.id.key, revise, order.by)
    return Applied(resource=resource, job=job if job.operations else None)


APPLY: dict[str, Apply] = {
    VIRTUAL_MACHINE: put_machine,
    SCALE_SET: put_scale_set,
    AVAILABILITY_SET: put_availability_set,
    CLOUD_SERVICE: put_cloud_service,
}


# Parts


async def _reviser(desk: Desk, order: Order, complete: Callable[[Json], Json]) -> Callable[[Resource | None], Resource]:
    """How the kept description changes; run inside the transaction, on what is kept then."""
    _check_members(order)
    sent = cleaned(order.body)
    group = await desk.estate.resource(group_id(desk.subscription, order.id.group).lower())
    if group is None:
        raise no_group(order.id.group)
    location = location_of(order.body)
    tags_of(order.body)
    now = desk.clock.now()

    def revised(known: Resource | None) -> Resource:
        _check_conditions(order, known)
        if known is None:
            known = _new(desk, order, group, location)
            return replace(known, body=complete(sent), created_at=now)
        if location and location != known.location:
            raise elsewhere(known.name, group.name, known.location, location)
        return replace(known, body=complete(merged(known.body, sent)), version=known.version + 1)

    return revised


def _new(desk: Desk, order: Order, group: Resource, location: str) -> Resource:
    if order.partial:
        raise not_found(order.id)
    check_machine_name(order.id.name)
    if not location:
        raise no_location()
    home = ArmId(subscription=desk.subscription, group=group.name)
    return Resource(
        id=home.resource(order.id.type, *order.id.names).text,
        type=order.id.type,
        name=order.id.name,
        group=group.key,
        location=location,
    )


def _check_members(order: Order) -> None:
    raw = msgspec.json.encode(order.body) if order.raw is None else order.raw
    try:
        check_members(order.id.type, order.body, raw, order.version)
    except UnknownMember as error:
        raise ArmError(400, "BadRequest", str(error), error.target) from None


def _check_conditions(order: Order, known: Resource | None) -> None:
    wanted, unwanted = order.conditions.get("if-match"), order.conditions.get("if-none-match")
    etag = f'"{known.version}"' if known is not None else None
    if (wanted and wanted not in (etag, "*" if known else None)) or (unwanted == "*" and known is not None):
        raise ArmError(412, "PreconditionFailed", f"The resource's etag is {etag or 'none: it does not exist'}.")


def _check_unchanged(known: Resource, resource: Resource, *names: str) -> None:
    before, after = known.body.get("properties", {}), resource.body["properties"]
    for name in names:
        path = (name, "id") if name in SETS else (name,)
        if str(dig(before, *path)).lower() != str(dig(after, *path)).lower():
            told = ".".join(path)
            message = f"Changing property '{told}' is not allowed."
            raise ArmError(409, "PropertyChangeNotAllowed", message, told)


def _model(resource: Resource) -> tuple[object, ...]:
    """What a scale set's instances are made from."""
    body = resource.body
    return dig(body, "properties", "virtualMachineProfile"), dig(body, "sku", "name"), body.get("tags") or {}


def _check_home(order: Order, home: ArmId) -> None:
    """As in Azure; and a right in one group is no way into the events of another."""
    group = order.id.parent
    if group is not None and home.parent is not None and home.parent.key != group.key:
        raise ArmError(
            400,
            "InvalidParameter",
            f"'{home.text}' is not in the resource group of the virtual machine, '{order.id.group}': a machine and the "
            "set it is in have the same resource group.",
            "availabilitySet.id" if home.type == AVAILABILITY_SET else "virtualMachineScaleSet.id",
        )


def _set_key(text: str) -> str:
    if not text:
        return ""
    at = parse_id(text)
    if at.type not in (AVAILABILITY_SET, SCALE_SET):
        raise Invalid(f"'{at.text}' is neither an availability set nor a scale set.")
    return at.key
