"""`$filter` of lists of resources: `name eq 'value'`, joined by `and`. What else OData can say is refused."""

import re
from collections.abc import Callable, Sequence

from forewarn.arm.asking import Ask
from forewarn.arm.errors import ArmError
from forewarn.domain.resources import Resource

LONGEST = 2000

Terms = Sequence[tuple[str, str]]

_TERM = re.compile(r"\s*(\w+)\s+eq\s+'((?:[^']|'')*)'\s*", re.IGNORECASE)
_AND = re.compile(r"and\b", re.IGNORECASE)


def kept_by(ask: Ask) -> Callable[[Resource], bool]:
    """Whether a resource is one of those the caller's `$filter` asks for."""
    terms = _resource_terms(ask.query.get("$filter", ""))
    return lambda resource: all(holds(resource) for holds in terms)


def equalities(text: str) -> Terms:
    """The names, in lower case, and the values they shall have."""
    found: list[tuple[str, str]] = []
    at = 0
    while text.strip():
        term = _TERM.match(text, at) if len(text) <= LONGEST else None
        if term is None:
            raise refused(text)
        found.append((term[1].lower(), term[2].replace("''", "'")))
        if term.end() == len(text):
            break
        joint = _AND.match(text, term.end())
        if joint is None:
            raise refused(text)
        at = joint.end()
    return found


def refused(text: str) -> ArmError:
    return ArmError(
        400,
        "InvalidFilterInQueryString",
        f"Invalid $filter '{text[:200]}' specified in the query string. Forewarn understands name eq 'value', joined by"
        f" 'and'; the names are {', '.join(NAMES)}.",
    )


NAMES = ("resourceGroup", "resourceType", "location", "name", "tagName", "tagValue")
_FIELDS: dict[str, Callable[[Resource], str]] = {
    "resourcegroup": lambda resource: resource.group.rpartition("/")[2],
    "resourcetype": lambda resource: resource.type,
    "location": lambda resource: resource.location,
    "name": lambda resource: resource.name,
}


def _resource_terms(text: str) -> list[Callable[[Resource], bool]]:
    terms = equalities(text)
    holds = [_field(_FIELDS[name], value) for name, value in terms if name in _FIELDS]
    tags = {name: value for name, value in terms if name in ("tagname", "tagvalue")}
    if len(holds) + len(tags) < len(terms):
        raise refused(text)
    if tags:
        holds.append(lambda resource: _tagged(resource, tags.get("tagname"), tags.get("tagvalue")))
    return holds


def _field(field: Callable[[Resource], str], value: str) -> Callable[[Resource], bool]:
    wanted = value.lower()
    return lambda resource: field(resource).lower() == wanted


def _tagged(resource: Resource, name: str | None, value: str | None) -> bool:
    return any(
        (name is None or known.lower() == name.lower()) and (value is None or held == value)
        for known, held in (resource.body.get("tags") or {}).items()
    )
