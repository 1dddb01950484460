"""What the agent did about an event: the values that the journal keeps, and the one table by which they change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from forewarn.agent.config import Approval, StepSpec
from forewarn.agent.turns import Fact
from forewarn.client.documents import Event


class Stage(Enum):
    """How far this machine is with an event."""

    PREPARING = "preparing"  # the steps are running
    READY = "ready"  # all is prepared; it may be approved
    BLOCKED = "blocked"  # a step failed, or there was no time: it is not approved
    RESTORING = "restoring"  # the event is over or cancelled, and the steps are being undone
    OVER = "over"


class Happened(Enum):
    """The facts that move an event from one stage to the next."""

    PREPARED = "prepared"
    FAILED = "failed"
    STARTED = "started"  # the platform has begun
    GONE = "gone"  # it is no longer in the document: over, or cancelled
    RESTORED = "restored"


STAGES: dict[Stage, dict[Happened, Stage]] = {
    Stage.PREPARING: {
        Happened.PREPARED: Stage.READY,
        Happened.FAILED: Stage.BLOCKED,
        Happened.STARTED: Stage.BLOCKED,
        Happened.GONE: Stage.RESTORING,
    },
    Stage.READY: {Happened.STARTED: Stage.READY, Happened.GONE: Stage.RESTORING},
    Stage.BLOCKED: {
        Happened.PREPARED: Stage.BLOCKED,
        Happened.FAILED: Stage.BLOCKED,
        Happened.STARTED: Stage.BLOCKED,
        Happened.GONE: Stage.RESTORING,
    },
    Stage.RESTORING: {
        Happened.PREPARED: Stage.RESTORING,
        Happened.FAILED: Stage.RESTORING,
        Happened.GONE: Stage.RESTORING,
        Happened.RESTORED: Stage.OVER,
    },
    Stage.OVER: {},
}


class Progress(Enum):
    """How far one step of an event is."""

    WAITING = "waiting"
    PREPARING = "preparing"  # begun; after a crash it is begun again
    PREPARED = "prepared"
    FAILED = "failed"  # it may have half happened, so it is restored too
    SKIPPED = "skipped"  # there was no time for it: nothing to restore
    RESTORING = "restoring"
    RESTORED = "restored"
    UNRESTORED = "unrestored"  # restoring failed, and a person must look
    HANDED_ON = "handed-on"  # another event needs it prepared, and will restore it


TOUCHED = frozenset({Progress.PREPARING, Progress.PREPARED, Progress.FAILED, Progress.RESTORING})
"""What has to be restored."""
HELD = frozenset({Progress.PREPARING, Progress.PREPARED, Progress.FAILED})
"""What keeps another event from restoring the same step, until this one is over too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRecord:
    position: int
    spec: StepSpec
    progress: Progress = Progress.WAITING
    attempts: int = 0
    kept: Mapping[str, Fact] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    event: Event
    """As it was last seen."""
    me: str
    """This machine, as the event names it."""
    rule: str
    approval: Approval
    approve_after_failure: bool = False
    urgent: bool = False
    """It goes by the short path."""
    stage: Stage = Stage.PREPARING
    approved: bool = False
    started: bool = False
    asked: bool | None = None
    """A person's answer, where a person is asked."""
    seen_at: datetime
    ready_at: datetime | None = None
    note: str = ""
    steps: tuple[StepRecord, ...] = ()
    tellers: tuple[StepSpec, ...] = ()
    """The steps that only tell somebody of it."""

    @property
    def key(self) -> str:
        return self.event.key

    @property
    def is_live(self) -> bool:
        return self.stage is not Stage.OVER

    def held(self, spec: StepSpec) -> StepRecord | None:
        """Its record of that very step, if it has begun to prepare it and not begun to restore it."""
        return next((step for step in self.steps if step.spec.does_as(spec) and step.progress in HELD), None)

    def needs(self, spec: StepSpec) -> bool:
        """Whether the step must stay prepared for it."""
        return self.stage not in (Stage.RESTORING, Stage.OVER) and self.held(spec) is not None


def moved(stage: Stage, fact: Happened) -> Stage:
    """Where a fact leads; a fact that comes too late leads nowhere."""
    return STAGES[stage].get(fact, stage)
