"""What the bodies of all resources have in common: a location, tags, and how a new body meets the stored one."""

import re
from typing import Any

from forewarn.arm.asking import Json
from forewarn.arm.errors import ArmError

MOST_TAGS = 50
LONGEST_TAG = 512
LONGEST_VALUE = 256

_LOCATION = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def location_of(body: Json) -> str:
    """As Azure writes it: `East US` is `eastus`. Empty if the body has none."""
    location = body.get("location")
    if location is None:
        return ""
    name = location.replace(" ", "").lower() if isinstance(location, str) else ""
    if not _LOCATION.fullmatch(name):
        raise ArmError(400, "InvalidLocation", "The location is not valid: it is a name such as 'eastus'.", "location")
    return name


def tags_of(body: Json) -> dict[str, str] | None:
    """None if the body has none."""
    tags = body.get("tags")
    if tags is None:
        return None
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise ArmError(400, "InvalidTags", "The tags are not valid: they are an object of strings.", "tags")
    if len(tags) > MOST_TAGS:
        raise ArmError(400, "InvalidTagCount", f"A resource has at most {MOST_TAGS} tags.", "tags")
    if any(not 0 < len(name) <= LONGEST_TAG or len(value) > LONGEST_VALUE for name, value in tags.items()):
        message = f"A tag's name has 1 to {LONGEST_TAG} characters, its value at most {LONGEST_VALUE}."
        raise ArmError(400, "InvalidTagNameOrValue", message, "tags")
    return tags


def properties_of(body: Json) -> Json:
    properties = body.get("properties")
    if properties is None:
        return {}
    if not isinstance(properties, dict):
        raise ArmError(400, "InvalidRequestContent", "The properties must be a JSON object.", "properties")
    return properties


def without_nulls(value: Any) -> Any:
    """Null is how clients say nothing; nothing is how ARM answers it."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def patched(known: Json, patch: Json) -> Json:
    """A JSON merge patch (RFC 7386): objects meet name by name, null takes away, everything else replaces."""
    result = dict(known)
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            before = result.get(name)
            result[name] = patched(before if isinstance(before, dict) else {}, value)
        else:
            result[name] = value
    return result
