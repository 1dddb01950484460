"""How a database is opened, and the little that is asked of a connection.

`Connection` is the seam of this package: the standard library's connections fit it, and so do those of the crash tests,
which cut the power under the same queries, transactions and batches that run in production.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from forewarn.store.codec import Row

DURABLE = (
    "pragma journal_mode = wal",
    "pragma synchronous = full",  # a commit returns when it is on the disk
    "pragma fullfsync = on",  # where a plain fsync does not reach the disk (macOS)
)
ROOMY = (
    "pragma cache_size = -65536",  # KiB: what a busy fleet writes again and again stays in memory
    "pragma wal_autocheckpoint = 8000",  # pages: folding the log in less often, each page is written fewer times
)
BUSY = 10.0
"""Seconds to wait for somebody who looks at the file with a tool of their own."""


class Rows(Protocol):
    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Row]: ...


class Connection(Protocol):
    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows: ...

    def close(self) -> None: ...


def connect(database: Path) -> sqlite3.Connection:
    """For the one writer. Transactions are begun and ended by hand."""
    connection = sqlite3.connect(database, timeout=BUSY, isolation_level=None, check_same_thread=False)
    for pragma in DURABLE + ROOMY:
        connection.execute(pragma)
    return connection


def connect_read_only(database: Path) -> sqlite3.Connection:
    uri = f"{database.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False)
