"""What a machine is told about itself."""

import json

import pytest
from msgspec.structs import replace

from forewarn.domain.machines import EvictionPolicy, Machine, Priority, Profile
from forewarn.domain.scopes import ScopeKind
from forewarn.wire import answers
from forewarn.wire.answers import JSON, TEXT
from forewarn.wire.instance import ScopeFacts, instance_document, lookup, resource_id
from forewarn.wire.versions import INSTANCE_VERSIONS
from tests.wire.goldens import golden, names

GROUP = "/subscriptions/8d10da13-8125-4ba9-a717-bf7490507b3d/resourceGroups/web/providers/Microsoft.Compute"
MACHINE = Machine(
    scope="web/1",
    name="web_13",
    computer_name="web00000d",
    update_domain=2,
    fault_domain=1,
    host="host-7",
    zone="3",
    profile=Profile(
        vm_id="02aab8a4-74ef-476e-8182-f6d2ba4166a6",
        location="westeurope",
        resource_group="web",
        subscription_id="8d10da13-8125-4ba9-a717-bf7490507b3d",
        private_ip="10.1.2.3",
        mac="000D3A000004",
        tags={"team": "shop", "env": "prod"},
    ),
)
SCALE_SET = ScopeFacts(
    kind=ScopeKind.PLACEMENT_GROUP, scale_set="web", placement_group_id="f67c14ab-e92c-408c-ae2d-da15866ec79a"
)
ALONE = ScopeFacts(kind=ScopeKind.STANDALONE)
NEWEST = INSTANCE_VERSIONS[-1]
DOCUMENT = instance_document(MACHINE, SCALE_SET, NEWEST)


@pytest.mark.parametrize("name", sorted(names("metadata/instance")))
def test_an_instance_document_is_rendered_byte_for_byte(name: str) -> None:
    document = instance_document(MACHINE, SCALE_SET, name.removesuffix(".json"))

    assert lookup(document, [], as_text=False) == answers.ok(golden(f"metadata/instance/{name}"))


@pytest.mark.parametrize(
    ("field", "since"),
    [
        ("name", "2017-03-01"),
        ("platformUpdateDomain", "2017-03-01"),
        ("placementGroupId", "2017-08-01"),
        ("resourceGroupName", "2017-08-01"),
        ("subscriptionId", "2017-08-01"),
        ("tags", "2017-08-01"),
        ("vmScaleSetName", "2017-12-01"),
        ("zone", "2017-12-01"),
        ("publicKeys", "2018-04-02"),
        ("azEnvironment", "2018-10-01"),
        ("resourceId", "2019-03-11"),
        ("storageProfile", "2019-06-01"),
        ("tagsList", "2019-06-04"),
        ("osProfile/computerName", "2020-07-15"),
        ("osProfile/disablePasswordAuthentication", "2020-10-01"),
        ("priority", "2020-12-01"),
        ("evictionPolicy", "2020-12-01"),
        ("storageProfile/resourceDisk/size", "2021-02-01"),
        ("virtualMachineScaleSet/id", "2021-03-01"),
        ("securityProfile/encryptionAtHost", "2021-11-01"),
        ("physicalZone", "2023-11-15"),
    ],
)
def test_a_field_is_there_from_its_version_on(field: str, since: str) -> None:
    path = ["compute", *field.split("/")]

    having = [
        version
        for version in INSTANCE_VERSIONS
        if lookup(instance_document(MACHINE, SCALE_SET, version), path, as_text=True).status == 200
    ]

    assert having == list(INSTANCE_VERSIONS[INSTANCE_VERSIONS.index(since) :])


@pytest.mark.parametrize("version", INSTANCE_VERSIONS)
@pytest.mark.parametrize("facts", [SCALE_SET, ALONE], ids=["scale-set", "alone"])
def test_every_scalar_is_a_string(version: str, facts: ScopeFacts) -> None:
    def check(node: object) -> None:
        assert isinstance(node, str | dict | list)
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            check(child)

    check(instance_document(MACHINE, facts, version))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("compute/name", "web_13"),
        ("compute/vmScaleSetName", "web"),
        ("compute/placementGroupId", "f67c14ab-e92c-408c-ae2d-da15866ec79a"),
        ("compute/platformUpdateDomain", "2"),
        ("compute/platformFaultDomain", "1"),
        ("compute/osProfile/computerName", "web00000d"),
        ("compute/priority", "Regular"),
        ("compute/evictionPolicy", ""),
        ("compute/zone", "3"),
        ("compute/tags", "team:shop;env:prod"),
        ("compute/tagsList/1/value", "prod"),
        ("compute/resourceId", f"{GROUP}/virtualMachineScaleSets/web/virtualMachines/13"),
        ("compute/host/id", ""),
        ("network/interface/0/ipv4/ipAddress/0/privateIpAddress", "10.1.2.3"),
        ("network/interface/0/ipv4/ipAddress/0/publicIpAddress", ""),
        ("network/interface/0/ipv4/subnet/0/address", "10.1.2.0"),
        ("network/interface/0/macAddress", "000D3A000004"),
    ],
)
def test_a_leaf_is_its_value_as_text_and_nothing_more(path: str, text: str) -> None:
    assert lookup(DOCUMENT, path.split("/"), as_text=True) == answers.ok(text.encode(), TEXT)


def test_a_leaf_is_not_served_as_json() -> None:
    assert lookup(DOCUMENT, ["compute", "name"], as_text=False) is answers.LEAF_NEEDS_TEXT


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("compute/plan", {"name": "", "product": "", "publisher": ""}),
        ("compute/tagsList", [{"name": "team", "value": "shop"}, {"name": "env", "value": "prod"}]),
        ("compute/publicKeys", []),
        ("network/interface/0/ipv4/ipAddress/0", {"privateIpAddress": "10.1.2.3", "publicIpAddress": ""}),
        ("network/interface/0/ipv6", {"ipAddress": []}),
    ],
)
def test_a_sub_tree_is_served_as_json(path: str, value: object) -> None:
    answer = lookup(DOCUMENT, path.split("/"), as_text=False)

    assert (answer.status, answer.content_type, json.loads(answer.body)) == (200, JSON, value)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ([], "compute/\nnetwork/"),
        (["network", "interface"], "0/"),
        (["network", "interface", "0"], "ipv4/\nipv6/\nmacAddress"),
        (["compute", "publicKeys"], ""),
    ],
)
def test_a_sub_tree_as_text_lists_its_parts(path: list[str], text: str) -> None:
    assert lookup(DOCUMENT, path, as_text=True) == answers.ok(text.encode(), TEXT)


@pytest.mark.parametrize("as_text", [True, False], ids=["text", "json"])
@pytest.mark.parametrize(
    "path",
    [
        "computer",
        "Compute",
        "compute/Name",
        "compute/name/0",
        "compute/",
        "network/interface/1",
        "network/interface/-1",
        "network/interface/00",
        "network/interface/٠",
        "network/interface/ipv4",
    ],
)
def test_an_element_that_is_not_there_is_not_found(path: str, as_text: bool) -> None:
    assert lookup(DOCUMENT, path.split("/"), as_text) is answers.NO_SUCH_ELEMENT


@pytest.mark.parametrize("priority", [Priority.SPOT, Priority.LOW])
def test_a_spot_machine_tells_how_it_is_evicted(priority: Priority) -> None:
    spot = replace(MACHINE, priority=priority, eviction_policy=EvictionPolicy.DELETE)
    document = instance_document(spot, SCALE_SET, NEWEST)

    assert lookup(document, ["compute", "priority"], as_text=True).body == priority.value.encode()
    assert lookup(document, ["compute", "evictionPolicy"], as_text=True).body == b"Delete"


def test_a_machine_alone_is_in_no_set() -> None:
    document = instance_document(replace(MACHINE, computer_name=""), ALONE, NEWEST)

    for field in ("vmScaleSetName", "placementGroupId", "virtualMachineScaleSet/id"):
        assert lookup(document, ["compute", *field.split("/")], as_text=True) == answers.ok(b"", TEXT)
    assert lookup(document, ["compute", "osProfile", "computerName"], as_text=True).body == b"web_13"


def test_a_machine_with_an_ipv6_address_has_it_there() -> None:
    document = instance_document(replace(MACHINE, profile=Profile(private_ip="fd00::4")), ALONE, NEWEST)

    interface = json.loads(lookup(document, ["network", "interface", "0"], as_text=False).body)
    assert interface["ipv6"] == {"ipAddress": [{"privateIpAddress": "fd00::4"}]}
    assert interface["ipv4"] == {"ipAddress": [], "subnet": []}


@pytest.mark.parametrize(
    ("name", "facts", "id"),
    [
        pytest.param("vm-1", ALONE, "virtualMachines/vm-1", id="standalone"),
        pytest.param(
            "vm-1", ScopeFacts(kind=ScopeKind.AVAILABILITY_SET), "virtualMachines/vm-1", id="availability-set"
        ),
        pytest.param("web_13", SCALE_SET, "virtualMachineScaleSets/web/virtualMachines/13", id="uniform"),
        pytest.param("web_1a2b3c4d", replace(SCALE_SET, flexible=True), "virtualMachines/web_1a2b3c4d", id="flexible"),
        pytest.param(
            "FrontEnd_IN_0",
            ScopeFacts(kind=ScopeKind.CLOUD_SERVICE, name="shop"),
            "cloudServices/shop/roleInstances/FrontEnd_IN_0",
            id="cloud-service",
        ),
    ],
)
def test_a_resource_id_is_in_arm_form(name: str, facts: ScopeFacts, id: str) -> None:
    assert resource_id(replace(MACHINE, name=name), facts) == f"{GROUP}/{id}"


def test_a_flexible_instance_names_its_scale_set() -> None:
    document = instance_document(MACHINE, replace(SCALE_SET, flexible=True), NEWEST)

    answer = lookup(document, ["compute", "virtualMachineScaleSet", "id"], as_text=True)
    assert answer.body.decode() == f"{GROUP}/virtualMachineScaleSets/web"


@pytest.mark.parametrize(
    ("address", "ip", "mac"),
    [
        pytest.param("127.0.0.7", "10.0.0.7", "000D3A000007", id="known-by-a-loopback-address"),
        pytest.param("192.168.3.10", "192.168.3.10", "000D3AA8030A", id="known-by-its-own-address"),
    ],
)
def test_a_machine_that_was_told_no_network_has_one_of_its_own(address: str, ip: str, mac: str) -> None:
    document = instance_document(replace(MACHINE, address=address, profile=Profile()), ALONE, NEWEST)
    network = ["network", "interface", "0"]
    assert lookup(document, [*network, "ipv4", "ipAddress", "0", "privateIpAddress"], True).body == ip.encode()
    assert lookup(document, [*network, "macAddress"], True).body == mac.encode()
