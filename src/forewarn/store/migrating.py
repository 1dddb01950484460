"""Brings a database to the shape this version knows.

The scripts in `migrations/` are plain SQL, applied by yoyo. Yoyo runs a script and notes it as applied in two
transactions; so that a crash in between cannot leave a half-migrated database, they run on a copy, which then takes the
database's place in one rename.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from forewarn.disk import put_in_place
from forewarn.domain.errors import Conflict
from forewarn.store.directory import keep_private

SCRIPTS = Path(__file__).parent / "migrations"


def migrate(database: Path, scripts: Path = SCRIPTS) -> None:
    """The caller has the directory to itself."""
    known = {script.stem for script in scripts.glob("*.sql")}
    applied = _applied(database)
    unknown = sorted(applied - known)
    if unknown:
        raise Conflict(
            f"{database} was written by a newer version of forewarn (it has {unknown[-1]}, which this version does not "
            "know): start the newer version, or choose another data directory."
        )
    if known - applied:
        _migrate_copy(database, scripts)


def _applied(database: Path) -> set[str]:
    """Asked without yoyo, so that an up-to-date database opens fast."""
    if not database.exists():
        return set()
    with closing(sqlite3.connect(database)) as connection:
        tables = connection.execute("select name from sqlite_master where name = '_yoyo_migration'").fetchall()
        return {row[0] for row in connection.execute("select migration_id from _yoyo_migration")} if tables else set()


def _migrate_copy(database: Path, scripts: Path) -> None:
    copy = database.with_suffix(".new")
    for leftover in copy.parent.glob(f"{copy.name}*"):
        leftover.unlink()
    keep_private(copy)
    if database.exists():
        _copy(database, copy)
    _apply(copy, scripts)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("pragma journal_mode = wal")  # now, so that no database in use has to change over
    put_in_place(copy, database)


def _copy(database: Path, copy: Path) -> None:
    """A write-ahead log left beside the new database would be taken for its own: fold it in first."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.execute("pragma journal_mode = delete")
        source.backup(target)


def _apply(database: Path, scripts: Path) -> None:
    from yoyo import get_backend, read_migrations  # type: ignore[import-untyped]  # slow to import, seldom needed

    with get_backend(f"sqlite:///{quote(str(database.absolute()))}") as backend:
        backend.log_migration = _no_log
        backend.apply_migrations(backend.to_apply(read_migrations(str(scripts))))


def _no_log(migration: object, operation: str) -> None:
    """Yoyo's log names the user and the host: that takes a resolver and a password database, which may be absent."""
