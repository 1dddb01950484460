"""The journal: what was done about which event, so that a crash or a reboot does not lose the place.

SQLite with synchronous=FULL: what a method has written is on the disk when it returns. Everything else the agent
knows can be asked for again; this cannot.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from forewarn.agent.codec import pack, unpack
from forewarn.agent.errors import JournalError
from forewarn.agent.records import Progress, Record, Stage, StepRecord
from forewarn.agent.turns import Fact

SCHEMA = """
create table if not exists events (key text not null primary key, live integer not null, seen_at text not null,
    body text not null);
create table if not exists steps (key text not null, position integer not null, body text not null,
    primary key (key, position));
create table if not exists notices (id integer not null primary key, body text not null);
"""
KEPT = timedelta(days=30)
"""How long what is over is remembered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """Something to tell somebody outside, until they have taken it."""

    id: int = 0
    event: str
    step: str
    """The name of the step that tells it."""
    moment: str
    facts: Mapping[str, str]
    attempts: int = 0
    due: float = 0.0
    """Seconds since 1970."""


class Journal:
    """Used from several threads; one at a time writes."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=10)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            self._db.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise JournalError(f"The journal {file} cannot be opened: {error}.") from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def records(self) -> list[Record]:
        """All that are not over, oldest first."""
        return self._records("select key, body from events where live = 1 order by seen_at, key")

    def record(self, key: str) -> Record | None:
        return next(iter(self._records("select key, body from events where key = ?", key)), None)

    def known(self, key: str) -> Record:
        found = self.record(key)
        if found is None:
            raise JournalError(f"The journal knows nothing of {key}.")
        return found

    def past(self, limit: int = 20) -> list[Record]:
        """What is over, latest first."""
        return self._records("select key, body from events where live = 0 order by seen_at desc limit ?", limit)

    def begin(self, record: Record, notices: Sequence[Notice] = ()) -> None:
        with self._transaction() as execute:
            _put(execute, record)
            _put_notices(execute, notices)
            for step in record.steps:
                _put_step(execute, record.key, step)
            horizon = (record.seen_at - KEPT).isoformat()
            execute("delete from events where live = 0 and seen_at < ?", (horizon,))
            execute("delete from steps where key not in (select key from events)")

    def change(self, key: str, how: Callable[[Record], Record], notices: Sequence[Notice] = ()) -> Record:
        """Of the event only; its steps have their own. What is to be told of the change is written with it."""
        with self._transaction() as execute:
            changed = how(self.known(key))
            _put(execute, changed)
            _put_notices(execute, notices)
        return changed

    def step(self, key: str, position: int, progress: Progress, note: str = "", *, again: bool = False) -> StepRecord:
        """`again` counts one more attempt at the same."""

        def how(step: StepRecord) -> StepRecord:
            before = step.attempts if step.progress is progress or not again else 0
            return replace(step, progress=progress, note=note, attempts=before + again)

        return self._change_step(key, position, how)

    def keep(self, key: str, position: int, facts: Mapping[str, Fact]) -> StepRecord:
        return self._change_step(key, position, lambda s: replace(s, kept={**s.kept, **facts}))

    def take_over(self, key: str, position: int, other: StepRecord) -> StepRecord:
        """The same step is prepared for another event already: nothing to do, and as much to restore."""
        note = "was prepared already"
        return self._change_step(
            key, position, lambda s: replace(s, progress=Progress.PREPARED, kept=other.kept, note=note)
        )

    def notices(self) -> list[Notice]:
        """What is not sent yet, in the order of its making."""
        with self._reading() as execute:
            rows = execute("select id, body from notices order by id").fetchall()
        return [replace(unpack(Notice, json.loads(body)), id=number) for number, body in rows]

    def postpone_notice(self, notice: Notice, due: float) -> None:
        later = replace(notice, attempts=notice.attempts + 1, due=due)
        with self._transaction() as execute:
            execute("update notices set body = ? where id = ?", (json.dumps(pack(later)), notice.id))

    def drop_notice(self, notice: Notice) -> None:
        with self._transaction() as execute:
            execute("delete from notices where id = ?", (notice.id,))

    def _change_step(self, key: str, position: int, how: Callable[[StepRecord], StepRecord]) -> StepRecord:
        with self._transaction() as execute:
            changed = how(self.known(key).steps[position])
            _put_step(execute, key, changed)
        return changed

    def _records(self, query: str, *parameters: object) -> list[Record]:
        with self._reading() as execute:
            found = execute(query, parameters).fetchall()
            return [replace(unpack(Record, json.loads(body)), steps=self._steps(key)) for key, body in found]

    def _steps(self, key: str) -> tuple[StepRecord, ...]:
        rows = self._db.execute("select body from steps where key = ? order by position", (key,)).fetchall()
        return tuple(unpack(StepRecord, json.loads(body)) for (body,) in rows)

    @contextmanager
    def _reading(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        with self._lock:
            try:
                yield self._db.execute
            except sqlite3.Error as error:
                raise JournalError(f"The journal {self._file} cannot be read: {error}.") from None

    @contextmanager
    def _transaction(self) -> Iterator[Callable[..., object]]:
        with self._lock:
            try:
                self._db.execute("begin immediate")
                yield self._db.execute
                self._db.execute("commit")
            except sqlite3.Error as error:
                raise JournalError(f"The journal {self._file} cannot be written: {error}.") from None
            finally:
                with suppress(sqlite3.Error):  # what it failed for has been told
                    if self._db.in_transaction:
                        self._db.execute("rollback")


def _put(execute: Callable[..., object], record: Record) -> None:
    body = json.dumps(pack(replace(record, steps=())))
    row = (record.key, record.stage is not Stage.OVER, record.seen_at.isoformat(), body)
    execute("replace into events (key, live, seen_at, body) values (?, ?, ?, ?)", row)


def _put_notices(execute: Callable[..., object], notices: Sequence[Notice]) -> None:
    for notice in notices:
        execute("insert into notices (body) values (?)", (json.dumps(pack(notice)),))


def _put_step(execute: Callable[..., object], key: str, step: StepRecord) -> None:
    execute("replace into steps (key, position, body) values (?, ?, ?)", (key, step.position, json.dumps(pack(step))))
