"""An availability set as its owner sees it."""

from collections.abc import Iterable

from forewarn.domain.errors import Invalid
from forewarn.domain.resources import Resource
from forewarn.wire.compute.digging import Json, a_number, an_object

MOST = {"platformUpdateDomainCount": 20, "platformFaultDomainCount": 3}


def domains_of(body: Json) -> tuple[int, int]:
    """Update domains and fault domains."""
    properties = an_object(body, "properties")
    counts = [a_number(properties, name) or 1 for name in MOST]
    for (name, most), count in zip(MOST.items(), counts, strict=True):
        if not 1 <= count <= most:
            raise Invalid(f"'{name}' must be from 1 to {most}, not {count}.")
    return counts[0], counts[1]


def availability_set_view(resource: Resource, members: Iterable[str] | None) -> Json:
    """`members` are the ids of its machines; None: they are not told."""
    properties = {**resource.body["properties"]}
    if members is not None:
        properties["virtualMachines"] = [{"id": member} for member in members]
    return {
        "name": resource.name,
        "id": resource.id,
        "type": resource.type,
        "location": resource.location,
        "tags": {},
        **resource.body,
        "properties": properties,
    }
