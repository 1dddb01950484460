"""A fleet as somebody declares it: scopes, the machines in them, and the numbers of the rules."""

from collections.abc import Sequence
from ipaddress import IPv4Address

from msgspec import Struct, field
from msgspec.structs import replace

from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings

FIRST_ADDRESS = IPv4Address("127.0.0.1")


class Fleet(Struct, frozen=True, kw_only=True):
    scopes: tuple[Scope, ...] = ()
    machines: tuple[Machine, ...] = ()
    settings: Settings = field(default_factory=Settings)


def with_addresses(machines: Sequence[Machine], first: IPv4Address) -> tuple[list[Machine], IPv4Address]:
    """Give each machine without an address of its own the next free loopback address; also the first one left over."""
    taken = {machine.address for machine in machines}
    placed: list[Machine] = []
    for machine in machines:
        if machine.address:
            placed.append(machine)
            continue
        while (free := str(first)) in taken:
            first += 1
        placed.append(replace(machine, address=free))
        first += 1
    return placed, first
