"""The SQL is what both databases share, and none of it walks through a whole table."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import forewarn.store
from forewarn.store.migrating import SCRIPTS, migrate
from forewarn.store.queries import SQL, load

FOLDER = Path(forewarn.store.__file__).parent
WORDS = "autoincrement|rowid|strict|pragma|glob|ifnull|julianday|strftime|unixepoch|datetime|replace|insert or"
ONLY_SQLITE = rf"\b(?:{WORDS}|json_\w+)\b"

LIVE_ONLY = re.compile(r"USING INDEX \w+_live_of_scope$")  # an index that holds only what is live is walked as a whole


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("queries") / "f.db"
    migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        yield connection


@pytest.mark.parametrize("name", sorted(SQL))
def test_a_query_finds_its_rows_by_an_index(name: str, database: sqlite3.Connection) -> None:
    plan = database.execute(f"explain query plan {SQL[name]}", [None] * SQL[name].count("?")).fetchall()
    slow = [step for *_, step in plan if step.startswith(("SCAN", "USE TEMP")) and not LIVE_ONLY.search(step)]
    assert not slow, plan


@pytest.mark.parametrize("name", sorted(SQL))
def test_a_query_is_used(name: str) -> None:
    code = "".join(file.read_text() for file in FOLDER.glob("*.py"))
    assert f'"{name}"' in code


@pytest.mark.parametrize("file", [*FOLDER.glob("sql/*.sql"), *SCRIPTS.glob("*.sql")], ids=lambda file: file.name)
def test_sql_stays_in_what_the_databases_share(file: Path) -> None:
    code = re.sub(r"--.*", "", file.read_text())
    assert not re.findall(ONLY_SQLITE, code, re.IGNORECASE)


def test_two_queries_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("-- name: twice\nselect 1;\n\n-- name: twice\nselect 2;\n")
    with pytest.raises(ValueError, match="same name"):
        load(tmp_path)
