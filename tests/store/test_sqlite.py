"""What is particular to the store on disk."""

import asyncio
import os
import sqlite3
import stat
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from forewarn.domain.draft import Change
from forewarn.domain.errors import Conflict, Unavailable
from forewarn.domain.history import first_break
from forewarn.engine.ports import Transaction
from forewarn.store import transaction
from forewarn.store.batch import Batches, Outcome, Work
from forewarn.store.connecting import connect
from forewarn.store.directory import check_owner
from forewarn.store.migrating import migrate
from forewarn.store.sqlite import SqliteStore, open_store
from forewarn.store.writer import AT_A_TIME, Writer
from forewarn.testing.builders import an_entry


def with_store(directory: Path, use: Callable[[SqliteStore], Awaitable[None]]) -> None:
    async def run() -> None:
        store = open_store(directory)
        try:
            await use(store)
        finally:
            await store.close()

    asyncio.run(run())


def test_a_directory_belongs_to_one_process(tmp_path: Path) -> None:
    async def second(_: SqliteStore) -> None:
        with pytest.raises(Unavailable, match=rf"Another forewarn .process {os.getpid()}. is using {tmp_path}"):
            open_store(tmp_path)

    with_store(tmp_path, second)
    with_store(tmp_path, lambda store: asyncio.sleep(0))


def test_the_directory_is_made_for_its_owner_only(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "data"
    with_store(directory, lambda store: asyncio.sleep(0))
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_nobody_else_can_read_the_files_of_a_directory_that_was_there(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for _ in range(2):  # made so, and made so again
        store = open_store(tmp_path)
        asyncio.run(store.run(lambda tx: tx.put_note("a", "b")))
        assert [file.name for file in tmp_path.iterdir() if file.stat().st_mode & 0o077] == []
        asyncio.run(store.close())
        (tmp_path / "forewarn.db").chmod(0o644)


def test_a_directory_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    for owner, me in ((1000, 1000), (0, 1000), (1000, 0)):
        check_owner(owner, me, tmp_path)
    with pytest.raises(Unavailable, match=r"belongs to another user .id 1001."):
        check_owner(1001, 1000, tmp_path)


def test_a_lock_that_points_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("data")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic link"):
        open_store(tmp_path / "data")
    assert (tmp_path / "precious").read_text() == "data"


def test_closing_leaves_one_whole_file(tmp_path: Path) -> None:
    with_store(tmp_path, lambda store: store.run(lambda tx: tx.put_note("k", "v")))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["forewarn.db", "lock"]
    with closing(sqlite3.connect(tmp_path / "forewarn.db")) as connection:
        assert connection.execute("select value from notes").fetchall() == [("v",)]


def test_commits_are_synced(tmp_path: Path) -> None:
    migrate(tmp_path / "f.db")
    with closing(connect(tmp_path / "f.db")) as connection:
        assert connection.execute("pragma journal_mode").fetchone() == ("wal",)
        assert connection.execute("pragma synchronous").fetchone() == (2,)


def test_a_file_that_is_no_database_is_named_as_damaged(tmp_path: Path) -> None:
    (tmp_path / "forewarn.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(Unavailable, match="The database is damaged"):
        open_store(tmp_path)
    (tmp_path / "forewarn.db").unlink()
    with_store(tmp_path, lambda store: asyncio.sleep(0))


class Counting(Batches):
    """Remembers how many works each commit carried."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self.sizes: list[int] = []

    def commit(self, works: Sequence[Work]) -> list[Outcome]:
        self.sizes.append(len(works))
        return super().commit(works)


def test_one_commit_serves_many_callers(tmp_path: Path) -> None:
    migrate(tmp_path / "f.db")
    with closing(connect(tmp_path / "f.db")) as connection:
        batches = Counting(connection)
        writer = Writer(batches)

        async def many() -> None:
            await asyncio.gather(*(writer.run(lambda tx: tx.put_note("k", "v")) for _ in range(1000)))

        asyncio.run(many())
        writer.close()
    assert sum(batches.sizes) == 1000
    assert len(batches.sizes) < 100
    assert max(batches.sizes) <= AT_A_TIME


def test_each_event_loop_gets_its_own_answers(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    answers: dict[int, list[int]] = {}

    def in_a_loop_of_its_own(number: int) -> None:
        async def ask() -> list[int]:
            return await asyncio.gather(*(store.run(lambda tx, n=n: n) for n in range(number, number + 50)))  # type: ignore[misc]

        answers[number] = asyncio.run(ask())

    threads = [threading.Thread(target=in_a_loop_of_its_own, args=(number,)) for number in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(store.close())
    assert answers == {number: list(range(number, number + 50)) for number in (0, 100, 200)}


def test_a_loop_that_is_gone_gets_no_answer_and_harms_nobody(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    begun, go_on = threading.Event(), threading.Event()

    def slow(tx: Transaction) -> None:
        begun.set()
        go_on.wait()
        tx.put_note("k", "kept")

    async def leave() -> None:
        asked = asyncio.ensure_future(store.run(slow))
        await asyncio.to_thread(begun.wait)
        asked.cancel()

    asyncio.run(leave())
    go_on.set()

    async def look_and_close() -> str | None:
        await store.run(lambda tx: None)
        found = await store.read(lambda r: r.note("k"))
        await store.close()
        return found

    assert asyncio.run(look_and_close()) == "kept"


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_closing_gives_back_every_file(run: Callable[[Coroutine[Any, Any, None]], None], tmp_path: Path) -> None:
    async def use() -> None:
        await store.run(lambda tx: tx.put_note("k", "v"))

    async def use_and_close() -> None:
        await use()
        await store.close()

    run(asyncio.sleep(0))  # libuv keeps a pipe of its own from its first loop on
    before = len(os.listdir("/dev/fd"))
    store = open_store(tmp_path)
    run(use())  # in a loop that is closed before the store is
    run(use_and_close())
    assert len(os.listdir("/dev/fd")) == before


class Failing:
    """A connection on which one statement fails as if the disk did."""

    def __init__(self, connection: sqlite3.Connection, statement: str, code: int) -> None:
        self._connection = connection
        self._statement: str | None = statement
        self._code = code

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> sqlite3.Cursor:
        if self._statement is not None and sql.startswith(self._statement):
            self._statement = None
            error = sqlite3.OperationalError("no luck")
            error.sqlite_errorcode = self._code
            if sql != "commit":
                self._connection.rollback()  # as SQLite does by itself when it cannot go on
            raise error
        return self._connection.execute(sql, parameters)

    def close(self) -> None:
        self._connection.close()


@pytest.mark.parametrize(
    ("statement", "code", "told"),
    [
        pytest.param("commit", sqlite3.SQLITE_IOERR_FSYNC, "disk could not be read or written", id="commit-not-synced"),
        pytest.param("begin", sqlite3.SQLITE_BUSY, "in use by another program", id="somebody-else-holds-the-file"),
        pytest.param("select digest", sqlite3.SQLITE_CORRUPT, "database is damaged", id="damage-found-in-the-middle"),
        pytest.param("insert into history", sqlite3.SQLITE_FULL, "disk is full", id="disk-full-in-the-middle"),
    ],
)
def test_when_the_disk_fails_nobody_in_the_batch_has_changed_anything(
    statement: str, code: int, told: str, tmp_path: Path
) -> None:
    def work(tx: Transaction) -> Sequence[Any]:
        return tx.save(Change(entries=(an_entry(),)))

    migrate(tmp_path / "f.db")
    with closing(connect(tmp_path / "f.db")) as connection:
        batches = Batches(Failing(connection, statement, code))
        for outcome in batches.commit([work, work, work]):
            assert isinstance(outcome.error, Unavailable)
            assert told in str(outcome.error)
        (outcome,) = batches.commit([work])
        assert [entry.seq for entry in outcome.value] == [1]
        assert connection.execute("select count(*) from history").fetchone() == (1,)


def test_what_is_already_there_is_a_conflict_for_its_own_caller_only(tmp_path: Path) -> None:
    migrate(tmp_path / "f.db")
    with closing(connect(tmp_path / "f.db")) as connection:
        again = "insert into notes (key, value) values ('k', 'v')"
        outcomes = Batches(connection).commit([lambda tx: connection.execute(again)] * 2)
    assert outcomes[0].error is None
    assert isinstance(outcomes[1].error, Conflict)


def test_the_writer_keeps_only_so_much_in_memory_and_the_chains_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "HELD", 3)
    migrate(tmp_path / "f.db")
    with closing(connect(tmp_path / "f.db")) as connection:
        writer = transaction.SqlTransaction(connection)
        for number in range(40):
            writer.save(Change(entries=(an_entry(scope=f"s{number % 8}"), an_entry(scope=f"s{number % 8}"))))
            assert len(writer._digests) <= 3
        for number in range(8):
            assert first_break(writer.history(scope=f"s{number}")) is None
