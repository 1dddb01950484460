"""A fleet under construction: groups are added one by one, and the whole is a fleet file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Table = Mapping[str, Any]


@dataclass(slots=True)
class Declaration:
    """What was declared so far: by kind (`scale_set`), by name, the table that the fleet file has for it."""

    before: str = ""  # a declaration that this one goes on from
    tables: dict[tuple[str, str], Table] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: str, name: str, table: Table) -> None:
        if (kind, name) in self.tables:
            raise ValueError(f"There is a {kind.replace('_', ' ')} {name} already.")
        self.tables[kind, name] = _given(table)

    def change(self, kind: str, name: str, **keys: Any) -> None:
        self.tables[kind, name] = _given({**self.tables[kind, name], **keys})

    def text(self) -> str:
        lines = [self.before] if self.before else []
        lines += _lines(("settings",), self.settings) if self.settings else []
        for (kind, name), table in self.tables.items():
            lines += _lines((kind, name), table)
        return "\n".join(lines) + "\n"


def _lines(path: tuple[str, ...], table: Table) -> list[str]:
    """The table, and after it the tables in it."""
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    plain = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if key not in inner]
    lines = [f"[{'.'.join(map(_key, path))}]", *plain]
    for key, value in inner.items():
        lines += _lines((*path, key), value)
    return lines


def _key(name: str) -> str:
    return json.dumps(name)


def _value(value: object) -> str:
    """TOML writes texts, numbers, booleans and lists of them as JSON does."""
    return json.dumps(value)


def _given(table: Table) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}
