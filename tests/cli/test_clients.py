"""Clients, from the command line."""

from tests.cli.shell import Shell


def test_a_client_is_made_listed_and_removed(forewarn: Shell) -> None:
    said = forewarn.ok("client", "add", "ci")
    assert said.out.startswith("ci can log in, with this secret, which is not shown again: secret-1\n")
    assert "forewarn role assign ci Reader" in said.out
    assert [row[0] for row in forewarn.ok("client", "list").rows] == ["ci", "local"]
    assert forewarn.ok("client", "remove", "ci").out == "ci can no longer log in, and has no role any more.\n"
    assert [one["id"] for one in forewarn.ok("client", "list", "--json").json] == ["local"]


def test_the_local_login_stays(forewarn: Shell) -> None:
    said = forewarn("client", "remove", "local")
    assert said.status == 1
    assert "cannot be removed" in said.err
