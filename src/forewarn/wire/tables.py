"""A declaration read table by table: every value checked, every key accounted for, every error tied to its key."""

import difflib
from collections.abc import Iterator
from datetime import timedelta
from enum import Enum
from ipaddress import ip_address
from typing import TypeVar

from forewarn.wire.durations import LONGEST, format_duration, parse_duration
from forewarn.wire.toml_lines import Path

E = TypeVar("E", bound=Enum)


class Wrong(Exception):
    """What is wrong with the value at a path. `{line}` in the reason stands for the line of the path `other`."""

    def __init__(self, path: Path, label: str, reason: str, other: Path = ()) -> None:
        super().__init__(reason)
        self.path = path
        self.label = label
        self.reason = reason
        self.other = other


class Table:
    """`label` is how an error calls it. A key nobody asked for by the time of `close` is unknown."""

    def __init__(self, values: dict[str, object], path: Path = (), label: str = "") -> None:
        self.path = path
        self.label = label
        self._values = values
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        self._asked.add(key)
        return key in self._values

    def close(self) -> None:
        for key in self._values.keys() - self._asked:
            near = difflib.get_close_matches(key, self._asked, n=1)
            hint = f'did you mean "{near[0]}"?' if near else f"known here: {', '.join(sorted(self._asked))}"
            raise self.wrong(key, f'there is no key "{key}"; {hint}')

    def wrong(self, key: str, reason: str, other: Path = (), item: int | None = None) -> Wrong:
        """Wrong at the key, or at one item of its list; without a key, the table itself is."""
        below = () if not key else (key,) if item is None else (key, str(item))
        return Wrong(self.path + below, self.label, reason, other)

    def unfit(self, key: str, wanted: str) -> Wrong:
        return self.wrong(key, f"{key} must be {wanted}, not {_shown(self._values[key])}")

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)

    def raw(self, key: str) -> object:
        """The value as it stands; None if there is none."""
        return self._values[key] if key in self else None

    def table(self, key: str, label: str) -> "Table":
        """The table under the key; an empty one if there is none."""
        value = self.raw(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.unfit(key, f"a table, such as [{'.'.join((*self.path, key))}.NAME]")
        return Table(value, (*self.path, key), label)

    def tables(self) -> Iterator[tuple[str, "Table"]]:
        """The named tables in this one, each labelled with its name."""
        prefix = f"{self.label}/" if self.label else ""
        for name in self._values:
            if not isinstance(self.raw(name), dict):
                raise self.unfit(name, f"a table: [{'.'.join((*self.path, name))}]")
            yield name, self.table(name, prefix + name)

    def array(self, key: str, label: str) -> list["Table"]:
        """The tables of the [[array]] under the key, each labelled with its number, counted from 1."""
        value = self.raw(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.unfit(key, f"tables, each of which begins with [[{'.'.join((*self.path, key))}]]")
        return [Table(item, (*self.path, key, str(i)), f"{label} {i + 1}") for i, item in enumerate(value)]

    def text(self, key: str, default: str = "") -> str:
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value.isprintable():
            raise self.unfit(key, "a text")
        return value

    def texts(self, keys: tuple[str, ...]) -> dict[str, str]:
        """Those of the keys that are there."""
        self._asked.update(keys)
        return {key: self.text(key) for key in keys if key in self._values}

    def boolean(self, key: str, default: bool) -> bool:
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.unfit(key, "true or false")
        return value

    def integer(self, key: str, default: int, low: int, high: int) -> int:
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.unfit(key, f"a whole number from {low:,} to {high:,}")
        return value

    def duration(
        self, key: str, default: timedelta | None = None, low: timedelta = timedelta(0), high: timedelta = LONGEST
    ) -> timedelta | None:
        value = self.raw(key)
        if value is None:
            return default
        try:
            duration = parse_duration(value) if isinstance(value, str) else None
        except ValueError:
            duration = None
        if duration is None:
            raise self.unfit(key, 'a duration such as "90s", "15m" or "1h30m"')
        if not low <= duration <= high:
            raise self.unfit(key, f"{format_duration(low)} to {format_duration(high)}")
        return duration

    def choice(self, key: str, default: E, choices: type[E]) -> E:
        value = self.raw(key)
        if value is None:
            return default
        for choice in choices:
            if isinstance(value, str) and value.lower() == str(choice.value).lower():
                return choice
        raise self.unfit(key, _either([f'"{choice.value}"' for choice in choices]))

    def address(self, key: str) -> str:
        value = self.raw(key)
        if value is None:
            return ""
        try:
            return str(ip_address(value if isinstance(value, str) else ""))
        except ValueError:
            raise self.unfit(key, 'an IP address such as "127.0.0.5"') from None

    def list_of_texts(self, key: str) -> tuple[str, ...]:
        value = self.raw(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) and item.isprintable() for item in value):
            raise self.unfit(key, "a list of texts")
        return tuple(value)

    def map_of_texts(self, key: str) -> dict[str, str]:
        inner = self.table(key, self.label)
        return inner.texts(tuple(inner._values))


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value[:40]}"'
        case list():
            return "a list"
        case dict():
            return "a table"
        case int() if value.bit_length() > 64:
            return "such a number"
        case _:
            return str(value)


def _either(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
