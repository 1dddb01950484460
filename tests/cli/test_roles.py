"""Roles, from the command line."""

import pytest

from tests.cli.shell import Shell
from tests.control.rig import Rig


def test_a_role_is_given_listed_and_taken_away(forewarn: Shell) -> None:
    said = forewarn.ok("role", "assign", "machine:db-0", "reader")
    assert said.out == "machine:db/db-0 is now Reader on the subscription.\n"
    assert forewarn.ok("role", "list").rows == [
        ["local", "Contributor", "on", "the", "subscription"],
        ["machine:db/db-0", "Reader", "on", "the", "subscription"],
    ]
    said = forewarn.ok("role", "remove", "machine:db-0", "Reader")
    assert said.out == "machine:db/db-0 is no longer Reader on the subscription.\n"
    assert len(forewarn.ok("role", "list", "--json").json) == 1


def test_of_two_machines_with_one_name_one_must_be_named(forewarn: Shell) -> None:
    for scope in ("solo", "twins"):
        forewarn.ok("role", "assign", f"machine:{scope}/solo", "Reader")
    said = forewarn("role", "remove", "machine:solo", "Reader")
    assert (said.status, said.err) == (1, "forewarn: Say which one: machine:solo/solo or machine:twins/solo.\n")
    forewarn.ok("role", "remove", "machine:twins/solo", "Reader")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        pytest.param(["assign", "machine:none", "Reader"], 1, "There is no machine none", id="no-machine"),
        pytest.param(["assign", "local", "King"], 2, "'King' is none of Reader, Contributor", id="no-role"),
        pytest.param(["assign", "local", "Reader", "--group", "x"], 1, "There is no resource group x", id="no-group"),
        pytest.param(["remove", "machine:db-0", "Reader"], 1, "`forewarn role list`", id="not-given"),
        pytest.param(["remove", "local", "Contributor"], 1, "role is fixed", id="the-local-login"),
    ],
)
def test_what_cannot_be_is_refused_in_words(forewarn: Shell, words: list[str], status: int, told: str) -> None:
    said = forewarn("role", *words)
    assert (said.status, said.out, told in said.err) == (status, "", True), said.err


def test_whoami(forewarn: Shell, rig: Rig) -> None:
    said = forewarn.ok("whoami")
    assert said.out.startswith(f"local, object id {rig.access.object_id('local')}, at {rig.url}\n")
    assert forewarn.ok("whoami", "--json").json["principal"] == "local"


def test_keys_are_rotated(forewarn: Shell, rig: Rig) -> None:
    said = forewarn.ok("keys", "rotate")
    assert said.out == f"Tokens are signed by a new key since 2030-01-01 12:00:00Z: {rig.access.keys.signing.id}\n"
    assert forewarn.ok("keys", "rotate", "--json").json["verifying"] == 3
