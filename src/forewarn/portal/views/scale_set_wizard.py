"""One page of the way to a new scale set."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from forewarn.domain.errors import ForewarnError
from forewarn.domain.settings import Settings
from forewarn.portal.views.scale_set_order import Put, orders
from forewarn.portal.views.scale_set_wish import (
    CHOICES,
    FIELDS,
    NEW,
    ON,
    STEPS,
    Fault,
    Known,
    Step,
    Wish,
    faults_of,
    step_of,
    urns,
)
from forewarn.portal.views.scale_sets import minutes_between
from forewarn.wire.catalogue import LOCATIONS, SIZES

Option = tuple[str, str]
"""What is sent, and what is read."""
SWITCHES = {"spot": {"eviction"}, "notify": {"delay"}, "repairs": {"grace", "action"}}
"""Fields that matter only while another is on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRow:
    step: Step
    is_current: bool
    is_wrong: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One field of the review."""

    name: str
    value: str
    fault: Fault | None


@dataclass(frozen=True, kw_only=True, slots=True)
class WizardView:
    subscription: str
    step: Step
    wish: Wish
    faults: Mapping[str, Fault]
    steps: tuple[StepRow, ...]
    before: Step | None
    after: Step | None
    hidden: tuple[Option, ...]
    """The fields of the other steps, carried along."""
    options: Mapping[str, tuple[Option, ...]]
    delays: tuple[int, int]
    graces: tuple[int, int]
    review: tuple[tuple[Step, tuple[Said, ...]], ...]
    puts: tuple[Put, ...]
    refusal: ForewarnError | None


def wizard_view(
    step: Step,
    wish: Wish,
    known: Known,
    settings: Settings,
    *,
    checked: bool = False,
    refusal: ForewarnError | None = None,
) -> WizardView:
    """`checked`: what is wrong on this step is said. The review always says what is."""
    reviews = step is Step.REVIEW
    faults = faults_of(step, wish, known, settings) if checked or reviews else {}
    wrong = {step_of(name) for name in faults}
    place = STEPS.index(step)
    return WizardView(
        subscription=known.subscription,
        step=step,
        wish=wish,
        faults=faults,
        steps=tuple(StepRow(step=each, is_current=each is step, is_wrong=each in wrong) for each in STEPS),
        before=STEPS[place - 1] if place else None,
        after=None if reviews else STEPS[place + 1],
        hidden=tuple((each.name, getattr(wish, each.name)) for each in fields(Wish) if each.name not in FIELDS[step]),
        options=_options(known),
        delays=minutes_between(settings.terminate_min, settings.terminate_max),
        graces=minutes_between(settings.repair_grace_min, settings.repair_grace_max),
        review=tuple(_review(wish, faults)) if reviews else (),
        puts=orders(wish, known) if reviews and not faults else (),
        refusal=refusal,
    )


def _options(known: Known) -> dict[str, tuple[Option, ...]]:
    """Those whose names are nobody's to translate."""
    return {
        "group": tuple((name, name) for name in sorted(known.groups.values(), key=str.lower)),
        "location": tuple((each.name, each.display_name) for each in LOCATIONS),
        "image": tuple((urn, f"{alias} · {urn}" if alias else urn) for urn, alias in urns().items()),
        "size": tuple((s.name, f"{s.name} · {s.cores} vCPU, {s.memory_gb:g} GiB") for s in SIZES),
        **{name: tuple((one, one) for one in CHOICES[name]) for name in ("mode", "eviction", "upgrade", "action")},
    }


def _review(wish: Wish, faults: Mapping[str, Fault]) -> Iterator[tuple[Step, tuple[Said, ...]]]:
    """What counts: not the group that was not chosen, nor how something is that is off."""
    filled = {"network": wish.network_name, "subnet": wish.subnet_name}
    idle = {"group_is", "group" if wish.group_is == NEW else "new_group"}
    for switch, governed in SWITCHES.items():
        idle |= set() if getattr(wish, switch) == ON else governed
    for step in STEPS[:-1]:
        names = [name for name in FIELDS[step] if name not in idle or name in faults]
        yield (
            step,
            tuple(
                Said(name=name, value=filled.get(name, getattr(wish, name)), fault=faults.get(name)) for name in names
            ),
        )
