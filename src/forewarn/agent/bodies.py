"""A request's body from a template, written so that no fact can break the form: a quote in a description stays text."""

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote_plus

from forewarn.agent.templates import put

JSON = "application/json"


def check_template(template: str, content_type: str) -> None:
    """Raises ValueError with a reason."""
    if not _is_json(content_type):
        return
    try:
        json.loads(template)
    except ValueError as error:
        raise ValueError(
            f"'template' is no JSON ({error}): put names such as {{event}} into quotes, "
            "or say in 'headers' which other Content-Type it is"
        ) from None


def filled(template: str, content_type: str, facts: Mapping[str, str]) -> bytes:
    if _is_json(content_type):
        return json.dumps(_walked(json.loads(template), facts)).encode()
    written = _writer(content_type)
    return put(template, {name: written(value) for name, value in facts.items()}).encode()


def _walked(value: Any, facts: Mapping[str, str]) -> Any:
    match value:
        case str():
            return put(value, facts)
        case list():
            return [_walked(item, facts) for item in value]
        case dict():
            return {put(key, facts): _walked(item, facts) for key, item in value.items()}
        case _:
            return value


def _kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _is_json(content_type: str) -> bool:
    return _kind(content_type) == JSON or _kind(content_type).endswith("+json")


def _writer(content_type: str) -> Callable[[str], str]:
    kind = _kind(content_type)
    if kind == "application/x-www-form-urlencoded":
        return quote_plus
    return escape if kind == "text/html" or kind.endswith("xml") else str
