"""What is secret goes in and never comes out: not in an answer, a list, a query or the store."""

from typing import Any

import pytest

from tests.arm.compute import COMPUTE, SET, VM, a_machine, a_set
from tests.arm.rig import RG, Rig, S, a_rig
from tests.arm.test_deployments import DEPLOYMENTS, a_body

SECRET = "S3cret-of-the-tests"
EXTENSION = {"location": "eastus", "properties": {"type": "t", "protectedSettings": {"key": SECRET}}}
PROFILE = {"adminUsername": "u", "adminPassword": SECRET, "AdminPassword": SECRET, "customData": SECRET}
ROLE = {"name": "web", "sku": {"name": "Standard_D1_v2", "capacity": 1}}
SERVICE = {"roleProfile": {"roles": [ROLE]}, "extensionProfile": {"extensions": [EXTENSION]}}
BODIES = [
    pytest.param(VM, a_machine(osProfile=PROFILE, userData=SECRET), id="machine"),
    pytest.param(
        SET, a_set(1, model={"osProfile": PROFILE, "extensionProfile": {"extensions": [EXTENSION]}}), id="scale-set"
    ),
    pytest.param(f"{COMPUTE}/cloudServices/s", {"location": "eastus", "properties": SERVICE}, id="cloud-service"),
    pytest.param(f"{VM}/extensions/e", EXTENSION, id="extension"),
    pytest.param(f"{VM}/runCommands/r", {"properties": {"runAsPassword": SECRET}}, id="run-command"),
    pytest.param(
        f"{RG}/providers/Microsoft.Network/connections/c", {"properties": {"sharedKey": SECRET}}, id="connection"
    ),
]


def everything(rig: Rig) -> bytes:
    paths = (f"{S}/resources", f"{S}/providers/Microsoft.Compute/virtualMachines", f"{S}/resourceGroups")
    graph = rig.ask("POST", "/providers/Microsoft.ResourceGraph/resources", {"query": "resources"}).body
    kept = rig.run(rig.store.read(lambda reader: [resource.body for resource in reader.list_resources()]))
    return b"".join((*(rig.ask("GET", path).body for path in paths), graph, repr(kept).encode()))


@pytest.mark.parametrize(("path", "body"), BODIES)
def test_a_secret_in_a_body_is_not_kept(path: str, body: Any) -> None:
    rig = a_rig()
    if path.startswith(f"{VM}/"):
        rig.put(VM, a_machine())
    for method in ("PUT", "PATCH", "PUT"):
        assert SECRET.encode() not in rig.ask(method, path, body).body
    assert SECRET.encode() not in rig.ask("GET", path).body
    assert SECRET.encode() not in everything(rig)


def test_a_tag_is_no_secret_whatever_it_is_called() -> None:
    rig = a_rig()
    path = f"{RG}/providers/Microsoft.Network/publicIPAddresses/p"
    assert rig.put(path, {"location": "eastus", "tags": {"userData": "x"}})["tags"] == {"userData": "x"}


def test_a_deployment_does_not_tell_its_secure_parameters() -> None:
    rig = a_rig()
    machine = {"type": "Microsoft.Compute/virtualMachines", "name": "t", "apiVersion": "2024-11-01"}
    profile = {"computerName": "t", "adminUsername": "u", "adminPassword": "[parameters('pw')]"}
    body = a_body(
        {**machine, **a_machine(osProfile=profile)},
        parameters={"pw": {"type": "securestring"}, "more": {"type": "SecureObject", "defaultValue": {"x": SECRET}}},
        values={"pw": {"value": SECRET}},
        outputs={"out": {"type": "securestring", "value": "[parameters('pw')]"}},
    )
    path = f"{DEPLOYMENTS}/d"
    asked = [("PUT", path, body), ("POST", f"{path}/validate", body), ("POST", f"{path}/exportTemplate", None)]
    asked += [("GET", path, None), ("GET", f"{path}/operations", None), ("GET", DEPLOYMENTS, None)]
    for method, where, sent in asked:
        answer = rig.ask(method, where, sent)
        assert answer.status in (200, 201)
        assert SECRET.encode() not in answer.body
    assert SECRET.encode() not in everything(rig)
