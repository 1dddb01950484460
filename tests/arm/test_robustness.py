"""Whatever comes, the answer is one of ARM's: never a 500, and every refusal in its envelope."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.arm.app import rows
from tests.access.asking import Answer
from tests.access.making import SUBSCRIPTION
from tests.arm.rig import RG, Rig, a_rig

STATUSES = {200, 201, 202, 204, 400, 403, 404, 405, 409, 412, 413}
METHODS = ("GET", "HEAD", "PUT", "PATCH", "POST", "DELETE", "OPTIONS", "ODD")
NAMES = (
    "v",
    "web",
    "vm",
    "0",
    "1",
    "web_0",
    "d",
    "s",
    "eastus",
    "Canonical",
    "UbuntuServer",
    "18.04-LTS",
    "latest",
    "*",
)
VERSIONS = ("2024-11-01", "2017-12-01", "2019-03-01", "2026-04-01-preview", "", "soon")
ARGUMENTS = ("$filter", "$top", "$expand", "$skiptoken", "$select", "monitor", "forceDeletion", "api-version", "odd")
VALUES = ("name eq 'v'", "instanceView", "true", "1", "-1", "resourceGroup eq 'rg'", "atScope()", "'", "a and b", "")

VNET = {
    "location": "eastus",
    "properties": {"subnets": [{"name": "s", "properties": {"addressPrefix": "10.0.0.0/24"}}]},
}
NIC = {"properties": {"ipConfigurations": [{"name": "c", "properties": {"subnet": {"id": f"{RG}/x"}}}]}}
MACHINE = {
    "location": "eastus",
    "tags": {"a": "b"},
    "zones": ["1"],
    "properties": {
        "hardwareProfile": {"vmSize": "Standard_D2s_v5"},
        "osProfile": {"computerName": "vm", "adminUsername": "u", "adminPassword": "p"},
        "storageProfile": {"imageReference": {"publisher": "a", "offer": "b", "sku": "c", "version": "latest"}},
        "networkProfile": {"networkInterfaces": [{"id": f"{RG}/providers/Microsoft.Network/networkInterfaces/n"}]},
        "priority": "Spot",
        "scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT5M"}},
        "scheduledEventsPolicy": {"userInitiatedReboot": {"automaticallyApprove": True}},
    },
}
SET = {
    "location": "eastus",
    "sku": {"name": "Standard_D2s_v5", "tier": "Standard", "capacity": 2},
    "properties": {
        "orchestrationMode": "Uniform",
        "upgradePolicy": {"mode": "Manual"},
        "scaleInPolicy": {"rules": ["NewestVM"]},
        "singlePlacementGroup": True,
        "virtualMachineProfile": MACHINE["properties"],
    },
}
ROLE = {"properties": {"roleDefinitionId": "acdd72a7-3385-48ef-bd42-f606fba81ae7", "principalId": "p"}}
DEPLOYMENT = {
    "properties": {
        "mode": "incremental",
        "parameters": {"p": {"value": "x"}},
        "template": {
            "parameters": {"p": {"type": "string"}},
            "resources": [
                {"type": "Microsoft.Network/virtualNetworks", "name": "v", "apiVersion": "2022-01-01", **VNET},
                {"type": "Microsoft.Compute/virtualMachines", "name": "vm", "apiVersion": "2024-11-01", **MACHINE},
            ],
            "outputs": {"o": {"type": "string", "value": "[concat(parameters('p'), 'y')]"}},
        },
    }
}
BODIES: tuple[Any, ...] = (
    None,
    {},
    {"location": "eastus"},
    {"instanceIds": ["0", "*"]},
    VNET,
    NIC,
    MACHINE,
    SET,
    ROLE,
    DEPLOYMENT,
)
PATHS = sorted({row.path for row in rows()})

odd_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | odd_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def paths(draw: st.DrawFn) -> str:
    """One of the table's, with names put in, and perhaps something wrong with it."""
    pattern = draw(st.sampled_from(PATHS)).replace("{subscription}", SUBSCRIPTION).replace("{group}", "rg")
    names = st.sampled_from(NAMES)
    path = re.sub(r"\{\w+\}", lambda _: draw(names), pattern)
    path = path.replace(
        "{rest...}", draw(st.sampled_from(("virtualNetworks/v", "virtualNetworks/v/subnets/s", "disks")))
    )
    parts = path.split("/")
    at = draw(st.integers(1, len(parts) - 1))
    match draw(st.integers(0, 9)):
        case 0:
            parts[at] = draw(odd_text)
        case 1:
            parts[at] = parts[at].swapcase()
        case 2:
            parts.insert(at, draw(st.sampled_from(("", "providers", "Microsoft.Compute", *NAMES))))
        case 3:
            del parts[at]
        case _:
            pass
    return "/".join(parts).replace("?", "")


@st.composite
def queries(draw: st.DrawFn) -> str:
    arguments = draw(st.dictionaries(st.sampled_from(ARGUMENTS), st.sampled_from(VALUES), max_size=2))
    version = draw(st.sampled_from((VERSIONS[0],) * 6 + VERSIONS))
    return "&".join(f"{name}={value}" for name, value in {"api-version": version, **arguments}.items())


@st.composite
def bodies(draw: st.DrawFn) -> Any:
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=20))
    body = draw(st.sampled_from(BODIES))
    for _ in range(draw(st.integers(0, 2))):
        body = draw(mutated(body))
    return body


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """Something in it is another value, or gone."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        name = draw(st.sampled_from(sorted(value)))
        if not draw(st.integers(0, 5)):
            return {other: item for other, item in value.items() if other != name}
        return {**value, name: draw(mutated(value[name]))}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        return [draw(mutated(value[0])), *value[1:]]
    return draw(json_values)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(METHODS), paths(), queries(), bodies()), min_size=4, max_size=8))
def test_every_answer_is_one_of_arm_s(requests: list[tuple[str, str, str, Any]]) -> None:
    rig = _furnished()
    for method, path, query, body in requests:
        check(rig.ask(method, f"{path}?{query}", body, version=""))


def _furnished() -> Rig:
    rig = a_rig()
    compute = f"{RG}/providers/Microsoft.Compute"
    rig.put(f"{RG}/providers/Microsoft.Network/virtualNetworks/v", VNET)
    rig.put(f"{compute}/virtualMachineScaleSets/web", {"location": "eastus", "sku": SET["sku"]})
    rig.put(f"{RG}/providers/Microsoft.Resources/deployments/d", DEPLOYMENT)
    return rig


def check(answer: Answer) -> None:
    assert answer.status in STATUSES, (answer.status, answer.body)
    if answer.status >= 400 and answer.body:
        error = answer.json["error"]
        assert set(error) <= {"code", "message", "target", "details"}
        assert error["code"].isidentifier()
        assert error["message"]
        assert "retry-after" not in answer.headers
