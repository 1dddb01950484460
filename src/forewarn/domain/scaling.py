"""Growing and shrinking: where new machines go, and which ones a scale-in takes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict
from forewarn.domain.events import EventType
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import all_under_way
from forewarn.domain.resources import Resource
from forewarn.domain.scalesets import GROUP_SIZE, ScaleIn, SetSpec, base36
from forewarn.domain.scopes import Scope, ScopeKind, group_prefix

UPDATE_DOMAINS = 5
Place = tuple[str, int]
"""A zone, and a fault domain in it."""


class ScaleSet(Struct, frozen=True, kw_only=True):
    """A scale set as a command finds it."""

    resource: Resource
    spec: SetSpec
    members: Sequence[Machine]
    staying: Sequence[Machine]  # those of them that nobody is deleting


def staying(draft: Draft, members: Iterable[Machine]) -> list[Machine]:
    leaving = all_under_way(draft, EventType.TERMINATE)
    return [machine for machine in members if (machine.scope, machine.name) not in leaving]


# Growing


def grow(scale_set: ScaleSet, count: int, now: datetime, new_id: Callable[[], str]) -> list[Machine]:
    """`count` more instances, each placed where the fewest stay; some in placement groups that are yet to be made."""
    spec, resource = scale_set.spec, scale_set.resource
    seats = Counter(machine.scope for machine in scale_set.members)
    places = Counter((machine.zone, machine.fault_domain) for machine in scale_set.staying)
    taken = {machine.name for machine in scale_set.members}
    born: list[Machine] = []
    for number in range(resource.counter, resource.counter + count):
        zone, fault = _emptiest(spec, places)
        name = _free_name(spec, number, taken, new_id)
        machine = replace(
            _instance(spec, number, name, new_id()),
            scope=_room(spec, zone, seats),
            zone=zone,
            fault_domain=fault,
            model=resource.model,
            created_at=now,
        )
        born.append(machine)
        taken.add(name)
        seats[machine.scope] += 1
        places[zone, fault] += 1
    return born


def placement_group(scope: str, scale_set: ScaleSet, epoch: int, others: Iterable[Scope] = ()) -> Scope:
    """`others`: the set's placement groups so far. Whose word counts in them counts here too."""
    spec = scale_set.spec
    return Scope(
        id=scope,
        kind=ScopeKind.PLACEMENT_GROUP,
        scale_set=spec.name,
        policy=spec.policy,
        approval=next((other.approval for other in others if other.scale_set == spec.name), None),
        epoch=epoch,
        owner=scale_set.resource.key,
        declared=False,
        flexible=spec.flexible,
        update_domains=UPDATE_DOMAINS,
        fault_domains=max(spec.fault_domains, 1),
    )


def first_group(spec: SetSpec) -> str:
    return f"{group_prefix(spec.name)}0"


def seated(machine: Machine, scope: Scope, members: Sequence[Machine]) -> Machine:
    """The machine in a set without a model, in the update domain and the fault domain where the fewest are."""
    updates = Counter(member.update_domain for member in members)
    faults = Counter(member.fault_domain for member in members)
    return replace(
        machine,
        scope=scope.id,
        update_domain=min(range(scope.update_domains), key=lambda domain: updates[domain]),
        fault_domain=min(range(scope.fault_domains), key=lambda domain: faults[domain]),
    )


def _emptiest(spec: SetSpec, places: Counter[Place]) -> Place:
    zones: Counter[str] = Counter()
    for (zone, _), count in places.items():
        zones[zone] += count
    zone = min(spec.zones or ("",), key=lambda z: zones[z])
    return zone, min(range(max(spec.fault_domains, 1)), key=lambda fault: places[zone, fault])


def _room(spec: SetSpec, zone: str, seats: Counter[str]) -> str:
    """The first placement group with room. A group never spans zones, and a flexible set is one group."""
    if spec.flexible:
        return first_group(spec)
    prefix = group_prefix(spec.name) + (f"z{zone}-" if zone else "")
    number = 0
    while seats[f"{prefix}{number}"] >= GROUP_SIZE:
        number += 1
    return f"{prefix}{number}"


def _free_name(spec: SetSpec, number: int, taken: Set[str], new_id: Callable[[], str]) -> str:
    """By its number, which no other ever had; in a flexible set by eight letters that no other has."""
    if not spec.flexible:
        return f"{spec.title}_{number}"
    while (name := f"{spec.title}_{new_id()[-8:].lower()}") in taken:
        pass
    return name


def _instance(spec: SetSpec, number: int, name: str, vm_id: str) -> Machine:
    return replace(
        spec.instance,
        name=name,
        instance=name if spec.flexible else str(number),
        computer_name=(spec.computer_prefix or spec.title) + base36(number),
        update_domain=number % UPDATE_DOMAINS,
        declared=False,
        profile=replace(spec.instance.profile, vm_id=vm_id.lower()),
    )


# Shrinking


def choose(members: Sequence[Machine], count: int, rule: ScaleIn) -> list[Machine]:
    """Which instances a scale-in takes. Those protected from it are never among them."""
    free = [machine for machine in members if not (machine.keep_on_scale_in or machine.keep_as_it_is)]
    if len(free) < count:
        raise Conflict(
            "The scale set cannot give up {count} instances: {kept} of its {all} are protected from scale-in. "
            "Lift the protection of some, or ask for more capacity.",
            key="protected_from_scale_in",
            count=count,
            kept=len(members) - len(free),
            all=len(members),
        )
    stacks: dict[Place, list[Machine]] = defaultdict(list)
    for machine in sorted(free, key=lambda m: _standing(m, rule)):
        stacks[_place(machine, rule)].append(machine)
    left = Counter(_place(machine, rule) for machine in members)
    zones = Counter(machine.zone for machine in members)
    chosen: list[Machine] = []
    for _ in range(count):
        place = max(
            (p for p in stacks if stacks[p]), key=lambda p: (zones[p[0]], left[p], _standing(stacks[p][-1], rule))
        )
        chosen.append(stacks[place].pop())
        left[place] -= 1
        zones[place[0]] -= 1
    return chosen


def _place(machine: Machine, rule: ScaleIn) -> Place:
    return machine.zone, machine.fault_domain if rule is ScaleIn.DEFAULT else 0


def _standing(machine: Machine, rule: ScaleIn) -> tuple[float, float, str]:
    """The greatest goes first."""
    number = int(machine.instance) if machine.instance.isdecimal() else -1
    born = machine.created_at.timestamp() if machine.created_at else 0.0
    match rule:
        case ScaleIn.DEFAULT:
            return number, born, machine.name
        case ScaleIn.NEWEST:
            return born, number, machine.name
        case ScaleIn.OLDEST:
            return -born, -number, machine.name
