"""One Forewarn per module, standing still in time, and clients that know nothing but environment variables."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from azure.identity import DefaultAzureCredential
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.maintenance import MaintenanceManagementClient
from azure.mgmt.resource import ResourceManagementClient  # type: ignore[import-untyped]

from tests.azure.driving import Fleet, evaluated
from tests.e2e.running import up


@dataclass(frozen=True, kw_only=True)
class Sdk:
    fleet: Fleet
    credential: DefaultAzureCredential
    subscription: str
    url: str
    compute: ComputeManagementClient = field(init=False)
    resources: ResourceManagementClient = field(init=False)
    maintenance: MaintenanceManagementClient = field(init=False)

    def __post_init__(self) -> None:
        for name, kind in (
            ("compute", ComputeManagementClient),
            ("resources", ResourceManagementClient),
            ("maintenance", MaintenanceManagementClient),
        ):
            made: Any = kind
            client = made(self.credential, self.subscription, base_url=self.url, polling_interval=0.2)
            object.__setattr__(self, name, client)


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sdk]:
    data = tmp_path_factory.mktemp("forewarn") / "data"
    with up(data, "--empty", "--clock", "manual") as forewarn, pytest.MonkeyPatch.context() as patch:
        told = evaluated(forewarn, tmp_path_factory.mktemp("home"), "--sdk")
        for name in set(told) - set(os.environ) | {"REQUESTS_CA_BUNDLE"}:
            patch.setenv(name, told[name])
        sdk = Sdk(
            fleet=Fleet(forewarn=forewarn),
            credential=DefaultAzureCredential(),
            subscription=told["AZURE_SUBSCRIPTION_ID"],
            url=forewarn.arm,
        )
        sdk.resources.resource_groups.create_or_update("rg1", {"location": "eastus"})
        yield sdk
        for client in (sdk.compute, sdk.resources, sdk.maintenance):
            client.close()
        sdk.credential.close()
