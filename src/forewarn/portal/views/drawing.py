"""From moments to places: bars and marks in a window of time.

Places are percents of the window, for SVG: the drawing stretches with the page, its texts and marks do not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import pairwise
from operator import itemgetter

from forewarn.domain.events import Event, Phase
from forewarn.portal.views.rolling import Rolling, Step, StepState

NARROWEST = 2.0
"""Percent that a bar takes at least: its marks have a size, however short it is."""

SLIVER = 0.6
"""Percent that what is under way takes at least, so that it is seen from its first moment on. timeline.js knows it."""

LABELLED = 9.0
"""Percent from which on a bar has room for a word. Likewise below, for an update domain's number."""

NUMBERED = 4.5

MOST_MARKS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    begin: datetime
    end: datetime
    now: datetime

    def x(self, moment: datetime) -> float:
        share = (moment - self.begin) / (self.end - self.begin) * 100
        return round(min(max(share, 0.0), 100.0), 2)

    def shows(self, moment: datetime) -> bool:
        return self.begin <= moment <= self.end


class Ink(Enum):
    """What a stretch of time was, or is."""

    NOTICE = "notice"  # it runs now
    GIVEN = "given"  # notice that is over
    STARTED = "started"
    DONE = "done"
    CANCELED = "canceled"
    FAILED = "failed"
    PAUSE = "pause"  # of a campaign, between two update domains


class Sign(Enum):
    """What happened at a moment, or will."""

    APPROVED = "approved"
    NOT_BEFORE = "not-before"
    DONE = "done"
    CANCELED = "canceled"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    ink: Ink
    x: float
    width: float
    is_open: bool = False
    """It grows with time."""
    domain: int | None = None
    """The update domain, in a campaign's lane."""

    @property
    def is_wide(self) -> bool:
        return self.width >= NUMBERED


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    sign: Sign
    x: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    event: Event
    x: float
    width: float
    row: int
    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...]

    @property
    def is_wide(self) -> bool:
        return self.width >= LABELLED


ENDS = {
    Phase.COMPLETED: (Ink.DONE, Sign.DONE),
    Phase.CANCELED: (Ink.CANCELED, Sign.CANCELED),
    Phase.FAILED: (Ink.FAILED, Sign.FAILED),
}
STEPS = {
    StepState.NOTICE: Ink.NOTICE,
    StepState.STARTED: Ink.STARTED,
    StepState.DONE: Ink.DONE,
    StepState.FAILED: Ink.FAILED,
    StepState.CANCELED: Ink.CANCELED,
}


def last_moment(event: Event, now: datetime) -> datetime:
    """Up to when it is drawn."""
    if event.phase is Phase.SCHEDULED:
        return max(event.not_before, now)
    return event.ended_at or now


def in_sight(event: Event, window: Window) -> bool:
    return event.scheduled_at <= window.end and last_moment(event, window.now) >= window.begin


def draw_bars(events: Iterable[Event], window: Window) -> tuple[Bar, ...]:
    """From left to right; what overlaps goes into the first row that is free."""
    free: list[float] = []  # per row, up to where it is taken
    bars = []
    for event in sorted(events, key=lambda each: (each.scheduled_at, each.id)):
        x = window.x(event.scheduled_at)
        end = window.x(last_moment(event, window.now))
        row = next((row for row, taken in enumerate(free) if taken <= x), len(free))
        free[row : row + 1] = [max(end, x + NARROWEST)]
        pieces, marks = tuple(_pieces(event, window)), tuple(_marks(event, window))
        bars.append(Bar(event=event, x=x, width=max(_width(x, end), NARROWEST), row=row, pieces=pieces, marks=marks))
    return tuple(bars)


def draw_steps(rolling: Rolling, window: Window) -> tuple[Piece, ...]:
    """A campaign's update domains in one scope, and the pauses between them."""
    begun = sorted(((at, step) for step in rolling.steps if (at := step.begun_at) is not None), key=itemgetter(0))
    stretches: list[tuple[Ink, datetime, datetime | None, int | None]] = [
        (STEPS[step.state], at, _end(step, window.now), step.domain) for at, step in begun if step.state in STEPS
    ]
    stretches += [(Ink.PAUSE, one.ended_at, at, None) for (_, one), (at, _) in pairwise(begun) if one.ended_at]
    last = begun[-1][1].ended_at if begun else None
    if last is not None:
        stretches.append((Ink.PAUSE, last, rolling.due, None))
    return tuple(
        _piece(ink, window, begin, end, domain=domain)
        for ink, begin, end, domain in stretches
        if end is not None and begin <= end and end >= window.begin and begin <= window.end
    )


def _end(step: Step, now: datetime) -> datetime | None:
    is_live = step.state in (StepState.NOTICE, StepState.STARTED)
    return max(step.not_before or now, now) if is_live else step.ended_at


def _pieces(event: Event, window: Window) -> Iterable[Piece]:
    now = window.now
    if event.phase is Phase.SCHEDULED:
        yield _piece(Ink.NOTICE, window, event.scheduled_at, max(event.not_before, now))
        return
    end = event.ended_at or now
    start = event.started_at
    notice = Ink.CANCELED if event.phase is Phase.CANCELED else Ink.GIVEN
    if start is None or start > event.scheduled_at:
        yield _piece(notice, window, event.scheduled_at, start or end)
    if start is not None:
        ink = Ink.STARTED if event.phase is Phase.STARTED else ENDS[event.phase][0]
        yield _piece(ink, window, start, end, is_open=event.phase is Phase.STARTED)


def _marks(event: Event, window: Window) -> Iterable[Mark]:
    moments = [(Sign.APPROVED, approval.at) for approval in event.approvals[-MOST_MARKS:]]
    if event.phase is Phase.SCHEDULED:
        moments.append((Sign.NOT_BEFORE, event.not_before))
    if event.ended_at is not None:
        moments.append((ENDS[event.phase][1], event.ended_at))
    return [Mark(sign=sign, x=window.x(at)) for sign, at in moments if window.shows(at)]


def _piece(
    ink: Ink, window: Window, begin: datetime, end: datetime, *, is_open: bool = False, domain: int | None = None
) -> Piece:
    x = window.x(begin)
    width = max(_width(x, window.x(end)), SLIVER if is_open else 0.0)
    return Piece(ink=ink, x=x, width=width, is_open=is_open, domain=domain)


def _width(x: float, end: float) -> float:
    return round(max(end - x, 0.0), 2)


def rows_of(bars: Sequence[Bar]) -> int:
    return max((bar.row for bar in bars), default=0) + 1
