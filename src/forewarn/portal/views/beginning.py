"""Beginning a campaign: what somebody asks for, whether that makes sense, and what it would do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

from forewarn.domain.campaigns import ROLLED_OUT, Campaign, begin, walk_on
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, Invalid, Refused
from forewarn.domain.events import Actor, Event, EventType, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import check_notice
from forewarn.domain.scopes import Scope, Walk
from forewarn.domain.settings import Settings
from forewarn.portal.texts import Texts
from forewarn.wire.durations import parse_duration

TYPES = tuple(kind for kind in EventType if kind in ROLLED_OUT)
LISTED = 100
"""Sets to tick off; where there are more, they are named."""

FIRST = 5
"""Scopes whose first step is told."""

LONGEST_DESCRIPTION = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The form, as it was filled in."""

    type: str = EventType.REBOOT.value
    everywhere: bool = False
    names: tuple[str, ...] = ()
    """Of scopes and scale sets."""
    notice: str = ""
    pause: str = ""
    description: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A scale set, or a scope by itself."""

    name: str
    scopes: tuple[str, ...]
    machines: int
    is_taken: bool
    """A campaign is under way there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """What the form means: a campaign, or what is wrong with it, by field."""

    campaign: Campaign | None = None
    errors: Mapping[str, Refused | str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class First:
    """What happens first in one scope."""

    scope: str
    domain: int
    machines: tuple[str, ...]
    not_before: datetime
    is_started: bool
    """Nothing runs there, and its owner said that then nothing needs to wait."""
    is_enrolled: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    campaign: Campaign
    machines: int
    fewest: int
    most: int
    """Update domains of a scope."""
    notice: timedelta
    pause: timedelta
    latest: datetime
    """By then the last update domain's notice is over, if nobody approves earlier and impacts take no time."""
    firsts: tuple[First, ...]
    unheard: int
    """Scopes in which nobody asks for events."""


def choices(scopes: Iterable[Scope], machines: Iterable[Machine]) -> list[Choice]:
    sizes: dict[str, int] = {}
    for machine in machines:
        sizes[machine.scope] = sizes.get(machine.scope, 0) + 1
    sets: dict[str, list[Scope]] = {}
    for scope in scopes:
        sets.setdefault(scope.scale_set or scope.id, []).append(scope)
    return [
        Choice(
            name=name,
            scopes=tuple(sorted(scope.id for scope in here)),
            machines=sum(sizes.get(scope.id, 0) for scope in here),
            is_taken=any(scope.walk is not None for scope in here),
        )
        for name, here in sorted(sets.items())
    ]


def read(
    wanted: Wanted, known: Mapping[str, Scope], settings: Settings, texts: Texts, *, id: str, by: Actor, now: datetime
) -> Read:
    """`known`: the scopes there are."""
    errors: dict[str, Refused | str] = {}
    impact = next((kind for kind in TYPES if kind.value == wanted.type), None)
    if impact is None:
        errors["type"] = texts("begin.choose_type")
    scopes = _scopes(wanted, known, texts, errors)
    notice = _duration("notice", wanted.notice, texts, errors)
    pause = _duration("pause", wanted.pause, texts, errors)
    if len(wanted.description) > LONGEST_DESCRIPTION:
        errors["description"] = texts("begin.too_long", most=LONGEST_DESCRIPTION)
    if impact is not None:
        try:
            check_notice(impact, notice, settings)
        except Invalid as error:
            errors["notice"] = error
    if impact is None or errors:
        return Read(errors=errors)
    return Read(
        campaign=Campaign(
            id=id,
            impact=impact,
            scopes=tuple(scopes),
            requested_by=by,
            requested_at=now,
            notice=notice,
            pause=pause,
            description=wanted.description or None,
        )
    )


def preview(
    campaign: Campaign,
    scopes: Mapping[str, Scope],
    machines: Mapping[str, Sequence[Machine]],
    settings: Settings,
    now: datetime,
) -> Preview | Read:
    """The domain's own rules, played on a draft that nobody saves; or what they refuse, by field."""
    walks: dict[str, Walk] = {}
    firsts: list[First] = []
    try:
        for name in campaign.scopes:
            draft = Draft([scopes[name]], now)
            begin(draft, name, campaign, machines.get(name, ()), settings)
            begun = draft.scopes[name].walk
            assert begun is not None
            walks[name] = begun
            if len(firsts) < FIRST and begun.remaining:
                firsts.append(_first(draft, name, campaign, machines[name], settings))
    except Conflict as error:
        return Read(errors={"scopes": error})
    except Invalid as error:
        return Read(errors={"pause": error})
    return _told(campaign, walks, firsts, scopes, machines, now)


def _told(
    campaign: Campaign,
    walks: Mapping[str, Walk],
    firsts: Sequence[First],
    scopes: Mapping[str, Scope],
    machines: Mapping[str, Sequence[Machine]],
    now: datetime,
) -> Preview:
    domains = [len(walk.remaining) for walk in walks.values()]
    most = max(domains, default=0)
    notice = max((first.not_before - now for first in firsts), default=timedelta(0))
    pause = next(iter(walks.values())).pause
    return Preview(
        campaign=campaign,
        machines=sum(len(machines.get(name, ())) for name in walks),
        fewest=min(domains, default=0),
        most=most,
        notice=notice,
        pause=pause,
        latest=now + notice * most + pause * max(most - 1, 0),
        firsts=tuple(firsts),
        unheard=sum(not scopes[name].is_enrolled for name in walks),
    )


def _first(draft: Draft, name: str, campaign: Campaign, machines: Sequence[Machine], settings: Settings) -> First:
    numbers = count(1)
    walk_on(draft, name, campaign, machines, settings, lambda: f"preview-{next(numbers)}")
    scope = draft.scopes[name]
    events: list[Event] = [event for event in scope.events if event.campaign == campaign.id]
    assert scope.walk is not None
    assert scope.walk.current is not None
    return First(
        scope=name,
        domain=scope.walk.current,
        machines=tuple(name for event in events for name in event.resources),
        not_before=max(event.not_before for event in events),
        is_started=any(event.phase is Phase.STARTED for event in events),
        is_enrolled=scope.is_enrolled,
    )


def _scopes(wanted: Wanted, known: Mapping[str, Scope], texts: Texts, errors: dict[str, Refused | str]) -> list[str]:
    if wanted.everywhere:
        if not known:
            errors["scopes"] = texts("begin.empty_fleet")
        return sorted(known)
    found: dict[str, None] = {}
    sets: dict[str, list[str]] = {}
    for scope in known.values():
        sets.setdefault(scope.scale_set or scope.id, []).append(scope.id)
    for name in wanted.names:
        here = [name] if name in known else sorted(sets.get(name, ()))
        if not here:
            errors["scopes"] = texts("begin.no_such_scope", name=name[:100])
        found |= dict.fromkeys(here)
    if not wanted.names:
        errors["scopes"] = texts("begin.choose_scopes")
    return list(found)


def _duration(name: str, text: str, texts: Texts, errors: dict[str, Refused | str]) -> timedelta | None:
    """None if nothing was said, or nothing that makes sense."""
    if not text:
        return None
    try:
        return parse_duration(text)
    except ValueError:
        errors[name] = texts("begin.not_a_duration", text=text[:40])
        return None
