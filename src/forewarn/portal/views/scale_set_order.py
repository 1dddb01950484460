"""What is sent to create a scale set: the requests that `az vmss create` would make, in their order."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from forewarn.domain.durations import format_iso
from forewarn.domain.resources import SCALE_SET, group_id, resource_id
from forewarn.portal.views.scale_set_wish import ON, Known, Wish
from forewarn.portal.views.scale_sets import a_whole

Json = dict[str, Any]
NETWORK = "Microsoft.Network/virtualNetworks"
NETWORK_VERSION = "2020-11-01"
"""Which a flexible set has to name, to make its interfaces by."""
LONGEST_PREFIX = 9
"""Of a computer name, so that a Windows machine can have it too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Put:
    path: str
    body: Json
    is_new: bool = False
    """Whether it is refused rather than change something that was made by somebody else in the meantime."""

    @property
    def headers(self) -> dict[str, str]:
        return {"If-None-Match": "*"} if self.is_new else {}

    @property
    def text(self) -> str:
        return json.dumps(self.body, indent=2, ensure_ascii=False)


def orders(wish: Wish, known: Known) -> tuple[Put, ...]:
    """Of a wish that has no faults. What is there already is left as it is."""
    return tuple(_orders(wish, known))


def keys_of(wish: Wish, subscription: str) -> tuple[str, ...]:
    """Of what may be there already under a name that is wished for."""
    names = ((SCALE_SET, wish.name), (NETWORK, wish.network_name))
    return tuple(resource_id(subscription, wish.in_group, kind, name).lower() for kind, name in names)


def _orders(wish: Wish, known: Known) -> Iterator[Put]:
    group = wish.in_group
    if not known.has_group(group):
        yield Put(path=group_id(known.subscription, group), body={"location": wish.location})
    network = resource_id(known.subscription, group, NETWORK, wish.network_name)
    if network.lower() not in known.taken:
        yield Put(path=network, body=_network(wish))
    path = resource_id(known.subscription, group, SCALE_SET, wish.name)
    yield Put(path=path, body=_scale_set(wish, network), is_new=True)


def _network(wish: Wish) -> Json:
    subnet = {"name": wish.subnet_name, "properties": {"addressPrefix": "10.0.0.0/21"}}
    space = {"addressPrefixes": ["10.0.0.0/16"]}
    return {"location": wish.location, "properties": {"addressSpace": space, "subnets": [subnet]}}


def _scale_set(wish: Wish, network: str) -> Json:
    properties: Json = {
        "orchestrationMode": wish.mode,
        "upgradePolicy": {"mode": wish.upgrade},
        "scaleInPolicy": {"rules": [wish.scale_in]},
        "virtualMachineProfile": _model(wish, network),
    }
    if wish.repairs == ON:
        grace = format_iso(timedelta(minutes=a_whole(wish.grace) or 0))
        properties["automaticRepairsPolicy"] = {"enabled": True, "gracePeriod": grace, "repairAction": wish.action}
    return {
        "location": wish.location,
        "tags": {name: value for name, _, value in wish.tag_pairs},
        "sku": {"name": wish.size, "capacity": a_whole(wish.count)},
        "properties": properties,
    }


def _model(wish: Wish, network: str) -> Json:
    publisher, offer, sku = wish.image.split(":")
    image = {"publisher": publisher, "offer": offer, "sku": sku, "version": "latest"}
    model: Json = {
        "storageProfile": {
            "imageReference": image,
            "osDisk": {"createOption": "FromImage", "caching": "ReadWrite"},
        },
        "osProfile": {"computerNamePrefix": wish.name[:LONGEST_PREFIX], "adminUsername": wish.admin},
        "networkProfile": _interfaces(wish, network),
    }
    if wish.spot == ON:
        model |= {"priority": "Spot", "evictionPolicy": wish.eviction}
    if wish.notify == ON:
        delay = format_iso(timedelta(minutes=a_whole(wish.delay) or 0))
        model["scheduledEventsProfile"] = {
            "terminateNotificationProfile": {"notBeforeTimeout": delay, "enable": True},
        }
    return model


def _interfaces(wish: Wish, network: str) -> Json:
    subnet = {"subnet": {"id": f"{network}/subnets/{wish.subnet_name}"}}
    addresses = [{"name": f"{wish.name}IPConfig", "properties": subnet}]
    card = {"name": f"{wish.name}Nic", "properties": {"primary": True, "ipConfigurations": addresses}}
    version = {"networkApiVersion": NETWORK_VERSION} if wish.mode == "Flexible" else {}
    return {**version, "networkInterfaceConfigurations": [card]}
