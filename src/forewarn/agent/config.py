"""What the agent is told to do: its settings, its steps, and the rules that choose among them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from pathlib import Path

from forewarn.client.documents import EventType

SECOND = timedelta(seconds=1)
NOTIFY = "notify"
"""The built-in that tells somebody of an event."""
URGENT = 5 * SECOND
"""What a step may take on the short path, if it does not say."""


class OnFailure(Enum):
    """What a step that could not prepare means for the rest of its chain."""

    STOP = "stop"  # the steps after it do not run, and the event is not approved
    GO_ON = "go-on"  # the chain goes on, as if it had worked


class Approval(Enum):
    """Who approves an event once this machine is prepared for it."""

    OWN = "own"  # this machine, and only where the event is about it alone
    LEADER = "leader"  # the first of the event's machines; the next in line if it stays silent
    ALL_READY = "all-ready"  # any of them, once all of them have said that they are ready
    NEVER = "never"  # nobody: the event starts when its notice is over
    ASK = "ask"  # a person, with `forewarn agent approve`


@dataclass(frozen=True, kw_only=True, slots=True)
class StepSpec:
    """A step as it is configured. It goes into the journal whole, so that what was prepared can always be restored."""

    name: str
    use: str
    """Which built-in it is; STEPS in `forewarn.agent.steps` has them."""
    limit: timedelta = timedelta(minutes=1)
    """How long prepare may take."""
    restore_limit: timedelta | None = None
    """How long restore may take; as prepare, if it does not say."""
    least: timedelta = SECOND
    """What it needs at the very least: its limit is not cut below this, rather it does not run at all."""
    urgent: timedelta | None = None
    """How long it may take when there is hardly any notice; 0s leaves it out of the short path."""
    on_failure: OnFailure = OnFailure.STOP
    options: Mapping[str, object] = field(default_factory=dict)
    """What is left of its table: the built-in's own options."""

    def __post_init__(self) -> None:
        if self.least > self.limit:
            raise ValueError("'least' is longer than 'limit'")

    def does_as(self, other: "StepSpec") -> bool:
        """Whether it is the same step, whatever time each gives it."""
        return (self.name, self.use, self.options) == (other.name, other.use, other.options)

    @property
    def on_short_path(self) -> timedelta:
        return min(URGENT, self.limit) if self.urgent is None else self.urgent


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """The first rule that fits an event says what is done about it. What a rule does not mention fits everything."""

    name: str = ""
    types: tuple[EventType, ...] = ()
    source: str = ""
    """`Platform` or `User`."""
    resources: tuple[str, ...] = ()
    """Patterns such as `web_*`: one of the event's machines must fit one of them."""
    shorter_than: timedelta | None = None
    """Only if the interruption is known and shorter."""
    longer_than: timedelta | None = None
    """Only if the interruption is unknown or longer."""
    notice_under: timedelta | None = None
    """Only if less notice than this is left when the event is first seen."""
    notice_over: timedelta | None = None
    ignore: bool = False
    """Do nothing about it, and do not approve it."""
    steps: tuple[str, ...] = ()
    """In the order in which they prepare; they restore in reverse."""
    approve: Approval | None = None
    """As in [agent], if it does not say."""
    approve_after_failure: bool = False

    def __post_init__(self) -> None:
        if self.ignore and (self.steps or self.approve is not None):
            raise ValueError("'ignore' leaves nothing for 'steps' or 'approve' to do")
        if self.source and self.source not in ("Platform", "User"):
            raise ValueError("'source' is Platform or User")


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The table [agent]. Each can also be set by FOREWARN_AGENT_NAME, or by a flag; a flag wins over all."""

    endpoint: str = ""
    """Where the metadata service is; found out, if it does not say."""
    name: str = ""
    """This machine as events name it; found out, if it does not say."""
    state: Path = Path("/var/lib/forewarn-agent")
    """The journal and all else that must outlive the agent."""
    listen: str = "127.0.0.1:9255"
    """Where /metrics, /healthz, /drained and /ready are served; "" for nowhere."""
    approve: Approval = Approval.OWN
    takeover: timedelta = timedelta(seconds=30)
    """How long each machine in line gives the one before it to approve."""
    margin: timedelta = 5 * SECOND
    """What is kept free before an event starts, for the approval itself."""
    short_path: timedelta = timedelta(seconds=45)
    """With less notice than this, steps get their urgent limits."""
    poll: timedelta = SECOND
    """How often to ask where the server cannot hold a request back."""
    peers: str = ""
    """For all-ready where the server keeps no readiness: http://{name}:9255/ready/{event}, or a shared directory."""
    log: str = "text"
    """`text` or `json`."""
    dry_run: bool = False
    """Say what would be done; do nothing and approve nothing."""
    record: Path | None = None
    """A directory for the documents as they were seen."""

    def __post_init__(self) -> None:
        if self.log not in ("text", "json"):
            raise ValueError("'log' is text or json")
        if self.poll < SECOND:
            raise ValueError("'poll' is at least 1s: the metadata service refuses who asks too often")


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    settings: Settings = field(default_factory=Settings)
    steps: Mapping[str, StepSpec] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()

    def chain(self, rule: Rule) -> tuple[StepSpec, ...]:
        """What is done, in this order."""
        return tuple(spec for spec in self._specs(rule) if spec.use != NOTIFY)

    def tellers(self, rule: Rule) -> tuple[StepSpec, ...]:
        """Who is told: that takes no time of the chain's, wherever it stands in the rule."""
        return tuple(spec for spec in self._specs(rule) if spec.use == NOTIFY)

    def _specs(self, rule: Rule) -> list[StepSpec]:
        return [self.steps[name] for name in rule.steps]

    def approval(self, rule: Rule) -> Approval:
        return rule.approve or self.settings.approve
