"""Checks of what goes wrong on the way, one for each kind of fault."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from forewarn.testing.doctor.checks import Check, Part
from forewarn.testing.doctor.findings import NotTried, Wrong
from forewarn.testing.doctor.trial import Trial
from forewarn.testing.handles import Event

LEFT = timedelta(seconds=15)
"""Of the notice, when an event is told too late."""

HOW = (
    "It meets the fault twice, with an event of another machine in the document. When all is well again, an event of "
    "its own is announced, and it must deal with that as it usually does; it must not have ended, nor approved "
    "anything else."
)
TELLS = "An event of its own is announced while the fault lasts, and may be missed. "
DEALS = "An event of its own is announced while the fault lasts, and must be dealt with. "


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoilt:
    """A fault, and what is to be seen of events while it lasts."""

    kind: str
    how: Mapping[str, object] = field(default_factory=dict)
    tells: bool = False
    """The client is still told of events, if wrongly: one of its own is announced meanwhile."""
    deals: bool = False
    """And it has to deal with that one."""
    met: int = 2
    """Requests that are spoilt before all is well again."""
    before: Callable[[Trial], None] = lambda trial: None
    meanwhile: Callable[[Trial, Event | None], None] = lambda trial, mine: None

    def play(self, trial: Trial) -> None:
        self.before(trial)
        other = trial.announce(trial.other)
        trial.looks(1)
        last = trial.log.last
        trial.fault(self.kind, asked="poll", **self.how)
        mine = trial.announce(trial.me) if self.tells or self.deals else None
        self._meets(trial, last)
        self.meanwhile(trial, mine)
        if mine is not None and self.deals:
            trial.expects_dealing(mine)
        trial.clear_faults()
        trial.finish(other)
        self._recovers(trial, mine)

    def _meets(self, trial: Trial, last: int) -> None:
        def spoilt() -> int:
            return sum(self.kind in request.faults for request in trial.log.since(last))

        if trial.wait(lambda: spoilt() >= self.met or trial.has_ended_prepared, trial.patience):
            return
        trial.lives()
        if not spoilt():
            raise NotTried("It asked for nothing while the fault was there.")
        raise Wrong(f"It did not ask again for {trial.patience:g} s.")

    def _recovers(self, trial: Trial, mine: Event | None) -> None:
        events = [mine] if mine is not None else []
        if mine is not None and trial.alive:
            trial.finish(mine)
            trial.looks(1)
            trial.is_unprepared()
        if not trial.has_ended_prepared:
            trial.lives()
            events.append(trial.deals_with_the_next())
        trial.approved_only(*events)


def _asks_again(trial: Trial, mine: Event | None) -> None:
    """It has not waited for ever."""
    trial.looks(1)


def _many_incarnations(trial: Trial) -> None:
    """So that a count that begins anew is below the one it knows."""
    for _ in range(3):
        trial.finish(trial.announce(trial.other))
    trial.looks()


def _starts(trial: Trial, mine: Event | None) -> None:
    assert mine is not None
    mine.approve()
    trial.note(f"event {mine.id} has started")
    trial.looks()


def _is_nearly_over(trial: Trial, mine: Event | None) -> None:
    assert mine is not None
    trial.kit.advance(max(mine.not_before - trial.kit.now - LEFT, timedelta(0)), attended=False)
    trial.note(f"{LEFT.seconds} s of its notice are left, and it is told of it")
    trial.looks()


def _check(id: str, title: str, why: str, spoilt: Spoilt, *, slow: bool = False) -> Check:
    told = DEALS if spoilt.deals else TELLS if spoilt.tells else ""
    return Check(id=id, part=Part.FAULTS, title=title, why=why, how=told + HOW, play=spoilt.play, slow=slow)


def _status(status: int, why: str) -> Check:
    spoilt = Spoilt(kind="status", how={"status": status})
    return _check(f"status-{status}", f"survives being answered {status}", why, spoilt)


CHECKS = (
    _status(400, "A host may lag behind with a version of the API, and answers 400 until it is updated."),
    _status(404, "A host that is just starting answers 404, and so do old hosts to new versions."),
    _status(410, "The host's metadata service is being updated, every month or so: 410, for up to 70 seconds."),
    _status(429, "Some other program of the machine asks too often, and this one is refused, too."),
    _status(500, "Azure's documentation says: retry."),
    _status(503, "Whatever stands before the service says so when that is away."),
    _check(
        "delay",
        "survives slow answers",
        "A busy host takes seconds, and while an event begins even a minute was seen.",
        Spoilt(kind="delay", how={"by": "1s", "requests": 2}, tells=True, met=1, meanwhile=_asks_again),
    ),
    _check(
        "hang",
        "does not wait for an answer for ever",
        "A host that is moved away does not close its connections. A client without a time limit then stands still "
        "until somebody restarts it. The two minutes that the first answer may take are too long for the others: a "
        "Spot machine is gone by then.",
        Spoilt(kind="hang", how={"requests": 1}, met=1, meanwhile=_asks_again),
        slow=True,
    ),
    _check("reset", "survives a broken connection", "The host's service is restarted.", Spoilt(kind="reset")),
    _check(
        "truncated",
        "survives half an answer",
        "The connection ends in the middle of the document: what was read of it is no document.",
        Spoilt(kind="truncated"),
    ),
    _check(
        "empty",
        "survives an empty answer",
        "Some hosts answer 200 with nothing when nothing is scheduled. It is no JSON, and no reason to believe that "
        "what was scheduled is over.",
        Spoilt(kind="empty"),
    ),
    _check(
        "not-json",
        "survives an answer that is no JSON",
        "A proxy, or another cloud at the same address, answers with a page of its own.",
        Spoilt(kind="not-json"),
    ),
    _check(
        "content-type",
        "survives another Content-Type",
        "The document is what counts; an unusual name for it is no reason to end.",
        Spoilt(kind="content-type", tells=True),
    ),
    _check(
        "stale",
        "survives a document of some time ago",
        "After a host's service was restored from a copy, what is told lags behind.",
        Spoilt(kind="stale", how={"by": "5m"}, tells=True, before=lambda trial: trial.pass_time("10m")),
    ),
    _check(
        "repeated",
        "survives an incarnation that does not move",
        "The same DocumentIncarnation should mean the same events. Where that fails once, the next change must still "
        "be seen.",
        Spoilt(kind="repeated", tells=True),
    ),
    _check(
        "reordered",
        "survives answers in the wrong order",
        "Two hosts of one set may be a document apart, so an event comes and goes and comes again.",
        Spoilt(kind="reordered", tells=True, met=4),
    ),
    _check(
        "restarted",
        "believes an incarnation that has begun anew",
        "After a day without a question the service is switched off; when it is on again it counts from the beginning. "
        "Who only believes higher numbers misses every event from then on.",
        Spoilt(kind="restarted", deals=True, before=_many_incarnations),
    ),
    _check(
        "skewed-not-before",
        "survives a NotBefore that has passed",
        "An event nobody approves may start a minute or two after its NotBefore, and clocks differ.",
        Spoilt(kind="skewed-not-before", how={"by": "-1h"}, tells=True),
    ),
    _check(
        "skewed-date",
        "survives a Date that is an hour off",
        "Who counts the time that is left by the server's clock may be told a wrong one.",
        Spoilt(kind="skewed-date", how={"by": "1h"}, tells=True),
    ),
    _check(
        "no-date",
        "does without a Date",
        "An answer need not have one, and an event tells its own time.",
        Spoilt(kind="no-date", deals=True),
    ),
    _check(
        "no-notice",
        "survives an event without notice",
        "Azure calls its notice best effort: of some events one hears when they have started.",
        Spoilt(kind="no-notice", tells=True, meanwhile=_starts),
    ),
    _check(
        "short-notice",
        "survives an event with hardly any notice",
        "Of a quarter of an hour, five minutes were left in a real case; of a Spot machine's 30 seconds, ten.",
        Spoilt(kind="short-notice", how={"by": "20s"}, tells=True, meanwhile=_is_nearly_over),
    ),
)
