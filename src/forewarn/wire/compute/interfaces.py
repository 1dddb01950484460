"""The network interfaces of a scale set's instances: computed from its model, for nobody keeps them."""

from collections.abc import Iterable, Iterator

from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.wire.compute.digging import Json, dig
from forewarn.wire.instance import private_address


def interfaces(resource: Resource, machines: Iterable[Machine]) -> list[Json]:
    path = ("properties", "virtualMachineProfile", "networkProfile", "networkInterfaceConfigurations")
    cards: list[Json] = dig(resource.body, *path) or []
    return [_card(resource, machine, card) for machine in machines for card in cards]


def _card(resource: Resource, machine: Machine, card: Json) -> Json:
    own = f"{resource.id}/virtualMachines/{machine.instance}"
    name = card.get("name", "nic")
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
    for number, place in enumerate(dig(card, "properties", "ipConfigurations") or []):
        yield {
            "name": place.get("name", f"ipconfig{number}"),
            "properties": {
                **place.get("properties", {}),
                "privateIPAddress": address,
                "privateIPAllocationMethod": "Dynamic",
                "primary": number == 0,
                "provisioningState": "Succeeded",
            },
        }
