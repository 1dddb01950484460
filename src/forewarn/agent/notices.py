"""What is told outside: it is in the journal first, and stays there until it is taken or given up."""

import json
import logging
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from forewarn.agent.errors import BadConfig
from forewarn.agent.journal import Journal, Notice
from forewarn.agent.moments import Moment
from forewarn.agent.records import Record
from forewarn.agent.sender import Sender
from forewarn.agent.sending import Message
from forewarn.agent.steps import build
from forewarn.agent.steps.notify import Notify
from forewarn.agent.templates import facts_of
from forewarn.agent.wording import belated, words

__all__ = ["Moment", "Notices"]


class Notices:
    """`wall` is the time in seconds since 1970 by this machine's clock: it paces the tries."""

    def __init__(self, journal: Journal, *, wall: Callable[[], float], log: logging.Logger, rng: random.Random) -> None:
        self._journal = journal
        self._wall = wall
        self._log = log
        self._sender = Sender(journal, message_of, wall=wall, log=log, rng=rng)

    def start(self) -> None:
        self._sender.start()

    def stop(self) -> None:
        """What is due gets a few seconds more; what is not taken then waits for the next start."""
        self._sender.stop()

    def wake(self) -> None:
        """To look again at what is due."""
        self._sender.wake()

    def about(self, record: Record, moment: Moment, now: datetime, note: str = "") -> list[Notice]:
        """What is to be told, for the journal to keep; then `wake`. `now` is the time by which the event goes."""
        facts = {**facts_of(record.event, record.me), "moment": moment.value, "note": note}
        facts |= {"text": words(record, moment, record.me, note, now), "at": str(self._wall())}
        return [
            Notice(event=record.key, step=name, moment=moment.value, facts=facts)
            for name in self._tellers(record, moment)
        ]

    def _tellers(self, record: Record, moment: Moment) -> Iterator[str]:
        for spec in record.tellers:
            try:
                step = build(spec)
            except BadConfig as error:  # journalled by a version that knew other options
                self._log.error("%s: nobody is told of %s: %s", spec.name, record.key, error)
                continue
            if isinstance(step, Notify) and moment in step.at:
                yield spec.name


def identity(notice: Notice) -> str:
    """Of event, step, moment and machine; of a failure also what failed, since there may be several."""
    parts = [notice.event, notice.step, notice.moment, notice.facts["me"]]
    if notice.moment == Moment.FAILED.value:
        parts.append(notice.facts["note"])
    return str(uuid5(NAMESPACE_URL, json.dumps(["forewarn", *parts])))


def message_of(notice: Notice, now: float) -> Message:
    at = _date(float(notice.facts["at"]))
    facts = {name: value for name, value in notice.facts.items() if name not in ("at", "text")}
    return Message(id=identity(notice), text=belated(notice.facts["text"], at, _date(now)), at=at, facts=facts)


def _date(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=0)
