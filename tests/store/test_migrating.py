"""A database grows with the program, and is never left half-way."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from forewarn.domain.errors import Conflict
from forewarn.store import migrating
from forewarn.store.connecting import connect
from forewarn.store.migrating import SCRIPTS, migrate


def tables(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")}


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The scripts of a version that has one more."""
    scripts = tmp_path / "newer scripts"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "0999-later.sql").write_text("alter table notes add column later text;\ncreate table later (x text);\n")
    return scripts


def test_an_empty_place_gets_every_table(tmp_path: Path) -> None:
    database = tmp_path / "a name with % and ?.db"
    migrate(database)
    assert {"scopes", "machines", "operations", "actions", "history"} <= tables(database)
    assert [file.name for file in tmp_path.iterdir()] == [database.name]


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    database = tmp_path / "f.db"
    migrate(database)
    before = database.read_bytes()
    migrate(database)
    assert database.read_bytes() == before


def test_an_older_database_keeps_what_it_holds(tmp_path: Path, newer: Path) -> None:
    database = tmp_path / "f.db"
    migrate(database)
    with closing(connect(database)) as connection:
        connection.execute("insert into notes (key, value) values ('k', 'v')")
    migrate(database, newer)
    with closing(connect(database)) as connection:
        assert connection.execute("select key, value, later from notes").fetchall() == [("k", "v", None)]


def test_what_only_the_log_holds_is_migrated_too(tmp_path: Path, newer: Path) -> None:
    database, crashed = tmp_path / "f.db", tmp_path / "crashed"
    migrate(database)
    crashed.mkdir()
    with closing(connect(database)) as connection:
        connection.execute("insert into notes (key, value) values ('k', 'v')")
        for file in tmp_path.glob("f.db*"):
            shutil.copy(file, crashed)
    migrate(crashed / "f.db", newer)
    with closing(connect(crashed / "f.db")) as connection:
        assert connection.execute("select value from notes").fetchall() == [("v",)]


def test_a_newer_database_is_refused(tmp_path: Path, newer: Path) -> None:
    database = tmp_path / "f.db"
    migrate(database, newer)
    with pytest.raises(Conflict, match=r"newer version of forewarn .it has 0999-later"):
        migrate(database)


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path, newer: Path) -> None:
    database = tmp_path / "f.db"
    migrate(database)
    before = tables(database)
    (newer / "0998-broken.sql").write_text("create table half (x text);\ncreate table scopes (x text);\n")
    with pytest.raises(sqlite3.OperationalError):
        migrate(database, newer)
    assert tables(database) == before


def test_a_copy_left_by_a_crash_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "f.new").write_bytes(b"half a database")
    (tmp_path / "f.new-journal").write_bytes(b"half a journal")
    migrate(tmp_path / "f.db")
    assert "scopes" in tables(tmp_path / "f.db")
    assert not list(tmp_path.glob("f.new*"))


def test_a_known_database_is_opened_without_the_migration_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(tmp_path / "f.db")
    monkeypatch.delattr(migrating, "_migrate_copy")
    migrate(tmp_path / "f.db")
