"""Who may do what, by the commands of az: the long way to log in, roles, and the identity of a machine."""

import subprocess
from pathlib import Path

import pytest

from tests.azure.driving import Shell, evaluated
from tests.e2e.running import FOREWARN

pytestmark = pytest.mark.azure

LEAN = ("--image", "Ubuntu2204", "--admin-username", "azureuser", "--generate-ssh-keys", "--public-ip-address", "")


@pytest.fixture(scope="module", autouse=True)
def machine(shell: Shell) -> None:
    shell.json("group", "create", "-n", "rg1", "-l", "eastus")
    shell.json("vm", "create", "-g", "rg1", "-n", "vm", *LEAN)


def scope(shell: Shell) -> str:
    return str(shell.json("group", "show", "-n", "rg1")["id"])


def roles(shell: Shell) -> list[tuple[str, str]]:
    listed = shell.json("role", "assignment", "list", "--scope", scope(shell))
    return [(one["principalName"], one["roleDefinitionName"]) for one in listed]


def test_the_commands_of_the_long_way_run_as_they_are_printed(shell: Shell, tmp_path: Path) -> None:
    """In a shell that knows az and nothing of Forewarn."""
    environment = {**shell.forewarn.environment, "HOME": str(tmp_path), "PATH": f"{shell.az.parent}:/usr/bin:/bin"}
    told = subprocess.run(
        [FOREWARN, "env", "--login"], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    after = "az group list --query '[].name' --output tsv"
    done = subprocess.run(
        ["sh", "-eu", "-c", f"{told.stdout.rstrip()} &&\n{after}"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "rg1"
    assert "azure-login" in told.stdout
    assert not (tmp_path / ".azure").exists()


def test_a_role_is_given_listed_and_taken_away(shell: Shell) -> None:
    given = ("--assignee", "machine:vm", "--role", "Reader", "--scope", scope(shell))
    made = shell.json("role", "assignment", "create", *given)
    assert (made["principalType"], made["scope"]) == ("ServicePrincipal", scope(shell))
    assert roles(shell) == [("machine:rg1/vm/vm", "Reader")]
    assert shell.run("role", "assignment", "delete", *given).code == 0
    assert roles(shell) == []
    nobody = shell.run("role", "assignment", "create", "--assignee", "machine:nobody", *given[2:])
    assert nobody.code == 1
    assert "Cannot find user or service principal" in nobody.err


def test_a_machine_that_is_a_reader_may_look_and_not_restart(shell: Shell, tmp_path: Path) -> None:
    shell.json("role", "assignment", "create", "--assignee", "machine:vm", "--role", "Reader", "--scope", scope(shell))
    environment = evaluated(shell.forewarn, tmp_path)
    config = tmp_path / "config"
    config.mkdir()
    for name in ("config", "clouds.config"):
        (config / name).write_bytes(Path(environment["AZURE_CONFIG_DIR"], name).read_bytes())
    authority = shell.machines()["vm"]
    environment |= {"AZURE_CONFIG_DIR": str(config), "AZURE_POD_IDENTITY_AUTHORITY_HOST": authority}
    itself = Shell(forewarn=shell.forewarn, az=shell.az, environment=environment)
    assert itself.json("login", "--identity")[0]["user"]["type"] == "servicePrincipal"
    assert itself.json("vm", "show", "-g", "rg1", "-n", "vm")["name"] == "vm"
    refused = itself.run("vm", "restart", "-g", "rg1", "-n", "vm")
    assert refused.code == 1
    assert "(AuthorizationFailed)" in refused.err
    assert "Microsoft.Compute/virtualMachines/restart/action" in refused.err
