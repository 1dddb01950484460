"""The scale set that somebody is about to create: what they typed, step by step, and what is wrong with it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from enum import Enum
from typing import Any

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import EvictionPolicy
from forewarn.domain.resources import SCALE_SET, group_id, resource_id
from forewarn.domain.scalesets import LARGEST, RepairAction, Repairs, ScaleIn, Upgrade, check_repairs
from forewarn.domain.scalesets import check_terminate_notice as check_notice
from forewarn.domain.settings import Settings
from forewarn.portal.views.scale_sets import a_whole, minutes_between
from forewarn.wire.arm_ids import BadId, check_group, check_machine_name, check_name
from forewarn.wire.catalogue import IMAGES, LOCATIONS, SIZES
from forewarn.wire.compute.bodies import WORDS

NEW, EXISTING = "new", "existing"
ON, OFF = "on", "off"


class Step(Enum):
    """In the order in which they are walked through."""

    BASICS = "basics"
    SPOT = "spot"
    NETWORKING = "networking"
    SCALING = "scaling"
    MANAGEMENT = "management"
    HEALTH = "health"
    TAGS = "tags"
    REVIEW = "review"


STEPS = tuple(Step)
FIELDS: dict[Step, tuple[str, ...]] = {
    Step.BASICS: ("group_is", "group", "new_group", "name", "location", "mode", "image", "size", "admin"),
    Step.SPOT: ("spot", "eviction"),
    Step.NETWORKING: ("network", "subnet"),
    Step.SCALING: ("count", "scale_in"),
    Step.MANAGEMENT: ("upgrade", "notify", "delay"),
    Step.HEALTH: ("repairs", "grace", "action"),
    Step.TAGS: ("tags",),
    Step.REVIEW: (),
}


def urns() -> dict[str, str]:
    """The images there are, each with the alias that people know it by."""
    return {f"{i.publisher}:{i.offer}:{i.sku}": next(iter(i.aliases), "") for i in IMAGES}


CHOICES: Mapping[str, tuple[str, ...]] = {
    "group_is": (EXISTING, NEW),
    "location": tuple(location.name for location in LOCATIONS),
    "mode": WORDS["orchestrationMode"],
    "image": tuple(urns()),
    "size": tuple(size.name for size in SIZES),
    "spot": (OFF, ON),
    "eviction": tuple(policy.value for policy in EvictionPolicy),
    "scale_in": tuple(rule.value for rule in ScaleIn),
    "upgrade": tuple(mode.value for mode in Upgrade),
    "notify": (OFF, ON),
    "repairs": (OFF, ON),
    "action": tuple(action.value for action in RepairAction),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """As typed: every field is text until the whole of it makes sense."""

    group_is: str = EXISTING
    group: str = ""
    new_group: str = ""
    name: str = ""
    location: str = "eastus"
    mode: str = "Uniform"
    image: str = "Canonical:ubuntu-24_04-lts:server"
    size: str = "Standard_D2s_v5"
    admin: str = "azureuser"
    spot: str = OFF
    eviction: str = EvictionPolicy.DEALLOCATE.value
    network: str = ""
    subnet: str = ""
    count: str = "2"
    scale_in: str = ScaleIn.DEFAULT.value
    upgrade: str = Upgrade.MANUAL.value
    notify: str = OFF
    delay: str = "5"
    repairs: str = OFF
    grace: str = "10"
    action: str = RepairAction.REPLACE.value
    tags: str = ""

    @property
    def in_group(self) -> str:
        return self.new_group if self.group_is == NEW else self.group

    @property
    def network_name(self) -> str:
        return self.network or f"{self.name}VNET"

    @property
    def subnet_name(self) -> str:
        return self.subnet or f"{self.name}Subnet"

    @property
    def tag_pairs(self) -> Iterator[tuple[str, str, str]]:
        """Name, the sign between, and value of each line that has something in it."""
        for line in filter(None, map(str.strip, self.tags.splitlines())):
            name, sign, value = line.partition("=")
            yield name.strip(), sign, value.strip()


def wish_of(form: Mapping[str, str]) -> Wish:
    """What was typed; what was not sent is as it is at the beginning."""
    return Wish(**{each.name: form[each.name].strip() for each in fields(Wish) if each.name in form})


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What is there already."""

    subscription: str
    groups: Mapping[str, str] = field(default_factory=dict)
    """The resource groups by their keys: what they are called."""
    taken: frozenset[str] = frozenset()
    """Of the keys that the wish would use, those in use."""

    def has_group(self, name: str) -> bool:
        return group_id(self.subscription, name).lower() in self.groups

    def has_set(self, wish: Wish) -> bool:
        return resource_id(self.subscription, wish.in_group, SCALE_SET, wish.name).lower() in self.taken


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """Why a field cannot be so: a text's key and what it names, or (without a key) the domain's own refusal."""

    key: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    said: Invalid | None = None


Faults = dict[str, Fault]
Check = Callable[[Wish, Known, Settings], Faults]


def faults_of(step: Step, wish: Wish, known: Known, settings: Settings) -> Faults:
    """By field; of the review, those of all the steps before."""
    if step is Step.REVIEW:
        return {name: fault for each in FIELDS if each is not step for name, fault in _of(each, wish, known, settings)}
    return dict(_of(step, wish, known, settings))


def step_of(name: str) -> Step:
    """The step that a field is on."""
    return next(step for step, names in FIELDS.items() if name in names)


def _of(step: Step, wish: Wish, known: Known, settings: Settings) -> Iterator[tuple[str, Fault]]:
    for name in FIELDS[step]:
        if name in CHOICES and getattr(wish, name) not in CHOICES[name]:
            yield name, Fault(key="choice")
    if step in CHECKS:
        yield from CHECKS[step](wish, known, settings).items()


def _basics(wish: Wish, known: Known, settings: Settings) -> Faults:
    faults: Faults = {}
    if wish.group_is == NEW:
        if not _fits(check_group, wish.new_group):
            faults["new_group"] = Fault(key="group_name")
        elif known.has_group(wish.new_group):
            faults["new_group"] = Fault(key="group_taken", facts={"name": wish.new_group})
    elif not wish.group or not known.has_group(wish.group):
        faults["group"] = Fault(key="group")
    if not _fits(check_machine_name, wish.name):
        faults["name"] = Fault(key="name")
    elif not faults and known.has_set(wish):
        faults["name"] = Fault(key="name_taken", facts={"name": wish.name, "group": wish.in_group})
    if not wish.admin:
        faults["admin"] = Fault(key="required")
    return faults


def _networking(wish: Wish, known: Known, settings: Settings) -> Faults:
    typed = {"network": wish.network, "subnet": wish.subnet}
    return {name: Fault(key="network_name") for name, text in typed.items() if text and not _fits(check_name, text)}


def _scaling(wish: Wish, known: Known, settings: Settings) -> Faults:
    return _number("count", wish.count, 0, LARGEST)


def _management(wish: Wish, known: Known, settings: Settings) -> Faults:
    if wish.notify != ON:
        return {}
    faults = _number("delay", wish.delay, *minutes_between(settings.terminate_min, settings.terminate_max))
    notice = timedelta(minutes=a_whole(wish.delay) or 0)
    return faults or _said("notify", lambda: check_notice(notice, spot=wish.spot == ON, settings=settings))


def _health(wish: Wish, known: Known, settings: Settings) -> Faults:
    if wish.repairs != ON:
        return {}
    faults = _number("grace", wish.grace, *minutes_between(settings.repair_grace_min, settings.repair_grace_max))
    repairs = Repairs(enabled=True, grace=timedelta(minutes=a_whole(wish.grace) or 0))
    return faults or _said("grace", lambda: check_repairs(repairs, settings))


def _tags(wish: Wish, known: Known, settings: Settings) -> Faults:
    wrong = next((name for name, sign, _ in wish.tag_pairs if not (name and sign)), None)
    return {} if wrong is None else {"tags": Fault(key="tags", facts={"line": wrong or "="})}


CHECKS: dict[Step, Check] = {
    Step.BASICS: _basics,
    Step.NETWORKING: _networking,
    Step.SCALING: _scaling,
    Step.MANAGEMENT: _management,
    Step.HEALTH: _health,
    Step.TAGS: _tags,
}


def _number(name: str, typed: str, least: int, most: int) -> Faults:
    number = a_whole(typed)
    if number is not None and least <= number <= most:
        return {}
    return {name: Fault(key="number", facts={"least": least, "most": most})}


def _said(name: str, check: Callable[[], None]) -> Faults:
    try:
        check()
    except Invalid as error:
        return {name: Fault(said=error)}
    return {}


def _fits(check: Callable[[str], None], text: str) -> bool:
    try:
        check(text)
    except BadId:
        return False
    return True
