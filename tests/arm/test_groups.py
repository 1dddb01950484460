"""Resource groups, and what every path has in common."""

import pytest

from forewarn.domain.access import Assignment, Role
from tests.arm.rig import RG, Rig, S, a_rig

VNET = f"{RG}/providers/Microsoft.Network/virtualNetworks/v"


def test_a_group_is_made_changed_listed_and_deleted() -> None:
    rig = Rig()
    made = rig.ask("PUT", f"{S}/resourcegroups/rg", {"location": "East US", "tags": {"a": "b"}})
    assert made.status == 201
    assert made.json == {
        "id": RG,
        "name": "rg",
        "type": "Microsoft.Resources/resourceGroups",
        "location": "eastus",
        "tags": {"a": "b"},
        "properties": {"provisioningState": "Succeeded"},
    }
    assert rig.ask("PUT", RG, {"location": "eastus"}).status == 200
    assert "tags" not in rig.get(RG)
    assert rig.ask("PATCH", RG, {"tags": {"c": "d"}}).json["tags"] == {"c": "d"}
    assert rig.names(f"{S}/resourcegroups") == ["rg"]
    gone = rig.ask("DELETE", RG)
    assert gone.status == 202
    assert rig.get(gone.headers["azure-asyncoperation"].removeprefix("https://localhost:8443"), version="") == {
        "startTime": "2030-01-01T12:00:00.000000+00:00",
        "endTime": "2030-01-01T12:00:00.000000+00:00",
        "status": "Succeeded",
        "name": gone.headers["azure-asyncoperation"].rpartition("/")[2].partition("?")[0],
    }
    assert rig.ask("GET", gone.headers["location"].removeprefix("https://localhost:8443"), version="").status == 200
    assert rig.refused("GET", RG) == (404, "ResourceGroupNotFound")


def test_head_says_whether_a_group_is_there() -> None:
    rig = a_rig()
    assert rig.ask("HEAD", RG).status == 204
    assert rig.ask("HEAD", f"{S}/resourceGroups/other").status == 404


def test_a_group_takes_all_that_is_in_it_with_it() -> None:
    rig = a_rig()
    rig.put(VNET, {})
    assert rig.ask("DELETE", RG).status == 202
    assert rig.get(f"{S}/resources")["value"] == []


def test_groups_are_found_by_their_tags() -> None:
    rig = a_rig()
    rig.put(f"{S}/resourceGroups/tagged", {"location": "westus", "tags": {"Team": "it's"}})
    assert rig.names(f"{S}/resourceGroups?$filter=tagName eq 'team' and tagValue eq 'it''s'") == ["tagged"]
    assert rig.names(f"{S}/resourceGroups?$filter=tagName eq 'other'") == []


@pytest.mark.parametrize(
    ("method", "path", "body", "refusal"),
    [
        pytest.param("PUT", f"{S}/resourceGroups/new", {}, (400, "LocationRequired"), id="no-location"),
        pytest.param("PUT", f"{S}/resourceGroups/new", {"location": 7}, (400, "InvalidLocation"), id="odd-location"),
        pytest.param(
            "PUT", f"{S}/resourceGroups/a b", {"location": "eastus"}, (400, "InvalidResourceGroup"), id="name"
        ),
        pytest.param("PUT", RG, {"location": "westus"}, (409, "InvalidResourceGroupLocation"), id="moved"),
        pytest.param("PUT", RG, {"tags": {"a": 1}}, (400, "InvalidTags"), id="tags"),
        pytest.param("PUT", RG, b"[]", (400, "InvalidRequestContent"), id="no-object"),
        pytest.param("PUT", RG, b"{", (400, "InvalidRequestContent"), id="no-json"),
        pytest.param("PUT", RG, b'{"a":' * 200 + b"1" + b"}" * 200, (400, "InvalidRequestContent"), id="too-deep"),
        pytest.param(
            "PUT", RG, b'{"a":' * 9000 + b"1" + b"}" * 9000, (400, "InvalidRequestContent"), id="far-too-deep"
        ),
        pytest.param("PUT", RG, b" " * 5_000_000, (413, "RequestContentTooLarge"), id="too-large"),
        pytest.param(
            "PUT", RG, b'{"a": [' + b"0," * 60_000 + b"0]}", (413, "RequestContentTooLarge"), id="too-many-values"
        ),
        pytest.param("PATCH", f"{S}/resourceGroups/no", {}, (404, "ResourceGroupNotFound"), id="patch-nothing"),
        pytest.param("DELETE", f"{S}/resourceGroups/no", None, (404, "ResourceGroupNotFound"), id="delete-nothing"),
        pytest.param("POST", RG, None, (405, "MethodNotAllowed"), id="method"),
        pytest.param("GET", "/nowhere", None, (404, "InvalidResourceType"), id="path"),
        pytest.param(
            "GET", f"{S}/resourceGroups?$filter=a or b", None, (400, "InvalidFilterInQueryString"), id="filter"
        ),
        pytest.param("GET", f"{S}/resourceGroups?$top=0", None, (400, "InvalidTopParameter"), id="top"),
        pytest.param("GET", f"{S}/resourceGroups?$skiptoken=x", None, (400, "InvalidSkipToken"), id="skip"),
        pytest.param(
            "GET", f"/subscriptions/{RG[16:50]}x/resourceGroups", None, (404, "SubscriptionNotFound"), id="sub"
        ),
    ],
)
def test_refusals(method: str, path: str, body: object, refusal: tuple[int, str]) -> None:
    assert a_rig().refused(method, path, body) == refusal


def test_a_method_that_is_not_there_is_told_which_are() -> None:
    assert a_rig().ask("POST", RG).headers["allow"] == "DELETE, GET, HEAD, PATCH, PUT"


@pytest.mark.parametrize("version", ["", "api-version=", "api-version=soon", "api-version=2024-11-01 or so"])
def test_an_api_version_is_a_date(version: str) -> None:
    status, code = a_rig().refused("GET", f"{RG}?{version}", version="")
    assert (status, code.endswith("ApiVersionParameter")) == (400, True)


@pytest.mark.parametrize(
    "path", [RG.upper(), RG.lower(), RG.replace("/", "//"), f"{RG}/", f"{RG}?unknown=1&$expand=x&$select=y"]
)
def test_paths_are_found_in_every_spelling(path: str) -> None:
    assert a_rig().get(path)["id"] == RG


def test_a_role_in_one_group_shows_that_group_alone() -> None:
    rig = a_rig()
    rig.put(f"{S}/resourceGroups/other", {"location": "eastus"})
    rig.put(VNET, {})
    assert rig.refused("GET", RG, who="reader") == (403, "AuthorizationFailed")
    assert rig.get("/subscriptions", who="reader")["value"] == []
    rig.run(rig.access.assignments.put(Assignment(id="r", principal="reader", role=Role.READER, scope=RG)))
    assert rig.names(f"{S}/resourceGroups", who="reader") == ["rg"]
    assert rig.names(f"{S}/resources", who="reader") == ["v"]
    assert len(rig.get("/subscriptions", who="reader")["value"]) == 1
    assert rig.refused("DELETE", RG, who="reader") == (403, "AuthorizationFailed")
    assert rig.refused("GET", f"{S}/resourceGroups/other", who="reader") == (403, "AuthorizationFailed")


def test_only_who_may_see_a_resource_sees_what_happens_to_it() -> None:
    rig = a_rig()
    rig.run(rig.access.assignments.put(Assignment(id="c", principal="owner", role=Role.CONTRIBUTOR, scope=RG)))
    polled = rig.ask("DELETE", RG, who="owner").headers["azure-asyncoperation"].removeprefix("https://localhost:8443")
    assert rig.get(polled, who="owner", version="")["status"] == "Succeeded"
    assert rig.refused("GET", polled, who="stranger", version="") == (403, "AuthorizationFailed")


def test_long_lists_come_in_pages() -> None:
    rig = a_rig()
    for number in range(5):
        rig.put(f"{VNET}{number}", {"tags": {"odd": str(number % 2)}})
    path, found = f"{S}/resources?$top=2&$filter=tagName eq 'odd' and tagValue eq '0'", []
    while path:
        page = rig.get(path, version="" if "api-version" in path else "2024-11-01")
        found.append([item["name"] for item in page["value"]])
        path = page.get("nextLink", "").removeprefix("https://localhost:8443").replace("%20", " ").replace("%27", "'")
    assert found == [["v0", "v2"], ["v4"]]
