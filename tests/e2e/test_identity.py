"""A machine proves who it is with a token of the metadata service, and may do what its roles say."""

import json
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.e2e.running import Up, up

RESOURCE = "https%3A%2F%2Fmanagement.azure.com%2F"
TOKEN = f"/metadata/identity/oauth2/token?api-version=2018-02-01&resource={RESOURCE}"


def token(forewarn: Up, machine: str) -> dict[str, str]:
    request = urllib.request.Request(forewarn.machines[machine] + TOKEN, headers={"Metadata": "true"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        told: dict[str, str] = json.load(answer)
        return told


def status(forewarn: Up, path: str, bearer: str, body: bytes | None = None) -> int:
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(forewarn.control + path, body, headers), timeout=10
        ) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_machine_asks_by_itself_for_what_it_has_a_role_for(tmp_path: Path) -> None:
    with up(tmp_path) as forewarn:
        own, other = token(forewarn, "db-0"), token(forewarn, "db-1")
        assert own["client_id"] != other["client_id"]
        events, bearer = "/forewarn/v1/events", own["access_token"]
        assert status(forewarn, events, bearer) == 403
        assert forewarn.cli("role", "assign", "machine:db-0", "Reader").returncode == 0
        assert status(forewarn, events, bearer) == 200
        assert status(forewarn, events, other["access_token"]) == 403
        assert status(forewarn, events, bearer, b'{"type": "Reboot", "machines": ["db-1"]}') == 403
        assert forewarn.cli("role", "assign", own["client_id"], "Contributor").returncode == 0
        assert status(forewarn, events, bearer, b'{"type": "Reboot", "machines": ["db-1"]}') == 201
        assert "machine:db-0" in forewarn.cli("history").stdout
    with up(tmp_path) as forewarn:
        assert status(forewarn, events, bearer) == 200, "roles and keys outlive a restart"


def test_a_role_ends_with_the_machine_it_was_given_to(tmp_path: Path) -> None:
    with up(tmp_path) as forewarn:
        assert forewarn.cli("role", "assign", "machine:db-0", "Reader").returncode == 0
        assert forewarn.cli("delete", "db-0", "--wait").returncode == 0
        deadline = time.monotonic() + 30
        while "machine:db/db-0" in forewarn.cli("role", "list").stdout:
            assert time.monotonic() < deadline, "it still has its role"
