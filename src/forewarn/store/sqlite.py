"""The store on disk: SQLite in a directory of its own."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from forewarn.domain.errors import Unavailable
from forewarn.engine.ports import Reader, Transaction
from forewarn.store.batch import Batches
from forewarn.store.connecting import connect, connect_read_only
from forewarn.store.directory import DirectoryLock, keep_private, prepare
from forewarn.store.errors import guarded
from forewarn.store.migrating import migrate
from forewarn.store.reader import SqlReader
from forewarn.store.writer import Writer

T = TypeVar("T")

READERS = 2


class SqliteStore:
    """Made by `open_store`. One writer; readers beside it, each looking at the last commit when it begins."""

    def __init__(self, connection: sqlite3.Connection, readers: list[sqlite3.Connection], lock: DirectoryLock) -> None:
        self._connection = connection
        self._writer = Writer(Batches(connection))
        self._readers = readers
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        for reader in readers:
            self._idle.put(reader)
        self._threads = ThreadPoolExecutor(len(readers), thread_name_prefix="forewarn-reader")
        self._lock = lock
        self._closed = False

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        return await self._writer.run(work, then)

    async def read(self, work: Callable[[Reader], T]) -> T:
        if self._closed:
            raise Unavailable("The store is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._look, work)

    async def close(self) -> None:
        """What is queued is still done."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._close)

    def _look(self, work: Callable[[Reader], T]) -> T:
        connection = self._idle.get()
        try:
            return guarded(partial(_in_one_view, work), connection)
        finally:
            self._idle.put(connection)

    def _close(self) -> None:
        self._writer.close()
        self._threads.shutdown()
        for reader in self._readers:
            reader.close()
        self._connection.close()  # the last one folds the write-ahead log into the database
        self._lock.release()


def open_store(directory: Path) -> SqliteStore:
    """Blocks for some milliseconds; longer where the database is new or of an older version."""
    return guarded(_open, directory)


def _open(directory: Path) -> SqliteStore:
    prepare(directory)
    database = directory / "forewarn.db"
    with ExitStack() as unless_opened:
        lock = DirectoryLock(directory)
        unless_opened.callback(lock.release)
        migrate(database)
        keep_private(database)  # its log and its index get the same mode from SQLite
        writer = unless_opened.enter_context(closing(connect(database)))
        readers = [unless_opened.enter_context(closing(connect_read_only(database))) for _ in range(READERS)]
        store = SqliteStore(writer, readers, lock)
        unless_opened.pop_all()
    return store


def _in_one_view(work: Callable[[Reader], T], connection: sqlite3.Connection) -> T:
    connection.execute("begin")
    try:
        return work(SqlReader(connection))
    finally:
        connection.rollback()
