"""Resources that are only kept: what is put is what is given back, with what Azure adds to it."""

from ipaddress import ip_address, ip_network

import pytest

from tests.arm.rig import RG, S, a_rig

NETWORK = f"{RG}/providers/Microsoft.Network"
VNET = f"{NETWORK}/virtualNetworks/v"
DISK = f"{RG}/providers/Microsoft.Compute/disks/d"
SUBNETS = [{"name": "s", "properties": {"addressPrefix": "10.9.0.0/24"}}]


def test_a_resource_is_put_patched_found_and_deleted() -> None:
    rig = a_rig()
    made = rig.ask("PUT", DISK, {"sku": {"name": "Premium_LRS"}, "properties": {"diskSizeGB": 4, "tier": None}})
    assert made.status == 201
    assert made.json == {
        "id": DISK,
        "name": "d",
        "type": "Microsoft.Compute/disks",
        "location": "eastus",
        "sku": {"name": "Premium_LRS"},
        "properties": {"provisioningState": "Succeeded", "diskSizeGB": 4},
    }
    again = rig.ask("PUT", DISK.upper(), {"location": "East US", "properties": {"diskSizeGB": 8}})
    assert (again.status, again.json["id"], "sku" in again.json) == (200, DISK, False)
    patched = rig.ask("PATCH", DISK, {"tags": {"a": "b"}, "properties": {"diskSizeGB": None, "more": {"x": 1}}}).json
    assert (patched["tags"], patched["properties"]["more"]) == ({"a": "b"}, {"x": 1})
    assert "diskSizeGB" not in patched["properties"]
    assert rig.ask("HEAD", DISK).status == 204
    assert [rig.ask("DELETE", DISK).status for _ in range(2)] == [200, 204]
    assert rig.ask("HEAD", DISK).status == 404


def test_lists_of_a_type_in_the_group_and_in_the_subscription() -> None:
    rig = a_rig()
    rig.put(f"{S}/resourceGroups/other", {"location": "westus"})
    rig.put(VNET, {})
    rig.put(VNET.replace("/rg/", "/other/"), {"tags": {"a": "b"}})
    assert rig.names(f"{NETWORK}/virtualnetworks") == ["v"]
    everywhere = rig.get(f"{S}/providers/microsoft.network/virtualNetworks")["value"]
    assert [item["location"] for item in everywhere] == ["westus", "eastus"]
    assert rig.get(f"{RG}/providers/Microsoft.Compute/images")["value"] == []
    assert rig.refused("GET", f"{RG}/providers/Microsoft.Compute/images/UbuntuLTS") == (404, "ResourceNotFound")


def test_subnets_are_in_their_network_and_have_paths_of_their_own() -> None:
    rig = a_rig()
    rig.put(VNET, {"properties": {"subnets": SUBNETS}})
    found = rig.get(f"{VNET}/subnets/S")
    assert found == {
        "name": "s",
        "id": f"{VNET}/subnets/s",
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "etag": 'W/"1"',
        "properties": {"addressPrefix": "10.9.0.0/24", "provisioningState": "Succeeded"},
    }
    assert rig.ask("PUT", f"{VNET}/subnets/t", {"properties": {"addressPrefix": "10.9.1.0/24"}}).status == 201
    assert rig.ask("PUT", f"{VNET}/subnets/t", {"properties": {"addressPrefix": "10.9.2.0/24"}}).status == 200
    assert rig.ask("PATCH", f"{VNET}/subnets/t", {"properties": {"a": 1}}).json["properties"]["a"] == 1
    assert rig.names(f"{VNET}/subnets") == ["s", "t"]
    assert [subnet["name"] for subnet in rig.get(VNET)["properties"]["subnets"]] == ["s", "t"]
    assert [rig.ask("DELETE", f"{VNET}/subnets/s").status for _ in range(2)] == [200, 204]
    assert rig.names(f"{VNET}/subnets") == ["t"]
    assert rig.refused("GET", f"{VNET}/subnets/s") == (404, "ResourceNotFound")
    assert rig.names(f"{S}/resources") == ["v"]


def test_addresses_are_given_once_and_to_one() -> None:
    rig = a_rig()
    rig.put(VNET, {"properties": {"subnets": SUBNETS}})
    config = {"name": "c", "properties": {"subnet": {"id": f"{VNET}/subnets/s"}}}
    nics = [
        rig.put(f"{NETWORK}/networkInterfaces/n{n}", {"properties": {"ipConfigurations": [config]}}) for n in range(3)
    ]
    private = [nic["properties"]["ipConfigurations"][0]["properties"]["privateIPAddress"] for nic in nics]
    assert private == ["10.9.0.4", "10.9.0.5", "10.9.0.6"]
    assert len({nic["properties"]["macAddress"] for nic in nics}) == 3
    ips = [rig.put(f"{NETWORK}/publicIPAddresses/p{n}", {})["properties"]["ipAddress"] for n in range(3)]
    assert len(set(ips)) == 3
    assert all(ip_address(ip) in ip_network("100.64.0.0/10") for ip in ips)
    again = rig.put(f"{NETWORK}/publicIPAddresses/p0", {"tags": {"a": "b"}, "properties": {}})
    assert again["properties"]["ipAddress"] == ips[0]


def test_children_of_other_resources_stand_beside_them_and_go_with_them() -> None:
    rig = a_rig()
    store = f"{RG}/providers/Microsoft.Storage/storageAccounts/a"
    assert rig.refused("PUT", f"{store}/blobServices/default", {}) == (404, "ParentResourceNotFound")
    assert rig.refused("GET", f"{store}/blobServices") == (404, "ResourceNotFound")
    rig.put(store, {})
    rig.put(f"{store}b", {})
    rig.put(f"{store}/blobServices/default", {"properties": {"x": 1}})
    rig.put(f"{store}/blobServices/default/containers/c", {})
    assert rig.names(f"{store}/blobServices") == ["default"]
    assert rig.names(f"{S}/resources") == ["a", "a/default", "a/default/c", "ab"]
    assert rig.ask("DELETE", store).status == 200
    assert rig.names(f"{S}/resources") == ["ab"]


def test_what_is_kept_inside_a_machine_goes_with_it() -> None:
    rig = a_rig()
    vm = f"{RG}/providers/Microsoft.Compute/virtualMachines/vm"
    rig.put(vm, {"location": "eastus"})
    rig.put(f"{vm}/extensions/script", {"location": "eastus", "properties": {"publisher": "p"}})
    assert rig.names(f"{S}/resources") == ["vm", "vm/script"]
    assert rig.ask("DELETE", vm).status == 202
    rig.advance(minutes=1)
    assert rig.names(f"{S}/resources") == []


def test_a_resource_may_extend_another() -> None:
    rig = a_rig()
    rig.put(VNET, {})
    extension = f"{VNET}/providers/Microsoft.Maintenance/configurationAssignments"
    made = rig.put(f"{extension}/x", {"properties": {"a": 1}})
    assert (made["id"], made["type"]) == (f"{extension}/x", "Microsoft.Maintenance/configurationAssignments")
    assert rig.names(extension) == ["x"]
    assert rig.refused("GET", f"{VNET}2/providers/A.B/c") == (404, "ResourceNotFound")


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        pytest.param("resourceGroup eq 'RG'", ["d", "v"], id="group"),
        pytest.param("resourceGroup eq 'no'", [], id="other-group"),
        pytest.param("resourceType eq 'microsoft.compute/disks'", ["d"], id="type"),
        pytest.param("name eq 'V' and location eq 'eastus'", ["v"], id="name-and-location"),
        pytest.param("tagName eq 'a'", ["d"], id="tag"),
        pytest.param("tagname eq 'a' and tagvalue eq 'c'", [], id="other-tag"),
        pytest.param("", ["d", "v"], id="nothing"),
    ],
)
def test_resources_are_listed_by_filter(wanted: str, names: list[str]) -> None:
    rig = a_rig()
    rig.put(VNET, {})
    rig.put(DISK, {"tags": {"a": "b"}})
    assert rig.names(f"{S}/resources?$filter={wanted}") == names
    assert rig.names(f"{RG}/resources?$filter={wanted}") == names


def test_a_list_tells_what_it_is_asked_to_tell() -> None:
    rig = a_rig()
    rig.put(DISK, {"sku": {"name": "x"}, "properties": {"secret": 1}})
    (told,) = rig.get(f"{S}/resources?$expand=createdTime,changedTime,provisioningState")["value"]
    assert told == {
        "id": DISK,
        "name": "d",
        "type": "Microsoft.Compute/disks",
        "location": "eastus",
        "sku": {"name": "x"},
        "createdTime": "2030-01-01T12:00:00.000000+00:00",
        "provisioningState": "Succeeded",
    }


@pytest.mark.parametrize(
    ("method", "path", "body", "refusal"),
    [
        pytest.param("PUT", DISK.replace("/rg/", "/no/"), {}, (404, "ResourceGroupNotFound"), id="no-group"),
        pytest.param("PUT", DISK, {"location": "westus"}, (409, "InvalidResourceLocation"), id="moved"),
        pytest.param("PUT", DISK, {"properties": []}, (400, "InvalidRequestContent"), id="properties"),
        pytest.param("PUT", DISK, {"tags": "a"}, (400, "InvalidTags"), id="tags"),
        pytest.param("PUT", f"{DISK}<", {}, (400, "InvalidResourceName"), id="name"),
        pytest.param("PUT", f"{RG}/providers/Odd/disks/d", {}, (400, "InvalidResourceType"), id="namespace"),
        pytest.param("PUT", f"{NETWORK}/virtualNetworks", {}, (405, "MethodNotAllowed"), id="put-a-list"),
        pytest.param("PATCH", VNET, {}, (404, "ResourceNotFound"), id="patch-nothing"),
        pytest.param("PATCH", f"{VNET}/subnets/s", {}, (404, "ParentResourceNotFound"), id="patch-in-nothing"),
        pytest.param("PUT", f"{VNET}/subnets/s", {}, (404, "ParentResourceNotFound"), id="no-parent"),
        pytest.param(
            "PUT",
            f"{RG}/providers/Microsoft.Resources/resourceGroups/x",
            {},
            (404, "InvalidResourceType"),
            id="a-group",
        ),
        pytest.param(
            "PUT",
            f"{DISK}/providers/Microsoft.Compute/virtualMachines/vm",
            {},
            (404, "InvalidResourceType"),
            id="a-machine-in-disguise",
        ),
        pytest.param("POST", DISK, {}, (405, "MethodNotAllowed"), id="post"),
        pytest.param(
            "GET", f"{S}/resources?$filter=startswith(name,'a')", None, (400, "InvalidFilterInQueryString"), id="filter"
        ),
    ],
)
def test_refusals(method: str, path: str, body: object, refusal: tuple[int, str]) -> None:
    rig = a_rig()
    rig.put(DISK, {})
    assert rig.refused(method, path, body) == refusal


def test_an_action_that_nobody_has_is_named() -> None:
    said = a_rig().ask("POST", f"{RG}/providers/Microsoft.Compute/virtualMachines/vm/generalize")
    assert (said.status, said.headers["allow"]) == (405, "DELETE, GET, HEAD, PATCH, PUT")
    assert said.json["error"]["message"].startswith("Forewarn has no action 'generalize' here")


@pytest.mark.parametrize(
    "configured",
    [
        pytest.param({"ipConfigurations": "none"}, id="no-list"),
        pytest.param({"ipConfigurations": [7, {"name": 1}, {"name": "a", "properties": []}]}, id="odd-items"),
        pytest.param({"ipConfigurations": [{"name": "a", "properties": {"subnet": {"id": "x"}}}]}, id="odd-subnet"),
        pytest.param({"ipConfigurations": [{"name": "a", "properties": {"subnet": 3}}]}, id="odder-subnet"),
        pytest.param({"ipConfigurations": [{"name": "a", "properties": {"privateIPAddress": 3}}]}, id="odd-address"),
    ],
)
def test_odd_descriptions_of_interfaces_are_taken(configured: dict[str, object]) -> None:
    assert a_rig().ask("PUT", f"{NETWORK}/networkInterfaces/n", {"properties": configured}).status == 201


def test_a_full_subnet_says_so() -> None:
    rig = a_rig()
    rig.put(VNET, {"properties": {"subnets": [{"name": "s", "properties": {"addressPrefixes": ["10.9.0.0/29"]}}]}})
    config = {"name": "c", "properties": {"subnet": {"id": f"{VNET}/subnets/s"}}}
    for number in range(3):
        rig.put(f"{NETWORK}/networkInterfaces/n{number}", {"properties": {"ipConfigurations": [config]}})
    body = {"properties": {"ipConfigurations": [config]}}
    assert rig.refused("PUT", f"{NETWORK}/networkInterfaces/n3", body) == (400, "SubnetIsFull")
