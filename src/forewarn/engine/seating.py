"""Making room for machines: their scopes, their place in them, and an address for each.

What was described once keeps its scope and its place for life, whatever its owner describes later.
"""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain import scalesets, scaling
from forewarn.domain.describing import stand_in
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, NotFound
from forewarn.domain.fleet import with_addresses
from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.scaling import ScaleSet
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.engine import behind
from forewarn.engine.leaving import next_epoch
from forewarn.engine.ports import Reader, Transaction

ADDRESS_NOTE = "next-address-of-the-estate"
FIRST_ADDRESS = IPv4Address("127.100.0.1")
"""Machines made here get loopback addresses far from those of a fleet file."""


class MachineSpec(Struct, frozen=True, kw_only=True):
    """What a virtual machine's description means."""

    machine: Machine  # `scope` is the one it would like if it stands alone
    set_key: str = ""  # the availability set or scale set it is in
    policy: EventsPolicy = EventsPolicy()  # of a machine that stands alone


class ScopeSpec(Struct, frozen=True, kw_only=True):
    """What the description of an availability set or a cloud service means: one scope, and who is in it."""

    scope: str  # the one it would like
    kind: ScopeKind
    policy: EventsPolicy = EventsPolicy()
    update_domains: int = 5
    fault_domains: int = 2
    machines: tuple[Machine, ...] = ()  # all the role instances it is to have, if it is a service


ReviseScope = Callable[[Resource | None], tuple[Resource, ScopeSpec]]


# Availability sets and cloud services


def put_scope(tx: Transaction, draft: Draft, key: str, revise: ReviseScope) -> tuple[Resource, ScopeSpec]:
    known = behind.usable(tx.resource(key))
    resource, spec = revise(known)
    behind.check_group(tx, resource)
    resource = replace(resource, scope=_open_scope(tx, draft, resource, spec) if known is None else known.scope)
    _change_scope(draft, resource.scope, spec)
    draft.put_resource(resource)
    return resource, spec


def _open_scope(tx: Transaction, draft: Draft, resource: Resource, spec: ScopeSpec) -> str:
    scope = Scope(id=_free(tx, spec.scope), kind=spec.kind, owner=resource.key, declared=False, epoch=next_epoch(tx))
    draft.put_scope(scope)
    return scope.id


def _change_scope(draft: Draft, scope: str, spec: ScopeSpec) -> None:
    """Machines keep their domains; new ones are spread over as many as there are now."""
    changed = replace(
        draft.scopes[scope],
        policy=spec.policy,
        update_domains=max(spec.update_domains, 1),
        fault_domains=max(spec.fault_domains, 1),
    )
    if changed != draft.scopes[scope]:
        draft.put_scope(changed)


def fill_scope(
    tx: Transaction, draft: Draft, scope: str, wanted: Sequence[Machine], new_id: Callable[[], str]
) -> list[Machine]:
    """Whoever is missing comes. Those that are there and not wanted are told: they are to go."""
    members = list(tx.machines(scope))
    there = {member.name: member for member in members}
    for machine in wanted:
        if machine.name not in there:
            members.append(scaling.seated(_made(machine, draft, new_id()), draft.scopes[scope], members))
    draft.machines += _addressed(tx, members[len(there) :])
    names = {machine.name for machine in wanted}
    return [member for name, member in there.items() if name not in names]


# Virtual machines


def open_machine(tx: Transaction, draft: Draft, resource: Resource, spec: MachineSpec, vm_id: str) -> Resource:
    machine = _made(spec.machine, draft, vm_id)
    if spec.set_key:
        machine = _joined(tx, draft, machine, spec.set_key)
    else:
        scope = Scope(
            id=_free(tx, machine.scope),
            kind=ScopeKind.STANDALONE,
            policy=spec.policy,
            owner=resource.key,
            declared=False,
            epoch=next_epoch(tx),
        )
        draft.put_scope(scope)
        machine = replace(machine, scope=scope.id)
    draft.machines += _addressed(tx, [machine])
    return replace(resource, scope=machine.scope, machine=machine.name)


def change_machine(tx: Transaction, draft: Draft, resource: Resource, spec: MachineSpec) -> None:
    (known,) = behind.find_machines(tx, [(resource.scope, resource.machine)])
    draft.machines.append(scalesets.redescribed(known, spec.machine))
    scope = draft.scopes[resource.scope]
    if scope.kind is ScopeKind.STANDALONE and scope.policy != spec.policy:
        draft.put_scope(replace(scope, policy=spec.policy))


def _joined(tx: Transaction, draft: Draft, machine: Machine, set_key: str) -> Machine:
    owner = behind.usable(tx.resource(set_key))
    home = next((scope for scope in draft.scopes.values() if scope.owner == set_key), None)
    if owner is None or home is None:
        raise NotFound(f"There is no set {set_key} to put {machine.name} into.")
    if home.kind is ScopeKind.PLACEMENT_GROUP and not home.flexible:
        raise Conflict(f"{owner.name} makes its instances itself: only a flexible scale set takes in virtual machines.")
    members = tx.machines(home.id)
    if any(member.name == machine.name for member in members):
        raise Conflict(f"There is a machine {machine.name} in {owner.name} already: give another name.")
    instance = machine.name if home.flexible else ""
    return scaling.seated(replace(machine, instance=instance), home, members)


# Scale sets


def open_scale_set(tx: Transaction, draft: Draft, resource: Resource, spec: SetSpec) -> ScaleSet:
    """The scale set with its scopes and instances as the description wants them, but for their number."""
    for scope in list(draft.scopes.values()):
        if scope.policy != spec.policy:
            draft.put_scope(replace(scope, policy=spec.policy))
    known = behind.machines(tx, resource)
    members = [scalesets.upgraded_by_itself(machine, spec, resource.model) for machine in known]
    draft.machines += [after for before, after in zip(known, members, strict=True) if after is not before]
    staying = scaling.staying(draft, members)
    scale_set = ScaleSet(resource=resource, spec=spec, members=members, staying=staying)
    if spec.flexible:
        _open_placement_groups(
            tx, draft, scale_set, [scaling.first_group(spec)]
        )  # virtual machines may join it at any time
    return scale_set


def grow(tx: Transaction, draft: Draft, scale_set: ScaleSet, count: int, new_id: Callable[[], str]) -> ScaleSet:
    born = _addressed(tx, scaling.grow(scale_set, count, draft.now, new_id))
    _open_placement_groups(tx, draft, scale_set, [machine.scope for machine in born])
    draft.machines += born
    resource = replace(scale_set.resource, counter=scale_set.resource.counter + count)
    return replace(scale_set, resource=resource)


def _open_placement_groups(tx: Transaction, draft: Draft, scale_set: ScaleSet, scopes: Sequence[str]) -> None:
    for scope in dict.fromkeys(scopes):
        if scope not in draft.scopes:
            draft.put_scope(scaling.placement_group(scope, scale_set, next_epoch(tx), draft.scopes.values()))


def stand_for(tx: Transaction, draft: Draft, owner: Resource, spec: SetSpec) -> None:
    """A flexible set's instances are virtual machines in their own right: those new or changed are described anew."""
    if not spec.flexible:
        return
    for machine in draft.machines:
        told = stand_in(owner, machine)
        known = tx.resource(told.key)
        draft.put_resource(told if known is None else replace(told, id=known.id, version=known.version + 1))


# For all


def _free(reader: Reader, wanted: str) -> str:
    """A virtual machine and an availability set may have one name; their scopes may not."""
    name, number = wanted, 2
    while reader.scope(name) is not None:
        name, number = f"{wanted}-{number}", number + 1
    return name


def _made(machine: Machine, draft: Draft, vm_id: str) -> Machine:
    profile = replace(machine.profile, vm_id=vm_id.lower())
    return replace(machine, declared=False, created_at=draft.now, profile=profile)


def _addressed(tx: Transaction, machines: Sequence[Machine]) -> list[Machine]:
    """Each with a metadata address of its own. Addresses are not used twice."""
    first = IPv4Address(tx.note(ADDRESS_NOTE) or str(FIRST_ADDRESS))
    placed, left = with_addresses(machines, first)
    tx.put_note(ADDRESS_NOTE, str(left))
    return placed
