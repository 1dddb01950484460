"""Our dataclasses as JSON and back, by their field types. What is read was written by us."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def pack(value: object) -> Any:
    if is_dataclass(value):
        return {field.name: pack(getattr(value, field.name)) for field in fields(value)}
    match value:
        case Enum():
            return value.value
        case timedelta():
            return value.total_seconds()
        case datetime():
            return value.isoformat()
        case tuple():
            return [pack(item) for item in value]
        case Mapping():
            return dict(value)
        case _:
            return value


def unpack(kind: type[T], told: Mapping[str, Any]) -> T:
    """A field that was not written yet has its default."""
    hints = get_type_hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in told.items() if name in hints})


def _value(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(kind) in (Union, UnionType):
        return _one_of(get_args(kind), value)
    if get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], item) for item in value)
    if kind is datetime:
        return datetime.fromisoformat(value)
    if kind is timedelta:
        return timedelta(seconds=value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return unpack(cast(Any, kind), value) if is_dataclass(kind) else value


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    """`EventType | str`: the word for it, or the plain string where there is none."""
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, Enum) and value not in {member.value for member in kind}:
            continue
        if kind is not type(None):
            return _value(kind, value)
    return value
