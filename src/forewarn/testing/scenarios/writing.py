"""Writes TOML: for a fleet that is declared, and for scenarios that are made from recordings."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(values: Mapping[str, Any]) -> str:
    """Plain values first, then tables, then arrays of tables; each below what it belongs to."""
    return "\n".join(_lines((), values)).strip("\n") + "\n"


def _lines(path: tuple[str, ...], table: Mapping[str, Any]) -> list[str]:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not _is_below(value)]
    for key, value in table.items():
        name = ".".join(map(_key, (*path, key)))
        if isinstance(value, Mapping):
            lines += _table(f"[{name}]", _lines((*path, key), value))
        elif _is_below(value):
            for item in value:
                lines += _table(f"[[{name}]]", _lines((*path, key), item))
    return lines


def _table(header: str, below: list[str]) -> list[str]:
    """A table that only holds tables needs no line of its own."""
    return below if below and below[0] == "" else ["", header, *below]


def _is_below(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, Sequence) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    """TOML has texts, numbers, booleans and lists of them as JSON has; only this one character must be escaped too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
