"""Scale sets: the list, one with its instances, what would become of them, and the way to a new one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from forewarn.domain.errors import Conflict
from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Power
from forewarn.domain.resources import group_id
from forewarn.domain.scalesets import ScaleIn, Upgrade
from forewarn.domain.settings import Settings
from forewarn.portal.views.fleet import Pending
from forewarn.portal.views.gallery.making import MINUTE
from forewarn.portal.views.scale_set_fates import End, Fate
from forewarn.portal.views.scale_set_wish import NEW, ON, STEPS, Known, Step, Wish
from forewarn.portal.views.scale_set_wizard import WizardView, wizard_view
from forewarn.portal.views.scale_sets import InstanceRow, Model, RepairsView, SetRow, SetView, place_of
from forewarn.wire.compute.states import Provisioning

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, kw_only=True, slots=True)
class SetStates:
    rows: tuple[SetRow, ...]
    views: dict[str, SetView]
    fates: tuple[Fate, ...]
    steps: dict[str, WizardView]
    """Each as it is sent back, and some as they are at first."""


def set_states(now: datetime) -> SetStates:
    return SetStates(
        rows=tuple(_rows()),
        views=_views(now),
        fates=tuple(Fate(name=f"web_{n}", end=end, not_before=_in_time(end, now)) for n, end in enumerate(End)),
        steps=dict(_steps()),
    )


def _in_time(end: End, now: datetime) -> datetime | None:
    return now + 10 * MINUTE if end is End.ANNOUNCED else None


def _rows() -> Iterator[SetRow]:
    for number, state in enumerate(Provisioning):
        yield _row(state=state, behind=number, is_spot=number == 1, minutes="" if number == 1 else "10")
    yield replace(_row(), flexible=True, latest=0, capacity=0)


def _row(
    *, state: Provisioning = Provisioning.SUCCEEDED, behind: int = 0, is_spot: bool = False, minutes: str = "10"
) -> SetRow:
    return SetRow(
        name="web",
        group="rg",
        place=place_of("rg", "web"),
        location="eastus",
        state=state,
        capacity=3,
        flexible=False,
        is_spot=is_spot,
        minutes=minutes,
        latest=3,
        behind=behind,
        kept=0,
    )


def _views(now: datetime) -> dict[str, SetView]:
    instances = tuple(_instances(now))
    latest = _view(_row(), instances, page=1)
    return {
        "on the latest model": replace(latest, pages=1),
        "the first page": latest,
        "one is behind, one is kept": _view(replace(_row(behind=1), kept=1), instances[:1], page=2),
        "many are behind": _view(
            replace(_row(behind=2, is_spot=True, minutes=""), flexible=True), instances[:1], page=3
        ),
        "without instances": replace(latest, row=replace(_row(), capacity=0), instances=(), total=0, pages=1),
    }


def _view(row: SetRow, instances: tuple[InstanceRow, ...], *, page: int) -> SetView:
    return SetView(
        row=row,
        size="Standard_D2s_v5",
        image="Canonical:ubuntu-24_04-lts:server",
        upgrade=Upgrade.MANUAL,
        scale_in=ScaleIn.DEFAULT,
        repairs=RepairsView(enabled=False, minutes="10", action="Replace"),
        instances=instances,
        total=row.capacity + page - 1,
        page=page,
        pages=3,
    )


def _instances(now: datetime) -> Iterator[InstanceRow]:
    """On each kind of model; running or not; with an event that waits, with one under way, with none."""
    phases = (Phase.SCHEDULED, Phase.STARTED, None, None)
    for number, (model, phase) in enumerate(zip(Model, phases, strict=True)):
        at = now + 10 * MINUTE
        pending = (
            None if phase is None else Pending(id=str(number), type=EventType.TERMINATE, phase=phase, not_before=at)
        )
        yield InstanceRow(
            name=f"web_{number}",
            instance=str(number),
            scope="web:0",
            update_domain=number,
            fault_domain=0,
            zone="1" if number else "",
            power=Power.RUNNING if number else Power.STOPPED,
            model=model,
            minutes="10" if number else "",
            is_leaving=phase is not None,
            is_protected=model is Model.KEPT,
            enrolled=number > 0,
            pending=pending,
        )


def _steps() -> Iterator[tuple[str, WizardView]]:
    known = Known(subscription=SUBSCRIPTION, groups={group_id(SUBSCRIPTION, "rg").lower(): "rg"})
    good, settings = Wish(group="rg", name="web", tags="team = shop"), Settings()
    for step in (Step.BASICS, Step.MANAGEMENT, Step.TAGS, Step.REVIEW):
        yield step.value, wizard_view(step, good, known, settings)
    for step in STEPS:
        yield f"{step.value}, sent back", wizard_view(step, _wrong(step), known, settings, checked=True)
    on = replace(good, spot=ON, repairs=ON, group_is=NEW, new_group="new")
    yield "review of what is switched on", wizard_view(Step.REVIEW, on, known, settings)
    refusal = Conflict("{name} is being deleted: wait until it is gone.", key="being_deleted", name="web")
    yield "review, refused", wizard_view(Step.REVIEW, good, known, settings, refusal=refusal)


def _wrong(step: Step) -> Wish:
    """Everything of it that can be wrong is."""
    choices = dict.fromkeys(("location", "mode", "image", "size", "scale_in", "upgrade", "eviction", "action"), "?")
    spotted = {"spot": ON, "delay": "10"} if step is Step.MANAGEMENT else {"spot": "?", "delay": "99"}
    return replace(
        Wish(),
        **choices,
        **spotted,
        group="gone",
        name="<",
        admin="",
        network="<",
        subnet="<",
        count="many",
        notify=ON,
        repairs=ON,
        grace="1",
        tags="nonsense",
    )
