"""What the control plane is told about: groups, machines, sets, networks, each as its owner described it.

A resource is a description and a key. What happens to the machines behind it is told by scopes and machines, and
whatever of a description a rule needs is given to the rule in its own words.
"""

from datetime import datetime
from typing import Any

from msgspec import Struct, field

GROUP = "Microsoft.Resources/resourceGroups"
VIRTUAL_MACHINE = "Microsoft.Compute/virtualMachines"
SCALE_SET = "Microsoft.Compute/virtualMachineScaleSets"
AVAILABILITY_SET = "Microsoft.Compute/availabilitySets"
CLOUD_SERVICE = "Microsoft.Compute/cloudServices"
WITH_MACHINES = (VIRTUAL_MACHINE, SCALE_SET, AVAILABILITY_SET, CLOUD_SERVICE)


def group_id(subscription: str, group: str) -> str:
    return f"/subscriptions/{subscription}/resourceGroups/{group}"


def resource_id(subscription: str, group: str, kind: str, name: str) -> str:
    return f"{group_id(subscription, group)}/providers/{kind}/{name}"


class Resource(Struct, frozen=True, kw_only=True):
    id: str  # as ARM writes it, in the letter case of its maker
    type: str  # such as Microsoft.Compute/virtualMachines
    name: str
    group: str = ""  # key of the resource group it is in; "" for a group itself
    location: str = ""
    body: dict[str, Any] = field(default_factory=dict)  # tags, sku, zones, identity, properties: kept and given back
    version: int = 1  # counts every change of the description; its etag
    model: int = 1  # counts the changes of what a scale set's instances are made from
    counter: int = 0  # the number of the next instance of a scale set
    leaving: bool = False  # being deleted: it is gone once the last machine behind it is
    created_at: datetime | None = None
    scope: str = ""  # what it is in the fleet: a scope's id, or a scale set's name
    machine: str = ""  # of a virtual machine: its name there

    @property
    def key(self) -> str:
        """Resource ids are compared without regard to letter case."""
        return self.id.lower()


class Job(Struct, frozen=True, kw_only=True):
    """What a caller of the control plane waits for: it ends when the last of its operations does."""

    id: str
    target: str  # the resource it is about
    started_at: datetime
    operations: tuple[str, ...] = ()
    code: str = ""  # why it failed at once, if it did
    message: str = ""
