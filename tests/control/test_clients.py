"""Letting others log in, over the native API."""

import json

from tests.access.making import TENANT
from tests.control.rig import Rig

CLIENTS = "/forewarn/v1/clients"
ROLES = "/forewarn/v1/roles"
CLOCK = "/forewarn/v1/clock"


def logged_in(rig: Rig, client_id: str, secret: str) -> dict[str, str] | None:
    form = f"grant_type=client_credentials&client_id={client_id}&client_secret={secret}".encode()
    told = {"Content-Type": "application/x-www-form-urlencoded"}
    status, body, _ = rig.raw("POST", f"/{TENANT}/oauth2/v2.0/token", form, told)
    return {"Authorization": f"Bearer {json.loads(body)['access_token']}"} if status == 200 else None


def test_a_new_client_may_do_what_its_roles_say_and_nothing_once_it_is_removed(rig: Rig) -> None:
    made = rig.post(CLIENTS, {"id": "ci"})
    assert made["object_id"] == rig.access.object_id("ci")
    bearing = logged_in(rig, "ci", made["secret"])
    assert bearing is not None
    assert rig.ask("GET", CLOCK, headers=bearing)[0] == 403
    rig.post(ROLES, {"principal": "ci", "role": "Reader"})
    assert rig.ask("GET", CLOCK, headers=bearing)[0] == 200
    assert rig.ask("POST", CLIENTS, {"id": "friend"}, headers=bearing)[0] == 403
    assert [client["id"] for client in rig.get(CLIENTS)["items"]] == ["ci", "local"]
    assert rig.ask("DELETE", f"{CLIENTS}/ci")[0] == 200
    assert rig.ask("GET", CLOCK, headers=bearing)[0] == 403
    assert logged_in(rig, "ci", made["secret"]) is None


def test_its_secret_is_told_once(rig: Rig) -> None:
    made = rig.post(CLIENTS, {"id": "ci"})
    assert made["secret"] not in str(rig.get(CLIENTS))
    assert rig.refused("POST", CLIENTS, {"id": "ci"})[0] == 409


def test_the_local_login_stays(rig: Rig) -> None:
    assert rig.refused("DELETE", f"{CLIENTS}/local")[0] == 409
    assert rig.refused("DELETE", f"{CLIENTS}/nobody")[0] == 404
