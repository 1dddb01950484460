"""Scale sets: what their instances are like, where new ones go, which ones a scale-in takes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.durations import format_duration
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import EventType
from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind, group_prefix
from forewarn.domain.settings import Settings

GROUP_SIZE = 100
"""Machines of one placement group, as in Azure."""
LARGEST = 1000
UPDATE_DOMAINS = 5
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Upgrade(Enum):
    MANUAL = "Manual"  # instances get the latest model when somebody says so
    AUTOMATIC = "Automatic"  # all at once
    ROLLING = "Rolling"  # in batches; nothing a batch would wait for happens here, so all at once too


class ScaleIn(Enum):
    DEFAULT = "Default"  # keep zones, then fault domains balanced; of the rest, the highest instance id
    NEWEST = "NewestVM"  # keep zones balanced; of the rest, the newest
    OLDEST = "OldestVM"  # keep zones balanced; of the rest, the oldest


class SetSpec(Struct, frozen=True, kw_only=True):
    """What a scale set's description means for its machines."""

    name: str  # unique in the fleet
    title: str  # what instances are named after
    capacity: int | None = None  # None: as many as there are
    flexible: bool = False
    single_group: bool = True  # at most GROUP_SIZE instances, in one placement group
    upgrade: Upgrade = Upgrade.MANUAL
    scale_in: ScaleIn = ScaleIn.DEFAULT
    zones: tuple[str, ...] = ()
    fault_domains: int = 5
    policy: EventsPolicy = EventsPolicy()
    computer_prefix: str = ""
    instance: Machine  # what an instance is made from; its place and names are given to it


def check_terminate_notice(notice: timedelta | None, *, spot: bool, settings: Settings) -> None:
    """A terminate notification's time, and whether the machines can have one at all."""
    if notice is None:
        return
    if spot:
        raise Invalid("Terminate notifications cannot be enabled on Spot or low-priority instances.")
    if not settings.terminate_min <= notice <= settings.terminate_max:
        raise Invalid(
            f"terminateNotificationProfile.notBeforeTimeout must be from {format_duration(settings.terminate_min)} "
            f"to {format_duration(settings.terminate_max)}, not {format_duration(notice)}."
        )


def check(spec: SetSpec, settings: Settings) -> None:
    check_terminate_notice(spec.instance.terminate_notice, spot=spec.instance.is_spot, settings=settings)
    most = GROUP_SIZE if spec.single_group and not spec.flexible else LARGEST
    if spec.capacity is not None and not 0 <= spec.capacity <= most:
        reason = " while singlePlacementGroup is true" if most == GROUP_SIZE else ""
        raise Invalid(f"sku.capacity must be from 0 to {most}{reason}, not {spec.capacity}.")


def staying(draft: Draft, members: Iterable[Machine]) -> list[Machine]:
    """The members that nobody is deleting."""
    leaving = {
        (scope.id, name)
        for scope in draft.scopes.values()
        for operation in scope.operations
        if operation.is_live and operation.impact is EventType.TERMINATE
        for name in operation.machines
    }
    return [machine for machine in members if (machine.scope, machine.name) not in leaving]


# Growing


def grow(
    draft: Draft, spec: SetSpec, resource: Resource, members: Sequence[Machine], count: int, new_id: Callable[[], str]
) -> tuple[Resource, list[Machine]]:
    """`count` more instances, each placed where the fewest are. Their scopes are in the draft."""
    placed = Counter(machine.scope for machine in members)
    zones, faults = Counter(m.zone for m in members), Counter(m.fault_domain for m in members)
    born: list[Machine] = []
    for number in range(resource.counter, resource.counter + count):
        zone = min(spec.zones, key=lambda z: zones[z]) if spec.zones else ""
        fault = min(range(max(spec.fault_domains, 1)), key=lambda f: faults[f])
        scope = _room(draft, spec, resource, placed)
        machine = _born(spec, resource, number, new_id, draft.now)
        born.append(replace(machine, scope=scope, zone=zone, fault_domain=fault, update_domain=number % UPDATE_DOMAINS))
        placed[scope] += 1
        zones[zone] += 1
        faults[fault] += 1
    return replace(resource, counter=resource.counter + count), born


def _born(spec: SetSpec, resource: Resource, number: int, new_id: Callable[[], str], now: datetime) -> Machine:
    suffix = new_id()[-8:].lower() if spec.flexible else str(number)
    name = f"{spec.title}_{suffix}"
    return replace(
        spec.instance,
        name=name,
        instance=name if spec.flexible else str(number),
        computer_name=(spec.computer_prefix or spec.title) + base36(number),
        model=resource.model,
        created_at=now,
        declared=False,
        profile=replace(spec.instance.profile, vm_id=new_id().lower()),
    )


def base36(number: int) -> str:
    """Six digits, as at the end of an instance's computer name: 18 is 00000i."""
    return "".join(DIGITS[number // 36**power % 36] for power in range(5, -1, -1))


def found(draft: Draft, spec: SetSpec, resource: Resource) -> None:
    """A flexible set has its group from the start: others may put machines into it before it has any of its own."""
    if spec.flexible and not draft.scopes:
        _room(draft, spec, resource, Counter())


def open_to_all(members: Iterable[Machine]) -> list[Machine]:
    """Whom an action on the whole set concerns: those protected from the set's actions have to be named."""
    return [machine for machine in members if not machine.keep_as_it_is]


def _room(draft: Draft, spec: SetSpec, resource: Resource, placed: Counter[str]) -> str:
    """The first placement group with room, made if there is none. A flexible set is one group."""
    size = LARGEST if spec.flexible else GROUP_SIZE
    number = 0
    while placed[scope := f"{group_prefix(spec.name)}{number}"] >= size:
        number += 1
    if scope not in draft.scopes:
        draft.put_scope(new_scope(scope, ScopeKind.PLACEMENT_GROUP, resource, spec.policy, draft.now, spec))
    return scope


def new_scope(
    scope: str,
    kind: ScopeKind,
    owner: Resource,
    policy: EventsPolicy,
    now: datetime,
    spec: SetSpec | None = None,
) -> Scope:
    """Its epoch is the time it was made, so that a scope made anew under an old name is newer than that."""
    return Scope(
        id=scope,
        kind=kind,
        scale_set=spec.name if spec else None,
        policy=policy,
        epoch=int(now.timestamp()),
        owner=owner.key,
        declared=False,
        flexible=spec.flexible if spec else False,
    )


# Bringing instances to the latest model


def upgraded(machine: Machine, spec: SetSpec, model: int) -> Machine:
    """The instance as the latest model wants it; its place, names and power are its own."""
    return replace(
        machine,
        model=model,
        priority=spec.instance.priority,
        eviction_policy=spec.instance.eviction_policy,
        terminate_notice=spec.instance.terminate_notice,
        os_image_notice=spec.instance.os_image_notice,
        profile=replace(spec.instance.profile, vm_id=machine.profile.vm_id),
    )


def upgrade_by_itself(members: Iterable[Machine], spec: SetSpec, model: int) -> list[Machine]:
    """What follows from a new model without anybody asking. What is protected from the set's actions stays."""
    if spec.upgrade is Upgrade.MANUAL:
        return []
    return [upgraded(m, spec, model) for m in members if m.model != model and not m.keep_as_it_is]


# Shrinking


def choose(members: Sequence[Machine], count: int, rule: ScaleIn) -> list[Machine]:
    """Which instances a scale-in takes. Those protected from it are never among them."""
    free = [machine for machine in members if not (machine.keep_on_scale_in or machine.keep_as_it_is)]
    if len(free) < count:
        raise Conflict(
            f"The scale set cannot give up {count} instances: {len(members) - len(free)} of its {len(members)} are "
            "protected from scale-in. Lift the protection of some, or ask for more capacity."
        )
    stacks: dict[tuple[str, int], list[Machine]] = defaultdict(list)
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


def _place(machine: Machine, rule: ScaleIn) -> tuple[str, int]:
    return machine.zone, machine.fault_domain if rule is ScaleIn.DEFAULT else 0


def _standing(machine: Machine, rule: ScaleIn) -> tuple[float, int, str]:
    """The greatest goes first."""
    number = int(machine.instance) if machine.instance.isdecimal() else -1
    born = machine.created_at.timestamp() if machine.created_at else 0.0
    match rule:
        case ScaleIn.DEFAULT:
            return 0.0, number, machine.name
        case ScaleIn.NEWEST:
            return born, number, machine.name
        case ScaleIn.OLDEST:
            return -born, -number, machine.name
