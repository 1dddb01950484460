"""What Kusto's functions and operators make of values."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from forewarn.wire.dates import parse_date


def order_of(value: Any) -> tuple[int, Any]:
    """Where it stands in an ascending order: null first, and each kind of thing by itself."""
    match value:
        case None:
            return 0, 0
        case bool() | int() | float():
            return 1, value
        case datetime():
            return 2, value
        case timedelta():
            return 3, value
        case str():
            return 4, value
        case _:
            return 5, _text(value)


def member(value: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return value[part] if isinstance(value, Sequence) and not isinstance(value, str) and part < len(value) else None
    if not isinstance(value, Mapping):
        return None
    if part in value:
        return value[part]
    return next((value[key] for key in value if isinstance(key, str) and key.lower() == part.lower()), None)


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return str(value).lower()
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"
        case timedelta() | int() | float():
            return str(value)
        case _:
            return msgspec.json.encode(value).decode()


def _moment(value: Any) -> datetime | None:
    return value if isinstance(value, datetime) else parse_date(value) if isinstance(value, str) else None


def _ago(now: datetime, length: Any) -> datetime | None:
    try:
        return now - length if isinstance(length, timedelta) else None
    except OverflowError:
        return None


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "tostring": (1, lambda now, value: _text(value)),
    "tolower": (1, lambda now, value: _text(value).lower()),
    "toupper": (1, lambda now, value: _text(value).upper()),
    "todatetime": (1, lambda now, value: _moment(value)),
    "now": (0, lambda now: now),
    "ago": (1, _ago),
    "isempty": (1, lambda now, value: _text(value) == ""),
    "isnotempty": (1, lambda now, value: _text(value) != ""),
    "isnull": (1, lambda now, value: value is None),
    "isnotnull": (1, lambda now, value: value is not None),
}
"""Each with how many arguments it takes."""


def same(left: Any, right: Any) -> bool:
    return left is not None and order_of(left) == order_of(right)


def same_folded(left: Any, right: Any) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    return same(left, right)


def _before(left: Any, right: Any) -> bool:
    (kind, value), (other, bound) = order_of(left), order_of(right)
    return bool(kind == other and left is not None and value < bound)


def _has(left: Any, right: Any) -> bool:
    term = re.escape(_text(right).casefold())
    return re.search(rf"(?<![^\W_]){term}(?![^\W_])", _text(left).casefold()) is not None


def _contains(left: Any, right: Any) -> bool:
    return _text(right).casefold() in _text(left).casefold()


def _starts(left: Any, right: Any) -> bool:
    return _text(left).casefold().startswith(_text(right).casefold())


def _ends(left: Any, right: Any) -> bool:
    return _text(left).casefold().endswith(_text(right).casefold())


def _negated(operator: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: not operator(left, right)


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": same,
    "!=": _negated(same),
    "=~": same_folded,
    "!~": _negated(same_folded),
    "<": _before,
    ">": lambda left, right: _before(right, left),
    "<=": lambda left, right: _before(left, right) or same(left, right),
    ">=": lambda left, right: _before(right, left) or same(left, right),
    "contains": _contains,
    "!contains": _negated(_contains),
    "startswith": _starts,
    "!startswith": _negated(_starts),
    "endswith": _ends,
    "!endswith": _negated(_ends),
    "has": _has,
    "!has": _negated(_has),
}
MEMBERSHIP = {"in": (False, False), "in~": (True, False), "!in": (False, True), "!in~": (True, True)}
"""Whether letter case is ignored, and whether it is negated."""

LITERALS = {"true": True, "false": False, "null": None}
