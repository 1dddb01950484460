"""Principals by name and by id, as `az role` asks for them."""

import pytest

from tests.arm.compute import SET, a_cloud, a_set
from tests.arm.rig import a_rig

NAMED = "/v1.0/servicePrincipals?$filter=servicePrincipalNames/any(c:c eq '{}')"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param("local", ["local"], id="client"),
        pytest.param("nobody", [], id="nobody"),
        pytest.param("machine:rg/web:0/web_0", ["machine:rg/web:0/web_0"], id="machine"),
        pytest.param("machine:web_0", ["machine:rg/web:0/web_0"], id="machine-by-its-name-alone"),
        pytest.param("machine:rg/web_0", [], id="no-machine"),
    ],
)
def test_a_principal_is_found_by_its_name(asked: str, found: list[str]) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    told = cloud.get(NAMED.format(asked), version="")["value"]
    assert [(one["id"], one["appId"]) for one in told] == [(cloud.access.object_id(name), name) for name in found]


def test_other_questions_are_refused_or_find_nobody() -> None:
    rig = a_rig()
    assert rig.refused("GET", "/v1.0/servicePrincipals?$filter=odd", version="") == (400, "Request_UnsupportedQuery")
    assert rig.get("/v1.0/users?$filter=odd", version="")["value"] == []


def test_names_are_found_by_id() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    path, machine = "/v1.0/directoryObjects/getByIds", "machine:rg/web:0/web_0"
    ids = [cloud.access.object_id("local").upper(), cloud.access.object_id(machine), "other"]
    told = cloud.ask("POST", path, {"ids": ids}, version="")
    assert [one["displayName"] for one in told.json["value"]] == ["local", machine]
    assert cloud.refused("POST", path, {"ids": 7}, version="") == (400, "Request_BadRequest")


def test_only_readers_of_the_subscription_ask() -> None:
    assert a_rig().refused("GET", NAMED.format("local"), who="stranger", version="") == (403, "AuthorizationFailed")
