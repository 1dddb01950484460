"""The network interfaces of a scale set's instances: computed from its model, for nobody keeps them."""

from collections.abc import Iterable, Iterator

from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.wire.compute.digging import Json, dig
from forewarn.wire.instance import private_address


def interfaces(resource: Resource, machines: Iterable[Machine]) -> list[Json]:
    path = ("properties", "virtualMachineProfile", "networkProfile", "networkInterfaceConfigurations")
    configured = dig(resource.body, *path)
    cards = [card for card in configured if isinstance(card, dict)] if isinstance(configured, list) else []
    return [_card(resource, machine, card) for machine in machines for card in cards]


def _card(resource: Resource, machine: Machine, card: Json) -> Json:
    own = f"{resource.id}/virtualMachines/{machine.instance}"
    name = str(card.get("name", "nic"))
    address, mac = private_address(machine)
    return {
        "name": name,
        "id": f"{own}/networkInterfaces/{name}",
        "properties": {
            "provisioningState": "Succeeded",
            "ipConfigurations": list(_places(card, address)),
            "macAddress": mac,
            "primary": bool(dig(card, "properties", "primary")),
            "virtualMachine": {"id": own},
        },
    }


def _places(card: Json, address: str) -> Iterator[Json]:
    places = dig(card, "properties", "ipConfigurations")
    for number, place in enumerate(places if isinstance(places, list) else []):
        yield {
            "name": str(dig(place, "name") or f"ipconfig{number}"),
            "properties": {
                **(dig(place, "properties") or {}),
                "privateIPAddress": address,
                "privateIPAllocationMethod": "Dynamic",
                "primary": number == 0,
                "provisioningState": "Succeeded",
            },
        }
