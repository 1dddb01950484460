"""Children that live inside their parent's properties, as those of network resources do: subnets, rules, pools.

The parent's body is the only place where they are kept; a path such as `virtualNetworks/v/subnets/s` is a way into it.
"""

from collections.abc import Sequence
from typing import Any

from forewarn.arm.asking import Json

Path = Sequence[tuple[str, str]]
"""The types and names that lead from the parent to the child."""


def children(properties: Json, kind: str) -> list[Json]:
    found = properties.get(_spelled(properties, kind))
    return [item for item in found if _is_child(item)] if isinstance(found, list) else []


def find(properties: Json, path: Path) -> Json | None:
    (kind, name), *deeper = path
    item = next((item for item in children(properties, kind) if item["name"].lower() == name.lower()), None)
    if item is None or not deeper:
        return item
    return find(_properties(item), deeper)


def put(properties: Json, path: Path, child: Json | None) -> Json:
    """The parent's properties with this child in them, or (None) without it. What lies on the way must be there."""
    (kind, name), *deeper = path
    known = children(properties, kind)
    item = next((item for item in known if item["name"].lower() == name.lower()), None)
    if deeper:
        assert item is not None, "whoever puts a child has found its parent"
        child = {**item, "properties": put(_properties(item), deeper, child)}
    after = [*known, child] if item is None else [child if other is item else other for other in known]
    return {**properties, _spelled(properties, kind): [other for other in after if other is not None]}


def dressed(properties: Json, id: str, type: str, etag: str) -> Json:
    """With an id, a type and a state on everything in them that has a name."""
    result = dict(properties)
    for kind, items in properties.items():
        if isinstance(items, list) and items and all(map(_is_child, items)):
            result[kind] = [_child(item, f"{id}/{kind}/{item['name']}", f"{type}/{kind}", etag) for item in items]
    return result


def _child(item: Json, id: str, type: str, etag: str) -> Json:
    inner = {**dressed(_properties(item), id, type, etag), "provisioningState": "Succeeded"}
    return {**item, "id": id, "type": type, "etag": etag, "properties": inner}


def _properties(item: Json) -> Json:
    properties = item.get("properties")
    return properties if isinstance(properties, dict) else {}


def _is_child(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("name"), str)


def _spelled(properties: Json, kind: str) -> str:
    return next((name for name in properties if name.lower() == kind.lower()), kind)
