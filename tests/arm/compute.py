"""What the tests of Compute have in common: bodies as clients send them, and short ways to ask."""

from typing import Any

from tests.access.asking import Answer
from tests.arm.rig import RG, Rig

Json = dict[str, Any]
COMPUTE = f"{RG}/providers/Microsoft.Compute"
SETS = f"{COMPUTE}/virtualMachineScaleSets"
SET = f"{SETS}/web"
MACHINES = f"{COMPUTE}/virtualMachines"
VM = f"{MACHINES}/vm"
AVAILABILITY_SET = f"{COMPUTE}/availabilitySets/as1"
NEWEST = "2026-04-01"
UBUNTU = {"publisher": "Canonical", "offer": "UbuntuServer", "sku": "18.04-LTS", "version": "latest"}
TEN_MINUTES = {"terminateNotificationProfile": {"notBeforeTimeout": "PT10M", "enable": "true"}}


def a_set(capacity: int | None = 2, *, mode: str = "Uniform", model: Json | None = None, **properties: Any) -> Json:
    """As `az vmss create` has it."""
    profile: Json = {
        "storageProfile": {
            "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": None}},
            "imageReference": UBUNTU,
        },
        "osProfile": {"computerNamePrefix": "webpre", "adminUsername": "azureuser", "adminPassword": "Pa55"},
        "networkProfile": {
            "networkInterfaceConfigurations": [
                {"name": "nic", "properties": {"primary": "true", "ipConfigurations": [{"name": "ip"}]}}
            ]
        },
        **(model or {}),
    }
    return {
        "location": "eastus",
        "sku": {"name": "Standard_D2s_v5", "capacity": capacity},
        "properties": {
            "upgradePolicy": {"mode": "manual"},
            "singlePlacementGroup": None,
            "orchestrationMode": mode,
            "virtualMachineProfile": profile,
            **properties,
        },
    }


def with_notice(capacity: int = 2, *, mode: str = "Uniform", **properties: Any) -> Json:
    return a_set(capacity, mode=mode, model={"scheduledEventsProfile": TEN_MINUTES}, **properties)


def a_machine(**properties: Any) -> Json:
    return {
        "location": "eastus",
        "properties": {
            "hardwareProfile": {"vmSize": "Standard_DS1_v2"},
            "storageProfile": {"imageReference": UBUNTU, "osDisk": {"createOption": "fromImage", "name": None}},
            "osProfile": {"computerName": "vm", "adminUsername": "azureuser", "adminPassword": "Pa55"},
            **properties,
        },
    }


class Cloud(Rig):
    """A rig that knows what to ask about machines."""

    def made(self, path: str, body: Json) -> Json:
        answer = self.ask("PUT", path, body, version=NEWEST)
        assert answer.status in (200, 201), answer.body
        return answer.json  # type: ignore[no-any-return]

    def post(self, path: str, body: Json | None = None) -> Answer:
        return self.ask("POST", path, body)

    def wait(self, answer: Answer) -> str:
        """How far the operation is that an answer told of."""
        url = answer.headers["azure-asyncoperation"]
        target = url.partition("localhost:8443")[2]
        return str(self.ask("GET", target, version="").json["status"])

    def events(self, scope: str) -> list[tuple[str, str, tuple[str, ...]]]:
        """What the scope's document announces: type, status, whom it is about."""
        found = self.run(self.store.read(lambda reader: reader.scope(scope)))
        assert found is not None, scope
        return [(e.type.value, e.phase.value, e.resources) for e in found.document.announcements]

    def ids(self, path: str = SET) -> list[str]:
        return [item["instanceId"] for item in self.get(f"{path}/virtualMachines")["value"]]

    def power(self, path: str) -> str:
        statuses = self.get(f"{path}/instanceView")["statuses"]
        return str(statuses[1]["code"]).partition("/")[2]


def a_cloud() -> Cloud:
    cloud = Cloud()
    cloud.put(RG, {"location": "eastus"})
    return cloud
