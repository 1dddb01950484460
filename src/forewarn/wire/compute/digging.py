"""Looking into JSON that somebody else wrote. A value of the wrong kind is said to be so, with its path."""

from typing import Any

from forewarn.domain.errors import Invalid

Json = dict[str, Any]


def an_object(body: Json, *path: str) -> Json:
    """The object there; empty if there is none."""
    found: Any = body
    for at, name in enumerate(path):
        found = found.get(name)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise Invalid(f"'{'.'.join(path[: at + 1])}' must be an object.")
    return found  # type: ignore[no-any-return]


def a_text(body: Json, *path: str) -> str:
    value = an_object(body, *path[:-1]).get(path[-1])
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Invalid(f"'{'.'.join(path)}' must be a string.")
    return value


def a_flag(body: Json, *path: str, default: bool = False) -> bool:
    value = an_object(body, *path[:-1]).get(path[-1])
    if value is None:
        return default
    if not isinstance(value, bool):
        raise Invalid(f"'{'.'.join(path)}' must be true or false.")
    return value


def a_number(body: Json, *path: str) -> int | None:
    value = an_object(body, *path[:-1]).get(path[-1])
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise Invalid(f"'{'.'.join(path)}' must be a whole number.")
    return value


def texts(body: Json, *path: str) -> tuple[str, ...]:
    value = an_object(body, *path[:-1]).get(path[-1])
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Invalid(f"'{'.'.join(path)}' must be a list of strings.")
    return tuple(value)


def objects(body: Json, *path: str) -> list[Json]:
    value = an_object(body, *path[:-1]).get(path[-1])
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Invalid(f"'{'.'.join(path)}' must be a list of objects.")
    return value


def dig(body: Any, *path: str) -> Any:
    """Whatever is there; None if nothing is, or the way to it is none."""
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body
