"""The templates the real CLI sends: every resource planned, in order, with nothing changed but the expressions."""

import json
from typing import Any

import pytest

from forewarn.wire.templates import Deployment, deploy_plan, outputs, parameters_view, read_deployment, resources_view
from tests.wire.goldens import golden, names
from tests.wire.templates.kit import CONTEXT, GROUP, found

NIC, NSG = "Microsoft.Network/networkInterfaces", "Microsoft.Network/networkSecurityGroups"
LB, VNET, IP = (
    "Microsoft.Network/loadBalancers",
    "Microsoft.Network/virtualNetworks",
    "Microsoft.Network/publicIPAddresses",
)
SET, VM = "Microsoft.Compute/virtualMachineScaleSets", "Microsoft.Compute/virtualMachines"

FLEXIBLE = {
    f"{VNET}/flexssVNET": [],
    f"{IP}/flexssLBPublicIP": [],
    f"{LB}/flexssLB": [f"{VNET}/flexssVNET", f"{IP}/flexssLBPublicIP"],
    f"{NSG}/flexssNSG": [],
    f"{LB}/flexssLB/inboundNatRules/NatRule": [f"{LB}/flexssLB"],
    f"{SET}/flexss": [f"{VNET}/flexssVNET", f"{LB}/flexssLB", f"{NSG}/flexssNSG"],
}
UNIFORM = {
    f"{IP}/uni1LBPublicIP": [],
    f"{LB}/uni1LB": [f"{IP}/uni1LBPublicIP"],
    f"{NSG}/uni1NSG": [],
    f"{LB}/uni1LB/inboundNatRules/NatRule": [f"{LB}/uni1LB"],
    f"{SET}/uni1": [f"{LB}/uni1LB", f"{NSG}/uni1NSG"],
}
PLANS: dict[str, dict[str, list[str]]] = {
    "cli-2.60/vmss-create-doc-flex.json": FLEXIBLE,
    "cli-2.60/vmss-create-uniform-default.json": UNIFORM,
    "cli-2.91/vmss-create-doc-flex.json": FLEXIBLE,
    "cli-2.91/vmss-create-uniform-default.json": UNIFORM,
    "cli-2.91/vmss-create-uniform-min.json": {f"{VNET}/v1": [], f"{SET}/uni2": [f"{VNET}/v1"]},
    "cli-2.91/vmss-create-uniform-windows.json": {f"{SET}/uni3": []},
    "cli-2.91/vmss-create-flex-noprofile.json": {f"{SET}/flex2": []},
    "cli-2.91/vmss-create-sched-policy.json": {f"{SET}/uniz": []},
    "cli-2.91/vmss-create-spot.json": {f"{SET}/unispot": []},
    "cli-2.91/vmss-create-identity.json": {f"{SET}/unimsi": []},
    "cli-2.91/avset-create.json": {"Microsoft.Compute/availabilitySets/as1": []},
    "cli-2.91/vm-create.json": {
        f"{NSG}/vm1NSG": [],
        f"{IP}/vm1PublicIP": [],
        f"{NIC}/vm1VMNic": [f"{NSG}/vm1NSG", f"{IP}/vm1PublicIP"],
        f"{VM}/vm1": [f"{NIC}/vm1VMNic"],
    },
    "cli-2.91/vm-create-min.json": {f"{NIC}/vm2VMNic": [], f"{VM}/vm2": [f"{NIC}/vm2VMNic"]},
    "cli-2.91/vm-create-spot-nowait.json": {f"{NIC}/vm3VMNic": [], f"{VM}/vm3": [f"{NIC}/vm3VMNic"]},
    "cli-2.91/vm-create-sched-policy.json": {f"{NIC}/vm4VMNic": [], f"{VM}/vm4": [f"{NIC}/vm4VMNic"]},
}

FLEX_LB, UNI_LB = (f"{GROUP}/providers/{LB}/{name}LB" for name in ("flexss", "uni1"))
EXPRESSIONS = {
    "[concat(resourceId('Microsoft.Network/loadBalancers', 'flexssLB'), '/frontendIPConfigurations/', "
    "'loadBalancerFrontEnd')]": f"{FLEX_LB}/frontendIPConfigurations/loadBalancerFrontEnd",
    "[concat(resourceId('Microsoft.Network/loadBalancers', 'flexssLB'), '/backendAddressPools/', "
    "'flexssLBBEPool')]": f"{FLEX_LB}/backendAddressPools/flexssLBBEPool",
    "[concat(resourceId('Microsoft.Network/loadBalancers', 'uni1LB'), '/frontendIPConfigurations/', "
    "'loadBalancerFrontEnd')]": f"{UNI_LB}/frontendIPConfigurations/loadBalancerFrontEnd",
    "[concat(resourceId('Microsoft.Network/loadBalancers', 'uni1LB'), '/backendAddressPools/', "
    "'uni1LBBEPool')]": f"{UNI_LB}/backendAddressPools/uni1LBBEPool",
    "[resourceId('Microsoft.Network/networkSecurityGroups', 'flexssNSG')]": f"{GROUP}/providers/{NSG}/flexssNSG",
    "[resourceId('Microsoft.Network/networkSecurityGroups', 'uni1NSG')]": f"{GROUP}/providers/{NSG}/uni1NSG",
    "[parameters('adminPassword')]": "P@ssw0rd1234!",
}


def captured(name: str) -> Deployment:
    return read_deployment(json.loads(golden(f"templates/{name}"))["properties"])


def by_hand(value: Any) -> Any:
    """A part of a template with its expressions replaced from the table above."""
    match value:
        case str():
            return EXPRESSIONS[value] if value.startswith("[") else value
        case list():
            return [by_hand(item) for item in value]
        case dict():
            return {key: by_hand(item) for key, item in value.items()}
        case _:
            return value


def test_every_captured_template_is_checked() -> None:
    assert PLANS.keys() == names("templates") - {"answered.json"}


@pytest.mark.parametrize("name", PLANS)
def test_resources_come_in_order_with_what_they_depend_on(name: str) -> None:
    deployment = captured(name)
    planned = deploy_plan(deployment.template, deployment.parameters, CONTEXT)
    assert {one.id.relative: [other.relative for other in one.depends_on] for one in planned} == PLANS[name]
    assert [one.id.relative for one in planned] == list(PLANS[name])
    assert {one.id.text for one in planned} == {f"{GROUP}/providers/{relative}" for relative in PLANS[name]}


@pytest.mark.parametrize("name", PLANS)
def test_bodies_are_what_the_client_wrote_with_expressions_evaluated(name: str) -> None:
    deployment = captured(name)
    planned = deploy_plan(deployment.template, deployment.parameters, CONTEXT)
    for one, raw in zip(planned, deployment.template["resources"], strict=True):
        raw = dict(raw)
        assert (raw.pop("type"), raw.pop("name")) == (one.id.type, one.id.full_name)
        assert raw.pop("apiVersion") == one.api_version
        raw.pop("dependsOn", None)
        assert one.body == by_hand(raw)


@pytest.mark.parametrize("name", PLANS)
def test_the_scale_set_comes_back_as_vmss(name: str) -> None:
    deployment = captured(name)
    answered = outputs(deployment.template, deployment.parameters, CONTEXT, found)
    scale_sets = [relative for relative in PLANS[name] if relative.startswith(SET)]
    expected = {"at": f"{GROUP}/providers/{scale_sets[0]}", "full": False} if scale_sets else None
    assert answered == ({"vmss": {"type": "Object", "value": expected}} if expected else {})


def test_the_password_is_not_shown_among_the_parameters() -> None:
    deployment = captured("cli-2.91/vmss-create-uniform-windows.json")
    assert parameters_view(deployment.template, deployment.parameters, CONTEXT) == {
        "adminPassword": {"type": "SecureString"}
    }


def test_a_deployment_is_described_as_azure_did() -> None:
    """Azure's answer is for the same command, with other names, in another region."""
    answered = golden("templates/answered.json").decode()
    for theirs, ours in (
        ("00000000-0000-0000-0000-000000000000", CONTEXT.subscription),
        ("cli_test_vmss_terminate_notification_000001", "rg1"),
        ("vmss1", "flexss"),
        ("westus", "eastus"),
    ):
        answered = answered.replace(theirs, ours)
    deployment = captured("cli-2.60/vmss-create-doc-flex.json")
    assert resources_view(deploy_plan(deployment.template, deployment.parameters, CONTEXT)) == json.loads(answered)
