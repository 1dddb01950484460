"""The sender: it takes from the journal what is due, and tries until it is taken or given up.

One thread looks for what is due and gives each try a thread of its own, so that a receiver that hangs delays nobody
else. The notices of one event by one step go out one after the other, in the order in which they were told.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from forewarn.agent.errors import BadConfig
from forewarn.agent.journal import Journal, Notice
from forewarn.agent.sending import Message, TryLater, Undelivered, Wire, deliver
from forewarn.agent.steps import build
from forewarn.agent.steps.notify import Notify

DAY = 86400.0
"""After so long nobody is told any more."""
LONGEST = 300.0
"""Seconds between two tries at most."""
MOST = 8
"""Tries at the same time."""
GRACE = 3.0
"""Seconds that what is due still gets when the agent stops: on a machine that is deleted there is no later."""
REST = 60.0
"""Seconds of silence when the journal fails: what cannot be crossed out would be sent again and again."""

Lane = tuple[str, str]
"""Event and step: what must stay in order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Try:
    notice: Notice
    wire: Wire
    end: float


class Sender:
    def __init__(
        self,
        journal: Journal,
        message_of: Callable[[Notice, float], Message],
        *,
        wall: Callable[[], float],
        log: logging.Logger,
        rng: random.Random,
    ) -> None:
        self._journal = journal
        self._message_of = message_of
        self._wall = wall
        self._log = log
        self._rng = rng
        self._changed = threading.Condition()
        self._tries: dict[Lane, Try] = {}
        self._thread: threading.Thread | None = None
        self._last: float | None = None
        """When stopping must be done with; None while nobody stops it."""
        self._rest = 0.0

    def start(self) -> None:
        self._last = None
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._thread is None:
            return
        with self._changed:
            self._last = time.monotonic() + GRACE
            self._changed.notify_all()
        self._thread.join()
        self._thread = None

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _run(self) -> None:
        with self._changed:
            while True:
                pause: float | None = REST
                with self._careful():
                    pause = self._look()
                if self._last is not None:
                    left = self._last - time.monotonic()
                    if left <= 0 or (not self._tries and pause != 0):
                        break
                    pause = left if pause is None else min(pause, left)
                self._changed.wait(pause)
            for one in self._tries.values():
                one.wire.cut()
            self._tries.clear()  # whatever they still say, nobody listens

    def _look(self) -> float | None:
        """Ends what takes too long and begins what is due. Says how long nothing else will be; None for ever."""
        tick = time.monotonic()
        if tick < self._rest:
            return self._rest - tick
        for one in [one for one in self._tries.values() if one.end <= tick]:
            one.wire.cut()
            self._settle(one.notice, TryLater(f"no answer within {one.wire.limit:g} s"))
        pauses = [one.end - tick for one in self._tries.values()]
        for notice in heads(self._journal.notices()):
            ahead = notice.due - self._wall()
            if lane_of(notice) in self._tries:
                continue
            if 0 < ahead <= LONGEST:  # more than that: the clock was set back
                pauses.append(ahead)
            elif len(self._tries) < MOST:
                pauses.append(self._begin(notice))
        return min(pauses, default=None)

    def _begin(self, notice: Notice) -> float:
        """How long it will be until there is something to do about its lane."""
        step = self._step(notice)
        if step is None or self._wall() - float(notice.facts["at"]) > DAY:
            self._drop(notice, "its step is not known any more" if step is None else "it is more than a day old")
            return 0.0
        limit = step.timeout.total_seconds()
        one = Try(notice=notice, wire=Wire(limit), end=time.monotonic() + limit)
        threading.Thread(target=self._try, args=(one, step), name=f"notice {notice.id}", daemon=True).start()
        self._tries[lane_of(notice)] = one
        return limit

    def _try(self, one: Try, step: Notify) -> None:
        outcome: str | Undelivered
        try:
            outcome = deliver(step, self._message_of(one.notice, self._wall()), one.wire)
        except Undelivered as undelivered:
            outcome = undelivered
        except Exception as error:  # its text may hold a secret
            outcome = TryLater(f"{type(error).__name__} while sending")
        with self._changed, self._careful():
            if self._tries.get(lane_of(one.notice)) is one:
                self._settle(one.notice, outcome)
            self._changed.notify_all()

    def _settle(self, notice: Notice, outcome: str | Undelivered) -> None:
        del self._tries[lane_of(notice)]
        match outcome:
            case str():
                self._journal.drop_notice(notice)
                self._say(logging.INFO, notice, outcome)
            case TryLater():
                wait = min(max(backoff(notice.attempts, self._rng), outcome.after), LONGEST)
                self._journal.postpone_notice(notice, self._wall() + wait)
                level = logging.INFO if notice.attempts else logging.WARNING
                self._say(level, notice, f"not delivered: {outcome}; try {notice.attempts + 2} in {wait:.0f} s")
            case Undelivered():
                self._drop(notice, str(outcome))

    def _drop(self, notice: Notice, why: str) -> None:
        self._journal.drop_notice(notice)
        self._say(logging.ERROR, notice, f"dropped: {why}")

    def _say(self, level: int, notice: Notice, what: str) -> None:
        self._log.log(level, "%s: the notice that %s is %s: %s", notice.step, notice.event, notice.moment, what)

    def _step(self, notice: Notice) -> Notify | None:
        record = self._journal.record(notice.event)
        specs = [spec for spec in record.tellers if spec.name == notice.step] if record else []
        try:
            step = build(specs[0]) if specs else None
        except BadConfig:
            return None
        return step if isinstance(step, Notify) else None

    @contextmanager
    def _careful(self) -> Iterator[None]:
        """Keeps still for a while if the journal fails, rather than stop for ever or send without end."""
        try:
            yield
        except Exception as error:
            self._rest = time.monotonic() + REST
            self._log.error("No notices for %.0f s: %s", REST, error)


def lane_of(notice: Notice) -> Lane:
    return notice.event, notice.step


def heads(notices: Iterable[Notice]) -> list[Notice]:
    """The first of each lane: the others wait for it."""
    first: dict[Lane, Notice] = {}
    for notice in notices:
        first.setdefault(lane_of(notice), notice)
    return list(first.values())


def backoff(attempts: int, rng: random.Random) -> float:
    """Twice as long after each try, of which up to a half is left to chance."""
    return min(LONGEST, 2.0 ** min(attempts, 16)) * rng.uniform(0.5, 1.0)
