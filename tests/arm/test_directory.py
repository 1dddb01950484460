"""Principals by name and by id, as `az role` asks for them."""

from tests.arm.rig import a_rig

NAMED = "/v1.0/servicePrincipals?$filter=servicePrincipalNames/any(c:c eq '{}')"


def test_a_principal_is_found_by_its_name() -> None:
    rig = a_rig()
    for name in ("local", "machine:web/web_0"):
        (told,) = rig.get(NAMED.format(name), version="")["value"]
        assert (told["id"], told["appId"]) == (rig.access.object_id(name), name)
    assert rig.get(NAMED.format("nobody"), version="")["value"] == []
    assert rig.refused("GET", "/v1.0/servicePrincipals?$filter=odd", version="") == (400, "Request_UnsupportedQuery")
    assert rig.get("/v1.0/users?$filter=odd", version="")["value"] == []


def test_names_are_found_by_id() -> None:
    rig = a_rig()
    path = "/v1.0/directoryObjects/getByIds"
    told = rig.ask("POST", path, {"ids": [rig.access.object_id("local").upper(), "other"]}, version="")
    assert [one["displayName"] for one in told.json["value"]] == ["local"]
    assert rig.refused("POST", path, {"ids": 7}, version="") == (400, "Request_BadRequest")


def test_only_readers_of_the_subscription_ask() -> None:
    assert a_rig().refused("GET", NAMED.format("local"), who="stranger", version="") == (403, "AuthorizationFailed")
