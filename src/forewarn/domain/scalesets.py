"""Scale sets: what may be said of one, what its instances are like, and how a new model reaches them."""

from collections.abc import Iterable
from datetime import timedelta
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.durations import format_iso
from forewarn.domain.errors import Invalid, NotFound
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import EventsPolicy
from forewarn.domain.settings import Settings

GROUP_SIZE = 100
"""Machines of one placement group, as in Azure."""
LARGEST = 1000
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Upgrade(Enum):
    MANUAL = "Manual"  # instances get the latest model when somebody says so
    AUTOMATIC = "Automatic"  # all at once
    ROLLING = "Rolling"  # in batches; nothing a batch would wait for happens here, so all at once too


class ScaleIn(Enum):
    DEFAULT = "Default"  # keep zones, then fault domains balanced; of the rest, the highest instance id
    NEWEST = "NewestVM"  # keep zones balanced; of the rest, the newest
    OLDEST = "OldestVM"  # keep zones balanced; of the rest, the oldest


class RepairAction(Enum):
    REPLACE = "Replace"  # it is deleted, and another one takes its place at once
    RESTART = "Restart"  # it keeps everything but its memory
    REIMAGE = "Reimage"  # it keeps its name, its number and its place


class Repairs(Struct, frozen=True, kw_only=True):
    """Azure's automaticRepairsPolicy: what becomes of an instance that is reported unhealthy."""

    enabled: bool = False
    grace: timedelta = timedelta(minutes=10)  # for so long after a change an instance may recover by itself
    action: RepairAction = RepairAction.REPLACE


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
    repairs: Repairs = Repairs()
    computer_prefix: str = ""
    instance: Machine  # what an instance is made from; its place and names are given to it


def check_terminate_notice(notice: timedelta | None, *, spot: bool, settings: Settings) -> None:
    """A terminate notification's time, and whether the machines can have one at all."""
    if notice is None:
        return
    if spot:
        raise Invalid(
            "Terminate notifications cannot be enabled on Spot or low-priority instances.", key="spot_notification"
        )
    if not settings.terminate_min <= notice <= settings.terminate_max:
        raise Invalid(
            "terminateNotificationProfile.notBeforeTimeout must be from {least} to {most}, not {notice}.",
            key="termination_delay",
            least=format_iso(settings.terminate_min),
            most=format_iso(settings.terminate_max),
            notice=format_iso(notice),
        )


def check_repairs(repairs: Repairs, settings: Settings) -> None:
    if repairs.enabled and not settings.repair_grace_min <= repairs.grace <= settings.repair_grace_max:
        raise Invalid(
            "automaticRepairsPolicy.gracePeriod must be from {least} to {most}, not {grace}.",
            key="repair_grace",
            least=format_iso(settings.repair_grace_min),
            most=format_iso(settings.repair_grace_max),
            grace=format_iso(repairs.grace),
        )


def check(spec: SetSpec, settings: Settings) -> None:
    check_repairs(spec.repairs, settings)
    check_terminate_notice(spec.instance.terminate_notice, spot=spec.instance.is_spot, settings=settings)
    is_one_group = spec.single_group and not spec.flexible
    if spec.capacity is None or 0 <= spec.capacity <= (GROUP_SIZE if is_one_group else LARGEST):
        return
    if is_one_group:
        raise Invalid(
            "sku.capacity must be from 0 to {most} while singlePlacementGroup is true, not {capacity}.",
            key="capacity_of_group",
            most=GROUP_SIZE,
            capacity=spec.capacity,
        )
    raise Invalid(
        "sku.capacity must be from 0 to {most}, not {capacity}.", key="capacity", most=LARGEST, capacity=spec.capacity
    )


def base36(number: int) -> str:
    """Six digits, as at the end of an instance's computer name: 18 is 00000i."""
    return "".join(DIGITS[number // 36**power % 36] for power in range(5, -1, -1))


def by_number(members: Iterable[Machine], number: str) -> Machine | None:
    """The instance of a flexible set that was made under this number.

    Its id is its name, but what is written about scale sets says `--instance-ids 1` without saying which kind it means.
    """
    if not (number.isascii() and number.isdecimal() and len(number) <= 6):
        return None
    ending = base36(int(number))
    return next((m for m in members if m.model and m.instance == m.name and m.computer_name.endswith(ending)), None)


# Bringing instances to the latest model


def upgraded(machine: Machine, spec: SetSpec, model: int) -> Machine:
    """The instance as the latest model wants it; its place, names and power are its own."""
    return replace(redescribed(machine, spec.instance), model=model)


def redescribed(machine: Machine, wanted: Machine) -> Machine:
    """The machine with what its owner may change about it."""
    return replace(
        machine,
        priority=wanted.priority,
        eviction_policy=wanted.eviction_policy,
        terminate_notice=wanted.terminate_notice,
        os_image_notice=wanted.os_image_notice,
        profile=replace(wanted.profile, vm_id=machine.profile.vm_id),
    )


def upgraded_by_itself(machine: Machine, spec: SetSpec, model: int) -> Machine:
    """The instance after a new model that nobody asked it to take. Itself, where it waits to be asked."""
    if spec.upgrade is Upgrade.MANUAL or not follows(machine):
        return machine
    return machine if machine.model == model else upgraded(machine, spec, model)


def to_upgrade(members: Iterable[Machine], instances: Iterable[str] | None) -> list[Machine]:
    """The instances that somebody wants upgraded: those named, or (None) all that follow the set's model."""
    if instances is None:
        return [machine for machine in members if follows(machine)]
    by_id = {machine.instance: machine for machine in members}
    wanted = list(dict.fromkeys(instances))
    missing = [instance for instance in wanted if instance not in by_id]
    if missing:
        raise NotFound("The scale set has no instance {instances}.", key="no_instance", instances=", ".join(missing))
    return [by_id[instance] for instance in wanted]


def follows(machine: Machine) -> bool:
    """Whether what is done to the whole set is done to it: not if it is protected, or was made without a model."""
    return machine.model > 0 and not machine.keep_as_it_is


def open_to_all(members: Iterable[Machine]) -> list[Machine]:
    """Whom an action on the whole set concerns: those protected from the set's actions have to be named."""
    return [machine for machine in members if not machine.keep_as_it_is]
