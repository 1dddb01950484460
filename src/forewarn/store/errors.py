"""What SQLite says, in the words of the domain. The one border at which its errors are translated."""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from forewarn.domain.errors import Conflict, ForewarnError, Unavailable

A = TypeVar("A")
T = TypeVar("T")

DAMAGED = "The database is damaged ({error}). Stop, keep a copy of the data directory, and restore a backup."
REASONS = {
    sqlite3.SQLITE_BUSY: "The database is in use by another program ({error}). Try again.",
    sqlite3.SQLITE_LOCKED: "The database is in use by another program ({error}). Try again.",
    sqlite3.SQLITE_FULL: "The disk is full ({error}). Make room in the data directory, then try again.",
    sqlite3.SQLITE_IOERR: "The disk could not be read or written ({error}). Look at the data directory's disk.",
    sqlite3.SQLITE_READONLY: "The database may not be written ({error}). Look at the data directory's permissions.",
    sqlite3.SQLITE_CANTOPEN: "The database could not be opened ({error}). Look at the data directory's permissions.",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}


def translated(error: BaseException) -> BaseException:
    """The error as callers may see it; what is not the database's own passes as it is."""
    match error:
        case sqlite3.IntegrityError():
            told: BaseException = Conflict(f"It is already there ({error}).")
        case sqlite3.Error():
            told = unavailable(error)
        case StopIteration():
            told = RuntimeError("the work raised StopIteration")  # which no future can carry
        case _:
            return error
    told.__cause__ = error
    return told


def unavailable(error: BaseException) -> ForewarnError:
    if isinstance(error, ForewarnError):
        return error
    reason = REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "The database failed ({error}).")
    told = Unavailable(reason.format(error=error) + " Nothing was changed.")
    told.__cause__ = error
    return told


def guarded(work: Callable[[A], T], argument: A) -> T:
    try:
        return work(argument)
    except BaseException as error:
        told = translated(error)
        if told is error:
            raise
        raise told from error
