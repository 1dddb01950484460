"""A scenario as values: a fleet, what happens when, who polls, what goes wrong, and what is expected.

A TOML file says the same: each of these is a table, each field a key. Times are fleet time since the start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any

from forewarn.domain.events import EventType
from forewarn.domain.faults import FaultKind

SECOND = timedelta(seconds=1)
NOW = timedelta(0)


class Do(Enum):
    """What a step does."""

    SCHEDULE = "schedule"  # platform maintenance, announced
    HARDWARE_FAILURE = "hardware-failure"  # the event appears already started
    RESTART = "restart"
    REDEPLOY = "redeploy"
    DELETE = "delete"
    EVICT = "evict"  # of a Spot machine
    APPROVE = "approve"  # by an operator, not by a machine
    CANCEL = "cancel"
    START_CAMPAIGN = "start-campaign"
    PAUSE_CAMPAIGN = "pause-campaign"
    RESUME_CAMPAIGN = "resume-campaign"
    CANCEL_CAMPAIGN = "cancel-campaign"
    START = "start"  # the power of machines
    STOP = "stop"
    DEALLOCATE = "deallocate"
    ENROL = "enrol"  # somebody polls once, so that what the owner asks for is announced
    DRIVER_FAILURE = "driver-failure"  # what performs impacts fails the next times
    SETTINGS = "settings"  # the rules have other numbers from now on
    CLEAR_FAULTS = "clear-faults"
    WAIT = "wait"  # only time passes


KEYS: Mapping[Do, tuple[tuple[str, ...], tuple[str, ...]]] = {
    Do.SCHEDULE: (("type", "machines"), ("notice", "description", "duration", "as")),
    Do.HARDWARE_FAILURE: (("machines",), ("type", "description", "duration", "as")),
    Do.RESTART: (("machines",), ("as",)),
    Do.REDEPLOY: (("machines",), ("as",)),
    Do.DELETE: (("machines",), ("as",)),
    Do.EVICT: (("machines",), ("as",)),
    Do.APPROVE: (("event",), ()),
    Do.CANCEL: (("event",), ("why",)),
    Do.START_CAMPAIGN: (("type", "scopes"), ("notice", "pause", "description", "as")),
    Do.PAUSE_CAMPAIGN: (("campaign",), ()),
    Do.RESUME_CAMPAIGN: (("campaign",), ()),
    Do.CANCEL_CAMPAIGN: (("campaign",), ()),
    Do.START: (("machines",), ()),
    Do.STOP: (("machines",), ()),
    Do.DEALLOCATE: (("machines",), ()),
    Do.ENROL: (("machines",), ()),
    Do.DRIVER_FAILURE: (("machines",), ("times",)),
    Do.SETTINGS: (("settings",), ()),
    Do.CLEAR_FAULTS: ((), ()),
    Do.WAIT: ((), ()),
}
"""The keys that a step must have, and those that it may have. For `machines`, `machine` names just one."""

CAMPAIGN_STEPS = (Do.PAUSE_CAMPAIGN, Do.RESUME_CAMPAIGN, Do.CANCEL_CAMPAIGN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    at: timedelta
    do: Do
    machines: tuple[str, ...] = ()
    type: EventType = EventType.REBOOT
    notice: timedelta | None = None  # None: the least that the type allows
    description: str | None = None  # None: Azure's words
    duration: int | None = None
    scopes: tuple[str, ...] = ()
    pause: timedelta | None = None
    name: str = ""  # `as`: what it makes is called so from here on
    target: str = ""  # the event or campaign it is about, by that name
    why: str = ""
    times: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""  # FILE:LINE, for whoever has to find it


class Approves(Enum):
    """What a client approves, of the events that it sees scheduled."""

    OWN = "own"  # those that name its machine
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedClient:
    """Stands for the real client of a machine, so that a scenario can be played alone."""

    machine: str
    every: timedelta = SECOND
    begins: timedelta = NOW
    ends: timedelta | None = None  # it polls no more from then on
    prepares: timedelta = NOW  # from seeing an event to approving it
    approves: Approves = Approves.OWN
    version: str = "2020-07-01"
    where: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedFault:
    at: timedelta = NOW
    kind: FaultKind
    how: Mapping[str, Any] = field(default_factory=dict)  # the rest of what the API's faults have
    where: str = ""


class Subject(Enum):
    """What an expectation is about."""

    EVENT = "event"  # by the name that a step gave it; if it made several, each of them
    EVENT_OF = "event_of"  # a machine's newest event
    SCOPE = "scope"
    MACHINE = "machine"
    CLIENT = "client"  # a machine's
    OPERATION = "operation"  # by the name that a step gave it
    CAMPAIGN = "campaign"


class Start(Enum):
    """When an event started."""

    NOT = "not"  # it has not
    AT_ONCE = "at-once"  # it was never announced
    BEFORE_NOT_BEFORE = "before-not-before"  # it was approved
    AT_NOT_BEFORE = "at-not-before"  # or later


class Kind(Enum):
    """What kind of value a check compares."""

    TEXT = "a text"
    NAMES = "a list of names"
    DURATION = "a duration"
    NUMBER = "a whole number"
    YES_NO = "true or false"
    START = "one of " + ", ".join(f'"{start.value}"' for start in Start)
    MOMENT = "a time since the start"


_EVENT = {
    "type": Kind.TEXT,
    "source": Kind.TEXT,
    "status": Kind.TEXT,
    "description": Kind.TEXT,
    "duration": Kind.NUMBER,
    "resources": Kind.NAMES,
    "notice": Kind.DURATION,
    "left": Kind.DURATION,
    "started": Kind.START,
    "gone": Kind.YES_NO,
    "approved_by": Kind.NAMES,
    "shown_to": Kind.NAMES,
    "hidden_from": Kind.NAMES,
    "seen_by": Kind.NAMES,
}
CHECKS: Mapping[Subject, Mapping[str, Kind]] = {
    Subject.EVENT: _EVENT,
    Subject.EVENT_OF: {**_EVENT, "exists": Kind.YES_NO},
    Subject.SCOPE: {
        "enrolled": Kind.YES_NO,
        "incarnation": Kind.NUMBER,
        "moved_since": Kind.MOMENT,
        "same_since": Kind.MOMENT,
        "events": Kind.NUMBER,
    },
    Subject.MACHINE: {"exists": Kind.YES_NO, "power": Kind.TEXT, "events": Kind.NUMBER},
    Subject.CLIENT: {"polled": Kind.YES_NO, "answered": Kind.YES_NO, "approvals": Kind.NUMBER},
    Subject.OPERATION: {"announced": Kind.YES_NO, "state": Kind.TEXT},
    Subject.CAMPAIGN: {"state": Kind.TEXT, "under_way": Kind.YES_NO, "update_domain": Kind.NUMBER},
}
"""What can be expected of each."""


class When(Enum):
    AT = "at"  # at this moment
    BY = "by"  # at some moment, this one at the latest
    WITHIN = "within"  # at some moment, so long after the event appeared at the latest
    THROUGHOUT = "from"  # at every moment from here on, up to `to`
    END = "end"  # when all is over


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    subject: Subject
    name: str  # of what it is about
    wants: Mapping[str, Any]  # by check
    when: When = When.END
    moment: timedelta = NOW  # the last one, for THROUGHOUT
    begins: timedelta = NOW  # of THROUGHOUT
    title: str  # for people
    where: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    name: str
    about: str = ""
    seed: int = 0  # the same seed, the same ids and the same chance
    speed: float = 60.0  # of the fleet's time, where real clients or people look on
    lasts: timedelta = NOW  # at least; it also goes on to the last moment that is named, and while events are live
    fleet: Mapping[str, Any] | None = None  # the tables of a fleet file; None: the one that the server has
    steps: tuple[Step, ...] = ()
    clients: tuple[ScriptedClient, ...] = ()
    faults: tuple[ScriptedFault, ...] = ()
    expectations: tuple[Expectation, ...] = ()

    @property
    def end(self) -> timedelta:
        """The last moment that is named."""
        steps = [step.at for step in self.steps]
        faults = [fault.at for fault in self.faults]
        looks = [expected.moment for expected in self.expectations if expected.when is not When.WITHIN]
        return max([self.lasts, *steps, *faults, *looks])
