"""Machines and what they are made of."""

from collections.abc import Collection
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct, field


class Priority(Enum):
    REGULAR = "Regular"  # stays until its owner lets it go
    SPOT = "Spot"  # may be evicted with thirty seconds' notice
    LOW = "Low"  # Spot's older name, still on the wire


class EvictionPolicy(Enum):
    DEALLOCATE = "Deallocate"  # an evicted machine keeps its disks and can be started again
    DELETE = "Delete"  # an evicted machine is gone


class Power(Enum):
    RUNNING = "running"
    STOPPED = "stopped"  # off, and still on its host
    DEALLOCATED = "deallocated"  # off, and its host is given back


class Profile(Struct, frozen=True, kw_only=True, gc=False):
    """What a machine tells about itself through `/metadata/instance`. No rule reads it.

    `gc=False`, here and below: there are many, none can be part of a cycle, and the collector need not look at them.
    """

    vm_id: str = ""
    location: str = "local"
    resource_group: str = "forewarn"
    subscription_id: str = "00000000-0000-0000-0000-000000000000"
    size: str = "Standard_D2s_v5"
    os_type: str = "Linux"
    publisher: str = "Canonical"
    offer: str = "ubuntu-24_04-lts"
    sku: str = "server"
    version: str = "latest"
    private_ip: str = ""  # "": made from the machine's address
    mac: str = ""  # likewise
    tags: dict[str, str] = field(default_factory=dict)


class Machine(Struct, frozen=True, kw_only=True, gc=False):
    """One virtual machine, known by its scope and its name in it.

    `name` is the resource name: the string in `Resources` and in `compute.name`, not the host name.
    """

    scope: str
    name: str
    computer_name: str = ""
    address: str = ""  # where its metadata is asked for, or from: the loopback or source address that is this machine
    update_domain: int = 0
    fault_domain: int = 0
    host: str = ""  # "" is unknown: nothing is assumed to share its fate
    zone: str = ""
    priority: Priority = Priority.REGULAR
    eviction_policy: EvictionPolicy = EvictionPolicy.DEALLOCATE
    power: Power = Power.RUNNING
    terminate_notice: timedelta | None = None  # of the model applied to this instance; None: a delete is not announced
    os_image_notice: timedelta | None = None  # likewise, for a reimage
    instance: str = ""  # its id within a scale set
    model: int = 0  # which of its scale set's models it was made from, or brought to
    keep_on_scale_in: bool = False  # protectFromScaleIn
    keep_as_it_is: bool = False  # protectFromScaleSetActions
    created_at: datetime | None = None
    changed_at: datetime | None = None  # since when it is what it is: its power, or in a scale set its last restart
    declared: bool = True  # named in the fleet file, and leaves when the file names it no longer
    profile: Profile = field(default_factory=Profile)

    @property
    def is_spot(self) -> bool:
        return self.priority is not Priority.REGULAR


def any_runs(powers: Collection[Power]) -> bool:
    """Whether a scope with machines of these powers is up; one without machines is not down."""
    return not powers or Power.RUNNING in powers
