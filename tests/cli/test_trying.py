"""`forewarn with` and `forewarn token`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from forewarn.cli import main
from forewarn.remote import Client
from tests.cli.shell import ENVIRONMENT, Shell
from tests.control.rig import Rig

ASK = """
import json, os, urllib.request
url = os.environ["FOREWARN_SERVER"] + "/forewarn/v1/"
bearer = {"Authorization": "Bearer " + os.environ["FOREWARN_TOKEN"]}
def ask(path, body=None):
    more = {"Content-Type": "application/json"} if body else {}
    return json.load(urllib.request.urlopen(urllib.request.Request(url + path, body, {**bearer, **more})))
machines = [machine["name"] for machine in ask("machines")["items"]]
print(json.dumps([machines, ask("clock")["rate"], ask("clock/advance", b'{"by": "15m"}')["now"]]))
raise SystemExit(4)
"""


def run_with(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "forewarn.cli", "with", *words]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)


def test_a_command_finds_a_forewarn_of_its_own_and_its_status_counts(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.toml"
    fleet.write_text("[availability_set.db]\nmachines = 2\n")
    done = run_with("--fleet", str(fleet), "--", sys.executable, "-c", ASK)
    assert done.returncode == 4, done.stderr
    machines, rate, _ = json.loads(done.stdout)
    assert (machines, rate) == (["db-0", "db-1"], 0)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        pytest.param(["--", "no-such-program"], 127, "forewarn: no-such-program: No such file", id="no-such-program"),
        pytest.param(["--fleet", "nowhere.toml", "--", "true"], 1, "nowhere.toml cannot be read", id="no-such-fleet"),
        pytest.param([], 2, "required: COMMAND", id="no-command"),
    ],
)
def test_what_cannot_be_run_is_told(
    words: list[str], status: int, told: str, capfd: pytest.CaptureFixture[str]
) -> None:

    try:
        ended = main(["with", *words])
    except SystemExit as usage:
        ended = int(usage.code or 0)
    assert ended == status
    assert told in capfd.readouterr().err


def test_who_ends_it_ends_the_command_first() -> None:
    script = "trap 'echo ended; exit 3' TERM; echo up; while :; do sleep 0.01; done"
    command = [sys.executable, "-m", "forewarn.cli", "with", "--", "sh", "-c", script]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.terminate()
        assert process.stdout.read() == "ended\n"
        assert process.wait(10) == 3


def test_a_token_is_enough_to_ask(forewarn: Shell, rig: Rig) -> None:
    told = forewarn.ok("token").out.strip()
    assert Client(rig.url, token=told).get("/clock")["real"] in (True, False)
    assert forewarn.ok("token", "--json").json["token"].count(".") == told.count(".") == 2
