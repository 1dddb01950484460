"""An outbox with its journal, clock and log, as tests want them."""

import logging
import queue
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forewarn.agent.config import StepSpec
from forewarn.agent.journal import Journal
from forewarn.agent.moments import Moment
from forewarn.agent.notices import Notices
from forewarn.agent.records import Record
from tests.agent.building import NOON, a_record, a_spec, an_event
from tests.agent.receivers import PATIENCE

HOUR = 3600.0


@dataclass
class Wall:
    now: float = NOON.timestamp()

    def __call__(self) -> float:
        return self.now


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[str] = []
        self._news: queue.Queue[str] = queue.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self.all.append(record.getMessage())
        self._news.put(record.getMessage())

    def until(self, part: str) -> str:
        """The next line that holds it; a line is written when what it says is in the journal."""
        while part not in (line := self._news.get(timeout=PATIENCE)):
            pass
        return line


@dataclass(kw_only=True)
class Outbox:
    notices: Notices
    journal: Journal
    wall: Callable[[], float]
    lines: Lines

    def tell(self, record: Record, moment: Moment = Moment.SEEN, note: str = "") -> None:
        now = datetime.fromtimestamp(self.wall(), UTC)
        self.journal.change(record.key, lambda r: r, self.notices.about(record, moment, now, note))
        self.notices.wake()

    def later(self, seconds: float = HOUR) -> None:
        assert isinstance(self.wall, Wall)
        self.wall.now += seconds
        self.notices.wake()


@contextmanager
def an_outbox(folder: Path, wall: Callable[[], float] | None = None, started: bool = True) -> Iterator[Outbox]:
    lines, wall = Lines(), wall or Wall()
    log = logging.Logger("outbox")
    log.addHandler(lines)
    journal = Journal(folder / "journal.db")
    notices = Notices(journal, wall=wall, log=log, rng=random.Random(1))
    if started:
        notices.start()
    try:
        yield Outbox(notices=notices, journal=journal, wall=wall, lines=lines)
    finally:
        notices.stop()
        journal.close()


def a_hook(port: int, name: str = "ops", **options: Any) -> StepSpec:
    url = {} if "url_file" in options else {"url": f"http://localhost:{port}/"}
    return a_spec(name, use="notify", options={"to": "webhook", **url, **options})


def begun(outbox: Outbox, *chain: StepSpec, id: str = "E1") -> Record:
    record = a_record(an_event(id=id), tellers=chain)
    outbox.journal.begin(record)
    return record
