"""A whole Forewarn on its core, with a scale set of 1,000 instances made through ARM, and a client of it.

The client does what Azure's do: it logs in, trusts the CA, bears its token, and keeps its connection.
"""

import contextlib
import json
import os
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.measuring import SERVER_CORE, pinned
from forewarn.access.files import ca_file, read_local, token_in, token_request

Json = dict[str, Any]
SIZE = 1000
VERSION = "2024-07-01"
ALONE = "[machine.alone]\n"
SCALE_SET: Json = {
    "location": "eastus",
    "sku": {"name": "Standard_D2s_v5", "capacity": SIZE},
    "properties": {
        "upgradePolicy": {"mode": "Manual"},
        "singlePlacementGroup": False,
        "orchestrationMode": "Uniform",
        "virtualMachineProfile": {
            "storageProfile": {
                "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}},
                "imageReference": {
                    "publisher": "Canonical",
                    "offer": "ubuntu-24_04-lts",
                    "sku": "server",
                    "version": "latest",
                },
            },
            "osProfile": {"computerNamePrefix": "web", "adminUsername": "azureuser", "adminPassword": "Pa55word"},
            "networkProfile": {
                "networkInterfaceConfigurations": [
                    {"name": "nic", "properties": {"primary": True, "ipConfigurations": [{"name": "ip"}]}}
                ]
            },
        },
    },
}
"""As `az vmss create` has it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """A Forewarn that runs, and who may ask it."""

    pid: int
    port: int  # of HTTPS
    metadata: str  # the URL of a machine that nothing happens to
    data: Path
    token: str
    group: str  # the path of the resource group

    @property
    def scale_set(self) -> str:
        return f"{self.group}/providers/Microsoft.Compute/virtualMachineScaleSets/web"

    @property
    def instances(self) -> str:
        return f"{self.scale_set}/virtualMachines"


class Client:
    """One connection, kept."""

    def __init__(self, port: int, ca: Path, token: str = "") -> None:
        self._connection = HTTPSConnection("localhost", port, context=ssl.create_default_context(cafile=ca))
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> "Answer":
        self._connection.request(method, path, body or None, {**self._headers, **(headers or {})})
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{method} {path} was answered with {answer.status}: {content[:500]!r}")
        return Answer(headers=dict(answer.getheaders()), body=content)

    def ask(self, method: str, path: str, body: Json | None = None) -> "Answer":
        """With an api-version, and JSON if any."""
        content = b"" if body is None else json.dumps(body).encode()
        mark = "&" if "?" in path else "?"
        return self.send(method, f"{path}{mark}api-version={VERSION}", content, {"Content-Type": "application/json"})

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        told: Json = json.loads(self.body)
        return told


@contextlib.contextmanager
def scale_set() -> Iterator[tuple[Site, Client]]:
    """The site with its scale set. The clock stands still, so what waits for its notice waits until the end."""
    with tempfile.TemporaryDirectory(dir=".") as folder, up(Path(folder), ALONE) as (process, told):
        site = _site(process.pid, told, Path(folder, "data"))
        with contextlib.closing(Client(site.port, ca_file(site.data), site.token)) as client:
            client.ask("PUT", site.group, {"location": "eastus"})
            client.ask("PUT", site.scale_set, SCALE_SET)
            yield site, client


def _site(pid: int, told: Json, data: Path) -> Site:
    """With the token of the login that lies in its data directory."""
    local, port = read_local(data), urlsplit(told["arm"]).port or 0
    assert local is not None, "who is up has a login"
    login = token_request(local)
    with contextlib.closing(Client(port, ca_file(data))) as stranger:
        token = token_in(stranger.send("POST", login.path, login.body, login.headers).body)
    group = f"/subscriptions/{local.subscription}/resourceGroups/rg"
    (machine,) = told["machines"]
    return Site(pid=pid, port=port, metadata=machine["metadata_url"], data=data, token=token, group=group)


@contextlib.contextmanager
def up(folder: Path, fleet_file: str) -> Iterator[tuple["subprocess.Popen[bytes]", Json]]:
    """With what it says of itself."""
    fleet = folder / "fleet.toml"
    fleet.write_text(fleet_file)
    command = [sys.executable, "-m", "forewarn.cli", "up", "--json", "--data", str(folder / "data")]
    command += ["--fleet", str(fleet), "--clock", "manual", "--first-answer-delay", "0s"]
    for place in ("--metadata", "--control", "--arm"):
        command += [place, "127.0.0.1:0"]
    process = subprocess.Popen(
        pinned(SERVER_CORE, command),
        stdout=subprocess.PIPE,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
