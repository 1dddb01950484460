"""Whatever comes, the answer is one of ARM's: never a 500, and every refusal in its envelope."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.arm.app import rows
from forewarn.arm.maintenance import UNKNOWN
from tests.access.asking import Answer
from tests.access.making import SUBSCRIPTION
from tests.arm.rig import RG, Rig, a_rig

STATUSES = {200, 201, 202, 204, 400, 403, 404, 405, 409, 412, 413}
METHODS = ("GET", "HEAD", "PUT", "PATCH", "POST", "DELETE", "OPTIONS", "ODD")
NAMES = ("web", "web", "web", "other", "*")
"""Whatever there is one of is called web."""
PLACES = {
    "subscription": (SUBSCRIPTION,),
    "group": ("rg", "rg", "rg", "other"),
    "namespace": ("Microsoft.Network", "Microsoft.Compute", "Odd.Space"),
    "type": ("virtualNetworks", "disks"),
    "rest...": ("virtualNetworks/web", "virtualNetworks/web/subnets/s", "networkInterfaces/n", "disks"),
    "instance": ("0", "1", "9", "*"),
    "location": ("eastus",),
    "publisher": ("Canonical",),
    "offer": ("UbuntuServer",),
    "sku": ("18.04-LTS",),
}
"""What a row's names are filled in with, mostly; NAMES, if it is not said."""
VERSIONS = ("2024-11-01", "2017-12-01", "2019-03-01", "2026-04-01-preview", "", "soon")
ARGUMENTS = ("$filter", "$top", "$expand", "$skiptoken", "$select", "monitor", "forceDeletion", "odd")
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
        "priority": "Regular",
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
                {"type": "Microsoft.Network/virtualNetworks", "name": "web", "apiVersion": "2022-01-01", **VNET},
                {"type": "Microsoft.Compute/virtualMachines", "name": "web", "apiVersion": "2024-11-01", **MACHINE},
            ],
            "outputs": {"o": {"type": "string", "value": "[concat(parameters('p'), 'y')]"}},
        },
    }
}
IDS = {"instanceIds": ["0", "1"]}
BODIES: tuple[Any, ...] = (None, {}, {"location": "eastus"}, IDS, VNET, NIC, MACHINE, SET, ROLE, DEPLOYMENT)
FITTING: dict[str, Any] = {
    "deployments": DEPLOYMENT,
    "roleAssignments": ROLE,
    "virtualMachineScaleSets/{name}/": IDS,
    "virtualMachineScaleSets": SET,
    "virtualMachines": MACHINE,
    "{rest...}": NIC,
}
"""By a part of the path: what is sent there, mostly."""
TABLE = rows()

odd_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | odd_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text, inner, max_size=3),
    max_leaves=5,
)


def names(draw: st.DrawFn, place: str) -> str:
    return draw(st.sampled_from(PLACES.get(place, NAMES)))


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, str, Any]:
    """One of the table's rows, with names put in, and perhaps something wrong with it."""
    row = draw(st.sampled_from(TABLE))
    method = row.method if draw(st.integers(0, 9)) < 9 else draw(st.sampled_from(METHODS))
    parts = re.sub(r"\{([\w.]+)\}", lambda place: names(draw, place[1]), row.path).split("/")
    at = draw(st.integers(1, len(parts) - 1))
    match draw(st.integers(0, 15)):
        case 12:
            parts[at] = draw(odd_text)
        case 13:
            parts[at] = parts[at].swapcase()
        case 14:
            parts.insert(at, draw(st.sampled_from(("", "providers", "Microsoft.Compute", *NAMES))))
        case 15:
            del parts[at]
        case _:
            pass
    fitting = next((body for part, body in FITTING.items() if part in row.path), {"location": "eastus"})
    return method, "/".join(parts).replace("?", ""), draw(bodies(fitting))


@st.composite
def queries(draw: st.DrawFn) -> str:
    arguments = draw(st.dictionaries(st.sampled_from(ARGUMENTS), st.sampled_from(VALUES), max_size=2))
    version = draw(st.sampled_from((VERSIONS[0],) * 6 + VERSIONS))
    return "&".join(f"{name}={value}" for name, value in {"api-version": version, **arguments}.items())


@st.composite
def bodies(draw: st.DrawFn, fitting: Any) -> Any:
    if draw(st.integers(0, 19)) == 19:
        return draw(st.binary(max_size=20))
    body = fitting if draw(st.integers(0, 3)) < 3 else draw(st.sampled_from(BODIES))
    for _ in range(draw(st.integers(0, 2))):
        body = draw(mutated(body))
    return body


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """Something in it is another value, or gone."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)) < 5:
        name = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 5)) == 5:
            return {other: item for other, item in value.items() if other != name}
        return {**value, name: draw(mutated(value[name]))}
    if isinstance(value, list) and value and draw(st.integers(0, 3)) < 3:
        return [draw(mutated(value[0])), *value[1:]]
    return draw(json_values)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(calls(), queries()), min_size=4, max_size=8))
def test_every_answer_is_one_of_arm_s(requests: list[tuple[tuple[str, str, Any], str]]) -> None:
    rig = _furnished()
    for (method, path, body), query in requests:
        check(rig.ask(method, f"{path}?{query}", body, version=""))


def _furnished() -> Rig:
    rig = a_rig()
    rig.put(f"{RG}/providers/Microsoft.Compute/virtualMachineScaleSets/web", SET)
    rig.put(f"{RG}/providers/Microsoft.Resources/deployments/web", DEPLOYMENT)
    rig.enrol("rg/web:0")
    return rig


def check(answer: Answer) -> None:
    assert answer.status in STATUSES, (answer.status, answer.body)
    if answer.status >= 400 and answer.body and answer.json != UNKNOWN:
        error = answer.json["error"]
        assert set(error) <= {"code", "message", "target", "details"}
        assert error["code"].isidentifier()
        assert error["message"]
        assert "retry-after" not in answer.headers
