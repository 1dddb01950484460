"""What happened, in order: the only thing the laws look at."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias, TypeVar, cast

from forewarn.domain.draft import Change
from forewarn.domain.events import Action, Document, Event, Operation
from forewarn.domain.fleet import Fleet
from forewarn.domain.history import Entry
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import Scope


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """A fleet, before it is taken over."""

    fleet: Fleet

    def __str__(self) -> str:
        return f"declared {len(self.fleet.machines)} machines in {len(self.fleet.scopes)} scopes"


@dataclass(frozen=True, kw_only=True, slots=True)
class Committed:
    """What one work changed for good, whether or not anybody was told."""

    change: Change
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        told = "; ".join(f"{e.what.value} {e.subject[:8]} by {e.who} {e.detail}".rstrip() for e in self.entries)
        scopes = ", ".join(f"{r.after.id}@{r.after.epoch}.{r.after.incarnation}" for r in self.change.revisions)
        return f"  committed {scopes} [{told}]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    process: int
    documents: tuple[Document, ...]

    def __str__(self) -> str:
        shown = (f"{d.scope}@{d.epoch}.{d.incarnation} ({len(d.announcements)} live)" for d in self.documents)
        return f"  published {', '.join(shown)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Somebody asked for something and was answered, or heard no more of it."""

    what: str
    answer: str
    unforeseen: bool = False  # an error that is none of ours

    def __str__(self) -> str:
        return f"{self.what}: {self.answer}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Approved:
    """What a machine's approval was answered with: the ids that nobody knows."""

    scope: str
    ids: tuple[str, ...]
    unknown: tuple[str, ...]

    def __str__(self) -> str:
        return f"  unknown to {self.scope}: {len(self.unknown)} of {len(self.ids)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """These operations were promised to somebody."""

    key: str | None
    operations: tuple[str, ...]

    def __str__(self) -> str:
        return f"  accepted {', '.join(o[:8] for o in self.operations)} under {self.key}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Impact:
    """It truly happened to the machine."""

    action: Action

    def __str__(self) -> str:
        action = self.action
        return f"  IMPACT {action.impact.value} on {action.machine} for {action.operation[:8]}, fence {action.fence}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Happened:
    """An accident, or the end of one."""

    what: str

    def __str__(self) -> str:
        return f"*** {self.what}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """Nothing disturbed the ticker since fleet time was `since`, and it had time enough."""

    since: datetime

    def __str__(self) -> str:
        return f"  undisturbed since {self.since:%y-%m-%d %H:%M:%S.%f}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """What is left once the accidents have stopped and time has been played on."""

    history: tuple[Entry, ...]
    operations: tuple[Operation, ...]  # all there ever were
    events: tuple[Event, ...]
    scopes: tuple[Scope, ...]
    resources: tuple[Resource, ...]
    next_action: datetime | None

    def __str__(self) -> str:
        return f"ended with {len(self.events)} events and {len(self.history)} entries"


Record: TypeAlias = Declared | Committed | Published | Asked | Approved | Accepted | Impact | Happened | Looked | Ended
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Line:
    step: int
    at: datetime  # fleet time
    record: Record

    def __str__(self) -> str:
        return f"{self.step:5} {self.at:%y-%m-%d %H:%M:%S.%f} {self.record}"


@dataclass(kw_only=True)
class Trace:
    seed: int
    lines: list[Line] = field(default_factory=list)
    _by_kind: dict[type[object], list[Line]] = field(default_factory=lambda: defaultdict(list))

    def add(self, line: Line) -> None:
        self.lines.append(line)
        self._by_kind[type(line.record)].append(line)

    def of(self, kind: type[R]) -> Iterator[tuple[Line, R]]:
        for line in self._by_kind[kind]:
            yield line, cast(R, line.record)

    def tail(self, step: int, count: int = 40) -> str:
        """The lines up to the end of a step."""
        return "\n".join(str(line) for line in [line for line in self.lines if line.step <= step][-count:])

    def digest(self) -> str:
        """The same for two runs only if every record of them is the same, to the last field."""
        words = hashlib.sha256()
        for line in self.lines:
            words.update(repr(line).encode())
        return words.hexdigest()
