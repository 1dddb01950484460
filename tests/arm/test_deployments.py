"""Deployments: the CLI's own templates, what becomes of them, and what they say when they fail."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from forewarn.domain.events import Actor
from tests.access.asking import Answer
from tests.arm.rig import RG, Rig, S, a_rig

GOLDEN = Path(__file__).parents[1] / "wire" / "golden" / "templates"
HERE = "https://localhost:8443"
DEPLOYMENTS = f"{RG}/providers/Microsoft.Resources/deployments"
D = f"{DEPLOYMENTS}/d"
NETWORK = f"{RG}/providers/Microsoft.Network"
VNET = {
    "type": "Microsoft.Network/virtualNetworks",
    "name": "v",
    "apiVersion": "2022-01-01",
    "properties": {"subnets": [{"name": "s", "properties": {"addressPrefix": "10.0.0.0/24"}}]},
}


def a_body(*resources: object, parameters: object = None, values: object = None, outputs: object = None) -> Any:
    template = {"resources": list(resources), "parameters": parameters or {}, "outputs": outputs or {}}
    return {"properties": {"mode": "incremental", "template": template, "parameters": values or {}}}


def a_child(name: str, **more: object) -> Any:
    return {
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "name": name,
        "apiVersion": "2022-01-01",
        "properties": {},
        **more,
    }


def deploy(rig: Rig, body: object, path: str = D) -> Any:
    """What is polled in the end."""
    return status(rig, rig.ask("PUT", path, body))


def status(rig: Rig, made: Answer) -> Any:
    assert made.status in (200, 201), made.body
    assert float(made.headers["retry-after"]) > 0
    return rig.get(made.headers["azure-asyncoperation"].removeprefix(HERE), version="")


@pytest.mark.parametrize(
    "file", sorted(GOLDEN.glob("cli-*/*.json")), ids=lambda file: f"{file.parent.name}-{file.stem}"
)
def test_the_templates_of_the_cli_are_deployed(file: Path) -> None:
    rig = Rig()
    there = f"{S}/resourceGroups/rg1"
    rig.put(there, {"location": "eastus"})
    rig.put(f"{there}/providers/Microsoft.Compute/availabilitySets/as1", {"location": "eastus"})
    body = json.loads(re.sub(r"/subscriptions/[0-9a-f-]{36}", S, file.read_text()))
    deployment = f"{there}/providers/Microsoft.Resources/deployments/d"
    assert deploy(rig, body, deployment) == {"status": "Succeeded"}
    told = rig.get(deployment)["properties"]
    assert told["provisioningState"] == "Succeeded"
    for made in told["outputResources"]:
        rig.get(made["id"])
    assert set(told["outputs"]) == {name.lower() for name in body["properties"]["template"].get("outputs", {})}
    for secret in body["properties"].get("parameters", {}).values():
        assert secret["value"] not in repr(rig.run(rig.store.read(lambda reader: reader.list_resources())))


def test_a_deployment_and_what_it_made() -> None:
    rig = a_rig()
    outputs = {
        "VNETId": {"type": "string", "value": "[resourceId('Microsoft.Network/virtualNetworks', 'v')]"},
        "network": {"type": "object", "value": "[reference('v')]"},
        "older": {"type": "string", "value": "[reference(resourceId('Microsoft.Compute/disks','d')).more]"},
    }
    rig.put(f"{RG}/providers/Microsoft.Compute/disks/d", {"properties": {"more": "x"}})
    made = rig.ask("PUT", D, {**a_body(VNET, a_child("v/t"), outputs=outputs), "tags": {"a": "b"}})
    assert (made.status, made.json["properties"]["provisioningState"]) == (201, "Accepted")
    assert status(rig, made) == {"status": "Succeeded"}
    told = rig.get(D)
    assert (told["id"], told["type"], told["tags"]) == (D, "Microsoft.Resources/deployments", {"a": "b"})
    properties = told["properties"]
    assert properties["mode"] == "Incremental"
    assert properties["outputs"]["vnetId"] == {"type": "String", "value": f"{NETWORK}/virtualNetworks/v"}
    assert properties["outputs"]["network"]["value"]["provisioningState"] == "Succeeded"
    assert properties["outputs"]["older"]["value"] == "x"
    assert [item["id"] for item in properties["outputResources"]] == [
        f"{NETWORK}/virtualNetworks/v",
        f"{NETWORK}/virtualNetworks/v/subnets/t",
    ]
    assert rig.names(f"{NETWORK}/virtualNetworks/v/subnets") == ["s", "t"]
    assert rig.names(DEPLOYMENTS) == ["d"]
    assert rig.names(f"{S}/resources") == ["d", "v"]
    assert rig.ask("PUT", D, a_body(VNET)).status == 200


def test_its_operations_tell_of_each_resource() -> None:
    rig = a_rig()
    deploy(rig, a_body(VNET, a_child("v/t")))
    first, second = rig.get(f"{D}/operations")["value"]
    assert first["properties"]["targetResource"]["resourceName"] == "v"
    assert second["properties"]["statusCode"] == "Created"
    assert rig.get(f"{D}/operations/{second['operationId']}") == second
    assert rig.get(f"{RG}/deployments/d/operations")["value"] == [first, second]
    assert rig.refused("GET", f"{D}/operations/no") == (404, "DeploymentOperationNotFound")


def test_a_template_is_taken_as_it_was_written() -> None:
    rig = a_rig()
    body = json.dumps(a_body(VNET))
    template = body[body.index('{"resources"') : body.index(', "parameters": {}}}')]
    assert deploy(rig, f'{{"properties": {{"mode": "incremental", template:// as is\n{template}}}}}'.encode())
    assert rig.names(f"{NETWORK}/virtualNetworks") == ["v"]
    assert rig.refused("PUT", D, b'{"properties": {template:') == (400, "InvalidRequestContent")


def test_its_template_can_be_had_again_without_secrets() -> None:
    rig = a_rig()
    parameters = {"secret": {"type": "securestring", "defaultValue": "hidden1"}, "open": {"type": "string"}}
    body = a_body(VNET, parameters=parameters, values={"secret": {"value": "hidden2"}, "open": {"value": "seen"}})
    assert deploy(rig, body)["status"] == "Succeeded"
    exported = rig.ask("POST", f"{D}/exportTemplate").json["template"]
    assert exported["resources"] == [VNET]
    assert rig.get(D)["properties"]["parameters"] == {
        "secret": {"type": "SecureString"},
        "open": {"type": "String", "value": "seen"},
    }
    kept = rig.run(rig.store.read(lambda reader: reader.resource(D.lower())))
    assert "hidden" not in repr(kept)


def test_it_is_there_until_it_is_deleted_and_what_it_made_stays() -> None:
    rig = a_rig()
    deploy(rig, a_body(VNET))
    assert rig.ask("HEAD", D).status == 204
    assert [rig.ask("DELETE", D).status for _ in range(2)] == [204, 204]
    assert rig.ask("HEAD", D).status == 404
    assert rig.refused("GET", D) == (404, "DeploymentNotFound")
    assert rig.names(f"{NETWORK}/virtualNetworks") == ["v"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param({}, "InvalidRequestContent", id="nothing"),
        pytest.param({"properties": {"template": {}, "mode": "Complete"}}, "InvalidTemplateDeployment", id="complete"),
        pytest.param(a_body({**VNET, "copy": {}}), "InvalidTemplateDeployment", id="copy"),
        pytest.param(a_body({**VNET, "name": "[nonsense(]"}), "InvalidTemplate", id="expression"),
        pytest.param(a_body({**VNET, "tags": 7}), "InvalidTags", id="a-resource-is-refused"),
        pytest.param(a_body(a_child("no/t")), "ParentResourceNotFound", id="no-parent"),
        pytest.param(a_body({**VNET, "type": "Microsoft.Authorization/locks"}), "InvalidResourceType", id="type"),
        pytest.param(
            a_body(VNET, outputs={"o": {"type": "string", "value": "[reference('v').nothing]"}}),
            "InvalidTemplate",
            id="output",
        ),
        pytest.param(
            a_body(
                {
                    "type": "Microsoft.Compute/virtualMachineScaleSets",
                    "name": "ss",
                    "apiVersion": "2024-11-01",
                    "location": "eastus",
                    "sku": {"name": "Standard_D2s_v5", "capacity": -1},
                }
            ),
            "InvalidParameter",
            id="compute",
        ),
    ],
)
def test_a_failure_is_told_by_its_status(body: object, code: str) -> None:
    rig = a_rig()
    polled = deploy(rig, body)
    assert (polled["status"], polled["error"]["code"]) == ("Failed", "DeploymentFailed")
    assert [detail["code"] for detail in polled["error"]["details"]] == [code]
    told = rig.get(D)["properties"]
    assert (told["provisioningState"], told["error"]) == ("Failed", polled["error"])
    assert "outputs" not in told


def test_what_depends_on_a_failure_is_left_out_and_the_rest_is_made() -> None:
    rig = a_rig()
    broken = {**VNET, "name": "broken", "tags": 7}
    after = {**VNET, "name": "after", "dependsOn": ["Microsoft.Network/virtualNetworks/broken"]}
    assert deploy(rig, a_body(broken, after, a_child("broken/t"), VNET))["status"] == "Failed"
    assert rig.names(f"{NETWORK}/virtualNetworks") == ["v"]
    steps = rig.get(f"{D}/operations")["value"]
    assert [step["properties"]["statusCode"] for step in steps] == ["BadRequest", "Created"]
    assert steps[0]["properties"]["statusMessage"]["error"]["code"] == "InvalidTags"


def test_a_failed_deployment_can_be_repaired() -> None:
    rig = a_rig()
    failed = rig.ask("PUT", D, a_body({**VNET, "tags": 7}))
    assert deploy(rig, a_body(VNET)) == {"status": "Succeeded"}
    assert "error" not in rig.get(D)["properties"]
    assert status(rig, failed) == {"status": "Failed"}


def test_validation_makes_nothing() -> None:
    rig = a_rig()
    told = rig.ask("POST", f"{D}/validate", a_body(VNET))
    assert told.json["properties"]["validatedResources"] == [{"id": f"{NETWORK}/virtualNetworks/v"}]
    assert rig.refused("POST", f"{D}/validate", a_body({**VNET, "name": "[no(]"})) == (400, "InvalidTemplate")
    assert rig.get(f"{S}/resources")["value"] == []


def test_a_status_belongs_to_its_deployment() -> None:
    rig = a_rig()
    made = rig.ask("PUT", D, a_body(VNET))
    other = rig.ask("PUT", f"{DEPLOYMENTS}/other", a_body(VNET))
    job = other.headers["azure-asyncoperation"].rpartition("/")[2]
    assert status(rig, made)["status"] == "Succeeded"
    assert rig.refused("GET", f"{D}/operationStatuses/{job}", version="") == (404, "NotFound")
    assert rig.refused("GET", f"{D}/operationStatuses/none") == (404, "NotFound")


def a_set(capacity: int) -> Any:
    return {
        "type": "Microsoft.Compute/virtualMachineScaleSets",
        "name": "web",
        "apiVersion": "2024-11-01",
        "location": "eastus",
        "sku": {"name": "Standard_D2s_v5", "capacity": capacity},
        "properties": {
            "orchestrationMode": "Uniform",
            "upgradePolicy": {"mode": "Manual"},
            "virtualMachineProfile": {
                "scheduledEventsProfile": {
                    "terminateNotificationProfile": {"enable": "true", "notBeforeTimeout": "PT10M"}
                },
            },
        },
    }


def test_a_deployment_ends_when_the_notice_of_its_scale_in_has_run_down() -> None:
    rig = a_rig()
    outputs = {"VMSS": {"type": "object", "value": "[reference('web')]"}}
    assert deploy(rig, a_body(a_set(2), outputs=outputs))["status"] == "Succeeded"
    rig.enrol("rg/web:0")
    made = rig.ask("PUT", D, a_body(a_set(1), outputs=outputs))
    assert status(rig, made) == {"status": "Running"}
    assert rig.get(D)["properties"]["provisioningState"] == "Running"
    (step,) = rig.get(f"{D}/operations")["value"]
    assert step["properties"]["provisioningState"] == "Running"
    rig.advance(minutes=11)
    assert status(rig, made) == {"status": "Succeeded"}
    told = rig.get(D)["properties"]
    assert (told["provisioningState"], told["duration"]) == ("Succeeded", "PT600S")
    assert "vmss" in told["outputs"]


def test_a_deployment_is_canceled_with_what_it_waits_for() -> None:
    rig = a_rig()
    deploy(rig, a_body(a_set(2)))
    rig.enrol("rg/web:0")
    made = rig.ask("PUT", D, a_body(a_set(1)))
    (event,) = rig.run(rig.store.read(lambda reader: reader.list_events()))
    rig.run(rig.engine.cancel_event(event.id, Actor.user("somebody")))
    polled = status(rig, made)
    assert (polled["status"], polled["error"]["code"]) == ("Canceled", "DeploymentFailed")
    assert [detail["code"] for detail in polled["error"]["details"]] == ["OperationCanceled"]
    assert rig.get(D)["properties"]["provisioningState"] == "Canceled"
