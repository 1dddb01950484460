"""What a machine is told about itself at `/metadata/instance`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from forewarn.client.errors import Unreadable
from forewarn.client.reading import read_object, text_of

VERSIONS = ("2021-02-01", "2017-12-01")
"""The later one has all of it; old hosts know only the other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Instance:
    """Empty where the service does not say."""

    name: str
    """What the machine is called in the resources of events."""
    computer_name: str = ""
    scale_set: str = ""
    placement_group: str = ""
    update_domain: str = ""
    fault_domain: str = ""
    zone: str = ""
    location: str = ""
    priority: str = ""
    """`Spot` if it can be taken away."""
    subscription: str = ""
    resource_group: str = ""
    resource_id: str = ""
    vm_id: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    raw: Mapping[str, object] = field(repr=False, hash=False)
    """All of it, as it was sent."""


def read_instance(body: bytes) -> Instance:
    document = read_object(body)
    compute = document.get("compute")
    if not isinstance(compute, dict):
        raise Unreadable("The answer is no instance metadata: it has no compute.")
    profile = compute.get("osProfile")
    return Instance(
        name=text_of(compute.get("name")),
        computer_name=text_of(profile.get("computerName")) if isinstance(profile, dict) else "",
        scale_set=text_of(compute.get("vmScaleSetName")),
        placement_group=text_of(compute.get("placementGroupId")),
        update_domain=text_of(compute.get("platformUpdateDomain")),
        fault_domain=text_of(compute.get("platformFaultDomain")),
        zone=text_of(compute.get("zone")),
        location=text_of(compute.get("location")),
        priority=text_of(compute.get("priority")),
        subscription=text_of(compute.get("subscriptionId")),
        resource_group=text_of(compute.get("resourceGroupName")),
        resource_id=text_of(compute.get("resourceId")),
        vm_id=text_of(compute.get("vmId")),
        tags=_tags(compute),
        raw=document,
    )


def _tags(compute: Mapping[str, object]) -> dict[str, str]:
    """From the list if there is one: in the text, a tag with a `;` in it looks like two."""
    listed = compute.get("tagsList")
    if isinstance(listed, list):
        tags = [tag for tag in listed if isinstance(tag, dict)]
        return {text_of(tag.get("name")): text_of(tag.get("value")) for tag in tags}
    pairs = [pair.partition(":") for pair in text_of(compute.get("tags")).split(";") if pair]
    return {name: value for name, _, value in pairs}
