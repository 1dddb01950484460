"""Giving roles and taking them away, over the native API."""

import asyncio

from forewarn.access.service import MOST_KEYS
from forewarn.domain.access import Assignment, Role
from tests.access.making import SUBSCRIPTION, bearer
from tests.control.rig import Rig

ROLES = "/forewarn/v1/roles"
WHOLE = f"/subscriptions/{SUBSCRIPTION}"
CLOCK = "/forewarn/v1/clock"


def has_group(rig: Rig, name: str) -> None:
    told = {"Content-Type": "application/json"}
    path = f"{WHOLE}/resourcegroups/{name}?api-version=2024-11-01"
    assert rig.raw("PUT", path, b'{"location": "eastus"}', told)[0] == 201


def test_at_first_only_the_local_login_has_a_role(rig: Rig) -> None:
    (only,) = rig.get(ROLES)["items"]
    assert only == {"id": "local", "principal": "local", "role": "Contributor", "scope": WHOLE}


def test_a_machine_may_do_nothing_until_it_is_given_a_role_and_nothing_afterwards(rig: Rig) -> None:
    machine = bearer(rig.access, "machine:db/db-0")
    assert rig.ask("GET", CLOCK, headers=machine)[0] == 403
    given = rig.post(ROLES, {"principal": "machine:db-0", "role": "Reader"})
    assert (given["principal"], given["scope"]) == ("machine:db/db-0", WHOLE)
    assert rig.ask("GET", CLOCK, headers=machine)[0] == 200
    assert rig.ask("POST", "/forewarn/v1/keys/rotate", headers=machine)[0] == 403
    assert rig.ask("DELETE", f"{ROLES}/{given['id']}") == (200, given)
    assert rig.ask("GET", CLOCK, headers=machine)[0] == 403
    assert rig.refused("DELETE", f"{ROLES}/{given['id']}")[0] == 404


def test_a_role_given_twice_is_one(rig: Rig) -> None:
    has_group(rig, "Shop")
    body = {"principal": "machine:db-0", "role": "Reader", "group": "shop"}
    first, second = rig.post(ROLES, body), rig.post(ROLES, {**body, "group": "SHOP"})
    assert first == second
    assert first["scope"] == f"{WHOLE}/resourceGroups/Shop"
    assert len(rig.get(ROLES)["items"]) == 2


def test_a_role_in_a_group_is_none_on_the_subscription(rig: Rig) -> None:
    has_group(rig, "shop")
    rig.post(ROLES, {"principal": "machine:db-0", "role": "Contributor", "group": "shop"})
    assert rig.ask("GET", CLOCK, headers=bearer(rig.access, "machine:db/db-0"))[0] == 403


def test_a_role_may_be_given_to_an_object_id(rig: Rig) -> None:
    machine = rig.access.object_id("machine:db/db-0")
    rig.post(ROLES, {"principal": machine.upper(), "role": "Reader"})
    assert rig.ask("GET", CLOCK, headers=bearer(rig.access, "machine:db/db-0"))[0] == 200


def test_nobody_is_given_a_role_by_a_slip_of_the_pen(rig: Rig) -> None:
    for principal in ("machine:nobody", "machne:db-0", "db-0"):
        status, why = rig.refused("POST", ROLES, {"principal": principal, "role": "Reader"})
        assert (status, why[:12]) == (404, "There is no ")
    assert rig.refused("POST", ROLES, {"principal": "machine:solo", "role": "Reader"})[0] == 409, "there are two"
    assert rig.refused("POST", ROLES, {"principal": "local", "role": "Owner"})[0] == 400
    assert rig.refused("POST", ROLES, {"principal": "local", "role": "Reader", "group": "none"})[0] == 404


def test_the_local_login_keeps_its_role(rig: Rig) -> None:
    assert rig.refused("DELETE", f"{ROLES}/local")[0] == 409


def test_the_list_comes_in_pages(rig: Rig) -> None:
    for number in range(5):
        given = Assignment(id=f"{number}", principal="somebody", role=Role.READER, scope=WHOLE)
        rig.run(rig.access.assignments.put(given))
    seen, after = [], ""
    while after is not None:
        page = rig.get(f"{ROLES}?limit=2&after={after}")
        seen += [given["id"] for given in page["items"]]
        after = page["next"]
    assert seen == ["0", "1", "2", "3", "4", "local"]


def test_whoami_tells_who_asks_and_with_which_roles(rig: Rig) -> None:
    told = rig.get("/forewarn/v1/whoami")
    assert (told["principal"], told["object_id"]) == ("local", rig.access.object_id("local"))
    assert [given["role"] for given in told["roles"]] == ["Contributor"]
    given = rig.post(ROLES, {"principal": rig.access.object_id("machine:db/db-0"), "role": "Reader"})
    _, told = rig.ask("GET", "/forewarn/v1/whoami", headers=bearer(rig.access, "machine:db/db-0"))
    assert (told["principal"], told["roles"]) == ("machine:db/db-0", [given])


def test_what_a_machine_does_is_told_as_the_machine_s_doing(rig: Rig) -> None:
    rig.post(ROLES, {"principal": "machine:db-0", "role": "Contributor"})
    body = {"type": "Reboot", "machines": ["db-1"]}
    rig.ask("POST", "/forewarn/v1/events", body, bearer(rig.access, "machine:db/db-0"))
    entries = rig.get("/forewarn/v1/history")["items"]
    assert entries[-1]["who"] == {"kind": "machine", "name": "machine:db/db-0"}


def test_tokens_of_the_key_before_hold_after_a_rotation(rig: Rig) -> None:
    before = rig.access.keys.signing.id
    told = rig.post("/forewarn/v1/keys/rotate")
    assert told["signing"] != before
    assert told["verifying"] == 2
    assert rig.get(CLOCK)


def test_keys_are_not_rotated_without_end(rig: Rig) -> None:
    async def many() -> None:
        keys = rig.access.keys
        keys._take([keys.signing] * MOST_KEYS)
        await asyncio.sleep(0)

    rig.run(many())
    status, why = rig.refused("POST", "/forewarn/v1/keys/rotate")
    assert (status, str(MOST_KEYS) in why) == (429, True)
