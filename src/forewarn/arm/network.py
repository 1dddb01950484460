"""What Azure adds to a network resource by itself: addresses. Nothing is reachable at them; clients print them."""

import hashlib
from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Network, ip_network

from msgspec.structs import replace

from forewarn.arm.asking import Json
from forewarn.arm.children import children, find
from forewarn.arm.errors import ArmError
from forewarn.domain.resources import Resource
from forewarn.engine.ports import Reader
from forewarn.wire.arm_ids import BadId, parse_id

PUBLIC = ip_network("100.64.0.0/10")
"""Addresses that are nobody's in the open network."""
PUBLIC_6 = ip_network("2001:db8::/64")
PRIVATE = ip_network("10.0.0.0/16")
KEPT_BACK = 4
"""The first addresses of a subnet are the platform's own, as in Azure."""

NETWORK = "Microsoft.Network"
PUBLIC_IP = "Microsoft.Network/publicIPAddresses"
INTERFACE = "Microsoft.Network/networkInterfaces"

Network = IPv4Network | IPv6Network


def addressed(reader: Reader, resource: Resource) -> Resource:
    """With the addresses it has not been given by its owner, nor had before."""
    if resource.type == PUBLIC_IP:
        return _public(reader, resource)
    if resource.type == INTERFACE:
        return _interface(reader, resource)
    return resource


def _public(reader: Reader, resource: Resource) -> Resource:
    properties = _properties(resource.body)
    if isinstance(properties.get("ipAddress"), str):
        return resource
    six = properties.get("publicIPAddressVersion") == "IPv6"
    address = _free(PUBLIC_6 if six else PUBLIC, _taken(reader, resource), resource.key)
    defaults = {
        "publicIPAddressVersion": "IPv4",
        "publicIPAllocationMethod": "Dynamic",
        "idleTimeoutInMinutes": 4,
    }
    return _with(resource, {**defaults, **properties, "ipAddress": address})


def _interface(reader: Reader, resource: Resource) -> Resource:
    properties = _properties(resource.body)
    configured: list[Json] = []
    taken = set(_taken(reader, resource))
    for number, item in enumerate(children(properties, "ipConfigurations")):
        inner = _properties(item)
        if not isinstance(inner.get("privateIPAddress"), str):
            inner = {**inner, "privateIPAddress": _free(_subnet(reader, inner), taken, f"{resource.key}/{number}")}
        taken.add(inner["privateIPAddress"])
        defaults = {
            "primary": number == 0,
            "privateIPAllocationMethod": "Dynamic",
            "privateIPAddressVersion": "IPv4",
        }
        configured.append({**item, "properties": {**defaults, **inner}})
    mac = hashlib.sha256(resource.key.encode()).hexdigest()[:6].upper()
    added = {"macAddress": f"00-0D-3A-{mac[:2]}-{mac[2:4]}-{mac[4:]}", "ipConfigurations": configured}
    return _with(resource, {"enableAcceleratedNetworking": False, "enableIPForwarding": False, **properties, **added})


def _subnet(reader: Reader, properties: Json) -> Network:
    """Where an interface is: in its subnet's addresses, if that is there and has some."""
    named = _properties(properties, "subnet").get("id")
    try:
        subnet = parse_id(named) if isinstance(named, str) else None
    except BadId:
        subnet = None
    home = reader.resource(subnet.parent.key) if subnet and subnet.is_child and subnet.parent else None
    if home is None or subnet is None:
        return PRIVATE
    known = _properties(find(_properties(home.body), [(subnet.types[-1], subnet.name)]) or {})
    prefixes = known.get("addressPrefixes")
    prefix = known.get("addressPrefix") or (prefixes[0] if isinstance(prefixes, list) and prefixes else None)
    try:
        return ip_network(prefix) if isinstance(prefix, str) else PRIVATE
    except ValueError:
        return PRIVATE


def _taken(reader: Reader, resource: Resource) -> Collection[str]:
    """By the others of its kind."""
    others = reader.list_resources(kind=resource.type)
    found = [_properties(other.body) for other in others if other.key != resource.key]
    addresses = {properties.get("ipAddress") for properties in found}
    for properties in found:
        addresses |= {_properties(item).get("privateIPAddress") for item in children(properties, "ipConfigurations")}
    return {address for address in addresses if isinstance(address, str)}


def _free(network: Network, taken: Collection[str], seed: str) -> str:
    """The first that nobody has; in a large network from a place that the seed says, in a small one from the start."""
    size = network.num_addresses - KEPT_BACK - 1
    if size <= 0:
        return str(network[0])
    start = int(hashlib.sha256(seed.encode()).hexdigest(), 16) % size if size > 65_536 else 0
    for step in range(min(len(taken) + 1, size)):
        address = str(network[KEPT_BACK + (start + step) % size])
        if address not in taken:
            return address
    raise ArmError(400, "SubnetIsFull", f"There is no address left in {network}.")


def _with(resource: Resource, properties: Json) -> Resource:
    return replace(resource, body={**resource.body, "properties": properties})


def _properties(body: Json, name: str = "properties") -> Json:
    properties = body.get(name)
    return properties if isinstance(properties, dict) else {}
