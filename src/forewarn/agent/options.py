"""Reading a table of the configuration into a dataclass: by its field names and types, with nothing left over.

A wrong option is refused with the place it stands in and what would be right.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from datetime import timedelta
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from forewarn.agent.durations import read_duration
from forewarn.agent.errors import BadConfig

T = TypeVar("T")


def read_options(shape: type[T], table: object, where: str) -> T:
    """`where` is the table's place in the file, as a person would say it: `steps.pool`."""
    if not isinstance(table, Mapping):
        raise BadConfig(f"{where}: a table is wanted")
    known: dict[str, Field[Any]] = {f.name: f for f in fields(shape) if f.init}  # type: ignore[arg-type]
    hints = get_type_hints(shape)
    for key in table:
        if key not in known:
            raise BadConfig(f"{where}: there is no option {key!r}{_meant(key, known)}")
    given = {key: _value(hints[key], value, f"{where}.{key}") for key, value in table.items()}
    for name, field in known.items():
        if name not in given and field.default is MISSING and field.default_factory is MISSING:
            raise BadConfig(f"{where}: the option {name!r} is missing")
    try:
        return shape(**given)
    except ValueError as error:  # a rule over several options, checked by the dataclass itself
        raise BadConfig(f"{where}: {error}") from None


def _meant(key: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(key, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(known))}"


def _value(kind: Any, value: object, where: str) -> object:
    try:
        return _read(kind, value)
    except ValueError as error:
        raise BadConfig(f"{where}: {error}") from None


def _read(kind: Any, value: object) -> object:
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise ValueError("a list is wanted")
        return tuple(_read(get_args(kind)[0], item) for item in value)
    if get_origin(kind) is Mapping:
        if not isinstance(value, dict):
            raise ValueError("a table is wanted")
        return {key: _read(get_args(kind)[1], item) for key, item in value.items()}
    if type(None) in get_args(kind):
        return _read(next(one for one in get_args(kind) if one is not type(None)), value)
    return _plain(kind, value)


def _plain(kind: Any, value: object) -> object:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _member(kind, value)
    reader = READERS.get(kind)
    if reader is None:
        raise ValueError(f"{kind} cannot be configured")
    return reader(value)


def _member(kind: type[Enum], value: object) -> Enum:
    for member in kind:
        if isinstance(value, str) and value.lower() == str(member.value).lower():
            return member
    raise ValueError(f"{value!r} is none of {', '.join(str(member.value) for member in kind)}")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a text in quotes is wanted, not {value!r}")
    return value


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"a whole number is wanted, not {value!r}")
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"true or false is wanted, not {value!r}")
    return value


READERS: dict[object, Callable[[object], object]] = {
    str: _text,
    int: _number,
    bool: _truth,
    timedelta: read_duration,
    Path: lambda value: Path(_text(value)),
}
