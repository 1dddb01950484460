"""The SQL, by name. It is written in `sql/*.sql`, so that it can be read, run and checked as SQL."""

import re
from pathlib import Path

NAMED = re.compile(r"^-- name: (\w+)\n(.*?);$", re.MULTILINE | re.DOTALL)


def load(folder: Path) -> dict[str, str]:
    found = [pair for file in sorted(folder.glob("*.sql")) for pair in NAMED.findall(file.read_text(encoding="utf-8"))]
    queries = dict(found)
    if len(queries) != len(found):
        raise ValueError(f"Two queries in {folder} have the same name.")
    return queries


SQL = load(Path(__file__).parent / "sql")
