"""Scale sets: all of them, and one with its instances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from urllib.parse import quote

from forewarn.domain.errors import ForewarnError
from forewarn.domain.machines import Machine, Power
from forewarn.domain.resources import Resource
from forewarn.domain.scalesets import ScaleIn, SetSpec, Upgrade, follows
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.portal.views.fleet import Pending, pending_of
from forewarn.wire.arm_ids import parse_id
from forewarn.wire.compute.reading import spec_of
from forewarn.wire.compute.states import Provisioning, state_of_set, states_of

PAGE = 100
MINUTE = timedelta(minutes=1)


class Model(Enum):
    """Which of its set's models an instance is on."""

    LATEST = "latest"
    BEHIND = "behind"  # an earlier one, until it is updated
    KEPT = "kept"  # an earlier one; it is protected from what is done to the whole set
    NONE = "none"  # none at all: it joined a flexible set by itself


@dataclass(frozen=True, kw_only=True, slots=True)
class SetFacts:
    """A scale set as it was found."""

    resource: Resource
    scopes: Sequence[Scope]
    members: Sequence[Machine]

    @property
    def spec(self) -> SetSpec:
        return spec_of(self.resource)


@dataclass(frozen=True, kw_only=True, slots=True)
class SetRow:
    name: str
    group: str
    place: str
    """Where its page is, below the portal's root."""
    location: str
    state: Provisioning
    capacity: int
    flexible: bool
    is_spot: bool
    minutes: str
    """Of its terminate notification; empty if that is off."""
    latest: int
    behind: int
    kept: int

    @property
    def modelled(self) -> int:
        return self.latest + self.behind + self.kept


@dataclass(frozen=True, kw_only=True, slots=True)
class InstanceRow:
    name: str
    instance: str
    scope: str
    update_domain: int
    fault_domain: int
    zone: str
    power: Power
    model: Model
    minutes: str
    is_leaving: bool
    is_protected: bool
    enrolled: bool
    pending: Pending | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairsView:
    enabled: bool
    minutes: str
    action: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SetView:
    row: SetRow
    size: str
    image: str
    upgrade: Upgrade
    scale_in: ScaleIn
    repairs: RepairsView
    instances: tuple[InstanceRow, ...]
    """Those of this page."""
    total: int
    page: int
    pages: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NoticeForm:
    """A terminate notification as somebody wants it, and what is wrong with that."""

    enabled: bool
    minutes: str
    least: int
    most: int
    wrong: bool = False
    refusal: ForewarnError | None = None


def list_view(found: Iterable[SetFacts]) -> tuple[SetRow, ...]:
    return tuple(sorted(map(set_row, found), key=lambda row: (row.name.lower(), row.group.lower())))


def by_set(scopes: Mapping[str, Scope], machines: Iterable[Machine]) -> dict[str, tuple[list[Scope], list[Machine]]]:
    """By the scale set's name in the fleet: its scopes and who is in them."""
    found: dict[str, tuple[list[Scope], list[Machine]]] = {}
    for scope in scopes.values():
        if scope.scale_set is not None:
            found.setdefault(scope.scale_set, ([], []))[0].append(scope)
    for machine in machines:
        home = scopes.get(machine.scope)
        if home is not None and home.scale_set is not None:
            found[home.scale_set][1].append(machine)
    return found


def set_row(facts: SetFacts) -> SetRow:
    resource, spec = facts.resource, facts.spec
    group = parse_id(resource.id).group
    models = [model_of(machine, resource) for machine in facts.members]
    leaving = _leaving(facts.scopes)
    return SetRow(
        name=resource.name,
        group=group,
        place=place_of(group, resource.name),
        location=resource.location,
        state=state_of_set(resource.leaving, facts.scopes),
        capacity=sum((machine.scope, machine.name) not in leaving for machine in facts.members),
        flexible=spec.flexible,
        is_spot=spec.instance.is_spot,
        minutes=minutes_of(spec.instance.terminate_notice),
        latest=models.count(Model.LATEST),
        behind=models.count(Model.BEHIND),
        kept=models.count(Model.KEPT),
    )


def place_of(group: str, name: str) -> str:
    return f"/scale-sets/{quote(group, safe='')}/{quote(name, safe='')}"


def set_view(facts: SetFacts, page: int = 1) -> SetView:
    spec = facts.spec
    members = sorted(facts.members, key=lambda machine: (len(machine.instance), machine.instance))
    pages = max(1, -(-len(members) // PAGE))
    page = min(max(page, 1), pages)
    profile = spec.instance.profile
    return SetView(
        row=set_row(facts),
        size=profile.size,
        image=":".join(part for part in (profile.publisher, profile.offer, profile.sku) if part),
        upgrade=spec.upgrade,
        scale_in=spec.scale_in,
        repairs=RepairsView(
            enabled=spec.repairs.enabled, minutes=minutes_of(spec.repairs.grace), action=spec.repairs.action.value
        ),
        instances=_instances(facts, members[(page - 1) * PAGE : page * PAGE]),
        total=len(members),
        page=page,
        pages=pages,
    )


def notice_form(facts: SetFacts, settings: Settings) -> NoticeForm:
    least, most = minutes_between(settings.terminate_min, settings.terminate_max)
    minutes = minutes_of(facts.spec.instance.terminate_notice)
    return NoticeForm(enabled=bool(minutes), minutes=minutes or str(least), least=least, most=most)


def minutes_between(least: timedelta, most: timedelta) -> tuple[int, int]:
    """The whole minutes from one to the other."""
    return -(-least // MINUTE), most // MINUTE


def minutes_of(time: timedelta | None) -> str:
    return "" if time is None else f"{time / MINUTE:g}"


def a_whole(text: str) -> int | None:
    """What somebody typed where a whole number belongs."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else None


def model_of(machine: Machine, resource: Resource) -> Model:
    if machine.model == 0:
        return Model.NONE
    if machine.model == resource.model:
        return Model.LATEST
    return Model.BEHIND if follows(machine) else Model.KEPT


def _instances(facts: SetFacts, members: Sequence[Machine]) -> tuple[InstanceRow, ...]:
    pending = pending_of(facts.scopes)
    leaving = _leaving(facts.scopes)
    enrolled = {scope.id for scope in facts.scopes if scope.is_enrolled}
    return tuple(
        InstanceRow(
            name=machine.name,
            instance=machine.instance,
            scope=machine.scope,
            update_domain=machine.update_domain,
            fault_domain=machine.fault_domain,
            zone=machine.zone,
            power=machine.power,
            model=model_of(machine, facts.resource),
            minutes=minutes_of(machine.terminate_notice),
            is_leaving=(machine.scope, machine.name) in leaving,
            is_protected=machine.keep_on_scale_in or machine.keep_as_it_is,
            enrolled=machine.scope in enrolled,
            pending=Pending(id=event.id, type=event.type, phase=event.phase, not_before=event.not_before)
            if (event := pending.get((machine.scope, machine.name)))
            else None,
        )
        for machine in members
    )


def _leaving(scopes: Iterable[Scope]) -> set[tuple[str, str]]:
    return {
        (scope.id, name)
        for scope in scopes
        for name, state in states_of(scope).items()
        if state is Provisioning.DELETING
    }
