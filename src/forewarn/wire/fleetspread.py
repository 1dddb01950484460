"""How the members of a set are spread over placement groups, zones, hosts and addresses."""

import re
from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from forewarn.domain.machines import Machine
from forewarn.domain.scopes import group_prefix
from forewarn.wire.tables import Table

GROUP_SIZE = 100  # machines of a placement group, at most
MOST = 100_000  # machines of one set
HOST_WORDS = ("set", "index", "update_domain", "fault_domain", "zone")


def instances(table: Table) -> Sequence[int]:
    """`instances` is a number, or the list of instance ids."""
    ids = table.raw("instances")
    if not isinstance(ids, list):
        if ids is None:
            raise table.wrong("", "it has no instances: say instances = 3")
        return range(table.integer("instances", 0, 0, MOST))
    if not all(isinstance(i, int) and not isinstance(i, bool) and 0 <= i < 36**6 for i in ids) or len(ids) > MOST:
        raise table.unfit("instances", "a number of instances or a list of instance ids")
    if len(set(ids)) < len(ids):
        raise table.wrong("instances", "an instance id is there twice")
    return ids


def zones(table: Table) -> tuple[str, ...]:
    named = table.list_of_texts("zones")
    if len(set(named)) < len(named) or not all(zone.isalnum() for zone in named):
        raise table.unfit("zones", 'a list of different zones, such as ["1", "2", "3"]')
    return named or ("",)


def placement_groups(
    name: str, instances: Sequence[int], zones: tuple[str, ...]
) -> Iterator[tuple[str, str, Sequence[tuple[int, int]]]]:
    """Scope id, zone and (index, instance id) of each group. A group never spans zones."""
    members = list(enumerate(instances))
    for offset, zone in enumerate(zones):
        here = members[offset :: len(zones)]
        for group, start in enumerate(range(0, max(len(here), 1), GROUP_SIZE)):
            scope = group_prefix(name) + (f"z{zone}-{group}" if zone else str(group))
            yield scope, zone, here[start : start + GROUP_SIZE]


def hosts(table: Table) -> Callable[[Machine, int], str] | None:
    """`hosts` is a number of hosts, a list of their names, or a pattern; without it, no machine's host is known."""
    match table.raw("hosts"):
        case None:
            return None
        case str(pattern):
            return _host_pattern(table, pattern)
        case list():
            names = table.list_of_texts("hosts")
            if not names:
                raise table.unfit("hosts", "a number of hosts, a list of names, or a pattern")
            return lambda machine, index: names[index % len(names)]
        case _:
            count = table.integer("hosts", 1, 1, MOST)
            return lambda machine, index: f"{table.label}-host-{index % count}"


def _host_pattern(table: Table, pattern: str) -> Callable[[Machine, int], str]:
    for word in re.findall(r"\{(.*?)\}", pattern):
        if word not in HOST_WORDS:
            raise table.wrong("hosts", f"hosts may hold {{{'}, {'.join(HOST_WORDS)}}}, not {{{word[:40]}}}")

    def host_of(machine: Machine, index: int) -> str:
        words = (table.label, index, machine.update_domain, machine.fault_domain, machine.zone)
        values = dict(zip(HOST_WORDS, map(str, words), strict=True))
        return re.sub(r"\{(.*?)\}", lambda found: values[found[1]], pattern)

    return host_of


def addresses(table: Table, count: int) -> Callable[[int], str]:
    """`first_address`: the members get the addresses from there on, one after another."""
    text = table.address("first_address")
    if not text:
        return lambda index: ""
    first: IPv4Address | IPv6Address = ip_address(text)
    if int(first) + count >= 1 << first.max_prefixlen:
        raise table.wrong("first_address", f"there are not {count} addresses from {first} on")
    return lambda index: str(first + index)
