"""What would become of instances: the domain is asked to decide, and nobody keeps what it decided."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import count

from msgspec.structs import replace

from forewarn.domain import scalesets, scaling
from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Event, EventType, Operation, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Request, Verb, all_under_way, request_all
from forewarn.domain.scaling import ScaleSet
from forewarn.domain.settings import Settings
from forewarn.portal.views.scale_sets import SetFacts

NOBODY = Actor.system("preview")


class End(Enum):
    """How an instance would go, and why so."""

    ANNOUNCED = "announced"  # it gets a Terminate, and goes at NotBefore or once all have approved
    UNDER_WAY = "under-way"  # it is being deleted already
    NOT_ENROLLED = "not-enrolled"  # at once: nobody in its scope asks for events
    SPOT = "spot"  # at once: Spot instances get no Terminate
    OFF = "off"  # at once: the model it is on has no terminate notification
    WAIVED = "waived"  # at once: nothing in its scope runs, or all that waited are approved


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    name: str
    end: End
    not_before: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rescale:
    """What another capacity would do."""

    before: int
    after: int
    born: tuple[str, ...]
    """Names of those that come; empty strings where they get names that nobody can foretell."""
    fates: tuple[Fate, ...]
    """Of those that go."""


def fates(facts: SetFacts, chosen: Sequence[Machine], settings: Settings, now: datetime) -> tuple[Fate, ...]:
    """If these were deleted in one go. Refused as the deletion itself would be."""
    draft = Draft(facts.scopes, now)
    before = all_under_way(draft, EventType.TERMINATE)
    operations = request_all(draft, chosen, Request(verb=Verb.DELETE, by=NOBODY, id="preview"), settings, _ids())
    events = {event.id: event for scope in draft.scopes.values() for event in scope.events}
    return tuple(
        _fate(machine, draft, events.get(operation.event or ""), before.get((machine.scope, machine.name)))
        for machine, operation in zip(chosen, operations, strict=True)
    )


def rescaled(facts: SetFacts, capacity: int, settings: Settings, now: datetime) -> Rescale:
    """Refused as the change itself would be."""
    spec = replace(facts.spec, capacity=capacity)
    scalesets.check(spec, settings)
    staying = scaling.staying(Draft(facts.scopes, now), facts.members)
    missing = capacity - len(staying)
    going = scaling.choose(staying, max(-missing, 0), spec.scale_in)
    scale_set = ScaleSet(resource=facts.resource, spec=spec, members=facts.members, staying=staying)
    born = scaling.grow(scale_set, max(missing, 0), now, _ids())
    return Rescale(
        before=len(staying),
        after=capacity,
        born=tuple("" if spec.flexible else machine.name for machine in born),
        fates=fates(facts, going, settings, now),
    )


def _fate(machine: Machine, draft: Draft, event: Event | None, before: Operation | None) -> Fate:
    if before is not None:
        return Fate(name=machine.name, end=End.UNDER_WAY, not_before=event.not_before if event else None)
    if event is not None and event.phase is Phase.SCHEDULED:
        return Fate(name=machine.name, end=End.ANNOUNCED, not_before=event.not_before)
    return Fate(name=machine.name, end=_why_at_once(machine, draft, event))


def _why_at_once(machine: Machine, draft: Draft, event: Event | None) -> End:
    if event is not None:
        return End.WAIVED
    if not draft.scopes[machine.scope].is_enrolled:
        return End.NOT_ENROLLED
    return End.SPOT if machine.is_spot else End.OFF


def _ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{next(numbers):08}"
