"""`forewarn env`: a shell that evaluates it asks Forewarn, and nothing of the user's own is touched."""

import configparser
import json
import os
import ssl
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forewarn.access.files import ca_file, read_local
from forewarn.cli.azure import MARK, Site, write_bundle, write_config
from forewarn.remote.instances import instances
from tests.access.making import LOCAL
from tests.cli.shell import ENVIRONMENT, Shell, start
from tests.e2e.running import up

SITE = Site(url="https://localhost:8443", local=LOCAL)
CA = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody who uses Azure, and no Forewarn so far."""
    home = tmp_path / "home"
    (home / ".azure").mkdir(parents=True)
    (home / ".azure" / "azureProfile.json").write_text("their own")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "AZURE_CONFIG_DIR", "FOREWARN_DATA"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return home


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / 'it\'s a "place" for $HOME'
    place.mkdir()
    return place


@pytest.fixture
def forewarn(place: Path) -> Iterator[Shell]:
    with up(place / "forewarn-data") as running:
        yield Shell(running.control)


def evaluated(lines: str) -> dict[str, str]:
    """The environment of a shell that has read them."""
    show = f"{sys.executable} -c 'import json, os; print(json.dumps(dict(os.environ)))'"
    done = subprocess.run(
        ["sh", "-eu", "-c", f"{lines}\n{show}"], env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=True
    )
    told: dict[str, str] = json.loads(done.stdout)
    return told


def variables(forewarn: Shell, *words: str) -> dict[str, Any]:
    told: dict[str, Any] = forewarn.ok("env", "--json", *words).json
    return told


def contents(directory: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in directory.iterdir() if path.is_file()}


def test_a_shell_learns_what_it_must_and_the_user_s_own_is_not_touched(
    forewarn: Shell, place: Path, home: Path
) -> None:
    told = evaluated(forewarn.ok("env").out)
    data = place / "forewarn-data"
    assert told["AZURE_CONFIG_DIR"] == str(data / "azure")
    assert told["FOREWARN_SERVER"] == forewarn.server
    assert "NO_PROXY" not in told
    assert not {name for name in told if name.startswith("AZURE_")} - {"AZURE_CONFIG_DIR"}
    assert contents(home / ".azure")["azureProfile.json"][0] == b"their own"
    assert [path.name for path in home.iterdir()] == [".azure"]
    assert [path.name for path in (home / ".azure").iterdir()] == ["azureProfile.json"]


def test_the_directory_is_private_and_holds_the_four_files(forewarn: Shell) -> None:
    directory = Path(variables(forewarn)["AZURE_CONFIG_DIR"])
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == dict.fromkeys(
        (
            "config",
            "clouds.config",
            "azureProfile.json",
            "service_principal_entries.json",
            "ca-bundle.pem",
            "forewarn.stamp",
        ),
        0o600,
    )


def test_the_bundle_opens_the_https_port(forewarn: Shell) -> None:
    (instance,) = instances()
    trusted = ssl.create_default_context(cafile=variables(forewarn)["REQUESTS_CA_BUNDLE"])
    url = f"{instance.arm}/metadata/endpoints?api-version=2022-09-01"
    with urllib.request.urlopen(url, timeout=10, context=trusted) as answer:
        assert answer.status == 200


def test_asked_again_it_says_the_same_and_writes_nothing(forewarn: Shell) -> None:
    first = forewarn.ok("env").out
    directory = Path(variables(forewarn)["AZURE_CONFIG_DIR"])
    before = contents(directory)
    assert forewarn.ok("env").out == first
    assert contents(directory) == before


def test_the_sdk_s_variables(forewarn: Shell, place: Path) -> None:
    local = read_local(place / "forewarn-data")
    (instance,) = instances()
    assert local is not None
    told = evaluated(forewarn.ok("env", "--sdk").out)
    assert {name: told[name] for name in told if name.startswith("AZURE_") and name != "AZURE_CONFIG_DIR"} == {
        "AZURE_AUTHORITY_HOST": instance.arm,
        "AZURE_TENANT_ID": "adfs",
        "AZURE_CLIENT_ID": "local",
        "AZURE_CLIENT_SECRET": local.client_secret,
        "AZURE_SUBSCRIPTION_ID": local.subscription,
        "AZURE_RESOURCE_MANAGER_URL": instance.arm,
    }


def test_the_login_route_has_a_directory_of_its_own_and_stops_where_it_fails(forewarn: Shell, place: Path) -> None:
    (instance,) = instances()
    said = forewarn.ok("env", "--login").out
    assert said.count(" &&\n") == 2
    assert f"az cloud register --name Forewarn --endpoint-resource-manager {instance.arm} &&\n" in said
    azure = 'az() { echo "$@"; test "$2" != set; }\n'  # the second command fails
    exports, _, commands = said.partition("az cloud")
    done = subprocess.run(["sh", "-c", f"{azure}{exports}az cloud{commands}"], capture_output=True, text=True, cwd="/")
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["register", "set"]
    assert evaluated(exports)["AZURE_CONFIG_DIR"] == str(place / "forewarn-data" / "azure-login")
    directory = place / "forewarn-data" / "azure-login"
    (directory / "clouds.config").write_text("registered before")
    forewarn.ok("env", "--login")
    assert list(directory.iterdir()) == []


def test_the_shell_is_guessed_or_named(forewarn: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert forewarn.ok("env").out.startswith("set -gx AZURE_CONFIG_DIR '")
    assert forewarn.ok("env", "--shell", "sh").out.startswith("export AZURE_CONFIG_DIR=")
    assert forewarn.ok("env", "--shell", "powershell").out.startswith("$env:AZURE_CONFIG_DIR = '")


def test_behind_a_proxy_forewarn_is_an_exception(forewarn: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", "intern.example, localhost")
    told = variables(forewarn)
    assert told["NO_PROXY"] == told["no_proxy"] == "intern.example,localhost,127.0.0.1"


def test_it_is_found_by_its_data_directory_too(forewarn: Shell, place: Path) -> None:
    said = Shell("http://127.0.0.1:1")("env", "--data", str(place / "forewarn-data"))
    assert said.out == forewarn.ok("env").out


def test_where_nothing_runs_nothing_is_printed_that_a_shell_would_run(tmp_path: Path) -> None:
    for words in (["env"], ["env", "--login"], ["env", "--json"], ["env", "--data", str(tmp_path)]):
        said = Shell("http://127.0.0.1:1")(*words)
        assert (said.status, said.out) == (3, "")
        assert "start one with `forewarn up`" in said.err


def test_another_one_that_runs_is_named(forewarn: Shell) -> None:
    said = Shell("http://127.0.0.1:1")("env")
    assert (said.status, said.out, forewarn.server in said.err) == (3, "", True)


def test_many_shells_may_begin_at_once(forewarn: Shell, place: Path) -> None:
    processes = [start("env", "--server", forewarn.server) for _ in range(6)]
    said = {process.communicate(timeout=60) for process in processes}
    assert (said, {process.returncode for process in processes}) == ({(forewarn.ok("env").out, "")}, {0})


def test_what_cannot_be_written_is_told(forewarn: Shell, place: Path) -> None:
    (place / "forewarn-data" / "azure").write_text("a file where the directory should be")
    said = forewarn("env")
    assert (said.status, said.out) == (1, "")
    assert "forewarn-data/azure: " in said.err


# The directory itself


def test_what_the_cli_is_told(tmp_path: Path) -> None:
    write_config(tmp_path, SITE)
    config = configparser.ConfigParser()
    config.read(tmp_path / "config")
    assert config["cloud"]["name"] == "Forewarn"
    assert config["core"]["collect_telemetry"] == "no"
    assert config["core"]["instance_discovery"] == config["core"]["encrypt_token_cache"] == "false"
    clouds = configparser.ConfigParser()
    clouds.read(tmp_path / "clouds.config")
    assert clouds["Forewarn"]["endpoint_active_directory"] == "https://localhost:8443/adfs"
    assert clouds["Forewarn"]["endpoint_microsoft_graph_resource_id"] == "https://localhost:8443/"
    (subscription,) = json.loads((tmp_path / "azureProfile.json").read_text())["subscriptions"]
    assert (subscription["id"], subscription["environmentName"]) == (LOCAL.subscription, "Forewarn")
    (entry,) = json.loads((tmp_path / "service_principal_entries.json").read_text())
    assert entry == {"client_id": "local", "tenant": LOCAL.tenant, "client_secret": LOCAL.client_secret}


def test_settings_of_the_user_s_own_stay_and_forewarn_s_come_back(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[defaults]\ngroup = rg\n[cloud]\nname = AzureCloud\n[core]\noutput = table\n")
    write_config(tmp_path, SITE)
    config = configparser.ConfigParser()
    config.read(tmp_path / "config")
    assert (config["defaults"]["group"], config["core"]["output"]) == ("rg", "table")
    assert config["cloud"]["name"] == "Forewarn"


def test_a_damaged_config_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "config").write_bytes(b"\xff[")
    write_config(tmp_path, SITE)
    assert "name = Forewarn" in (tmp_path / "config").read_text()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(SITE, url="https://localhost:9443"), id="another port"),
        pytest.param(replace(SITE, local=replace(LOCAL, client_secret="new")), id="another secret"),
        pytest.param(replace(SITE, local=replace(LOCAL, tenant="33333333")), id="another tenant"),
    ],
)
def test_what_the_cli_remembers_is_forgotten_when_it_no_longer_holds(tmp_path: Path, other: Site) -> None:
    write_config(tmp_path, SITE)
    caches = ["msal_token_cache.json", "msal_http_cache.bin", "msal_token_cache.bin"]
    for name in (*caches, "commandIndex.json"):
        (tmp_path / name).write_text("{}")
    write_config(tmp_path, SITE)
    assert all((tmp_path / name).exists() for name in caches)
    write_config(tmp_path, other)
    assert not any((tmp_path / name).exists() for name in caches)
    assert (tmp_path / "commandIndex.json").exists()


def test_other_sites_can_still_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, own = tmp_path / "ca.pem", tmp_path / "own.pem"
    authority.write_text(CA)
    own.write_text("the company's")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(own))
    bundle = tmp_path / "bundle.pem"
    write_bundle(bundle, authority)
    assert bundle.read_text() == f"the company's\n{MARK}{CA}"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    write_bundle(bundle, authority)
    write_bundle(tmp_path / "second.pem", authority)
    assert bundle.read_text() == (tmp_path / "second.pem").read_text() == f"the company's\n{MARK}{CA}"


def test_a_bundle_that_is_gone_is_no_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = tmp_path / "ca.pem"
    authority.write_text(CA)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "gone.pem"))
    write_bundle(tmp_path / "bundle.pem", authority)
    assert (tmp_path / "bundle.pem").read_text().endswith(CA)


def test_a_directory_that_others_could_read_is_closed(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o755)
    write_config(tmp_path, SITE)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_the_authority_is_that_of_the_data_directory(forewarn: Shell, place: Path) -> None:
    told = Path(variables(forewarn)["REQUESTS_CA_BUNDLE"]).read_text()
    assert told.partition(MARK)[2] == ca_file(place / "forewarn-data").read_text()
