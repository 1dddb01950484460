"""What is installed on a machine: the unit, the sample configuration, and the agent in one file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forewarn.agent.checking import warnings
from forewarn.agent.config import Config, Settings
from forewarn.agent.main import CONFIG
from forewarn.agent.reading import read_config

DEPLOY = Path(__file__).parents[2] / "deploy"
UNIT = DEPLOY / "systemd" / "forewarn-agent.service"
SAMPLE = DEPLOY / "agent.toml"


def test_the_sample_configuration_can_be_run_as_it_is() -> None:
    config = read_config(SAMPLE)
    assert config.settings == Config().settings, "it shows the defaults"
    assert warnings(config) == []
    assert len(config.rules) > 1


def test_what_the_sample_leaves_out_can_be_put_in() -> None:
    hidden = [line.removeprefix("#") for line in SAMPLE.read_text().splitlines() if line.startswith("#listen")]
    assert hidden == [f'listen = "{Settings().listen}"']


def test_the_whole_agent_runs_from_one_file_without_packages(tmp_path: Path) -> None:
    file = tmp_path / "forewarn-agent"
    subprocess.run([sys.executable, DEPLOY / "pack_agent.py", file], timeout=60, check=True)
    assert os.access(file, os.X_OK)
    assert file.stat().st_size < 500_000
    words = [sys.executable, "-I", "-S", str(file)]  # isolated: no site packages, no PYTHONPATH
    done = subprocess.run([*words, "check", str(SAMPLE)], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "finish-work (command, up to 3m)" in done.stdout
    wrong = subprocess.run([*words, "status", "--state", "nix"], capture_output=True, text=True, timeout=60)
    assert (wrong.returncode, wrong.stderr.startswith("forewarn-agent: ")) == (3, True)


def test_the_unit_is_what_the_agent_speaks() -> None:
    text = UNIT.read_text()
    for line in ("Type=notify", "WatchdogSec=", "KillMode=process", "ExecReload=/bin/kill -HUP $MAINPID"):
        assert f"\n{line}" in text
    assert f"\nStateDirectory={Settings().state.name}\n" in text
    assert f"\nConfigurationDirectory={CONFIG.parent.name}\n" in text


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None and not os.environ.get("CI"), reason="systemd is not installed"
)
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    here = UNIT.read_text().replace("/usr/local/bin/forewarn-agent", shutil.which("true") or "")
    (tmp_path / UNIT.name).write_text(here)
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / UNIT.name)], capture_output=True, text=True, timeout=60
    )
    said = [line for line in done.stderr.splitlines() if UNIT.name in line]
    assert (done.returncode, said) == (0, [])
