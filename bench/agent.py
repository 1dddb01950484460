"""What the agent takes of the machine it looks after: memory, and processor time at one poll a second.

Beside it, doing nothing but the polls: the loop around curl that many begin with, and one in Python. All of them run
at the same time and wherever there is room, so that whatever else the machine does meets them alike.
"""

import contextlib
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.agent.azure_host import Host, azure_host, reboot

from bench.measuring import Row, cpu_seconds, free_port, running
from forewarn.agent.asking import ask

SECONDS = 120
MEGABYTE = 1e6
LEAST, MOST = 0.9, 1.1
"""Polls a second that count as one."""
PACK = Path(__file__).parent.parent / "deploy" / "pack_agent.py"
POLL = "/metadata/scheduledevents?api-version=2020-07-01"
CONFIG = """
[steps.note]
use = "log"
[steps.leave-pool]
use = "http"
url = "{url}/members/{{me}}"
body = '{{"state": "draining"}}'
restore_body = '{{"state": "enabled"}}'
[steps.finish-work]
use = "command"
prepare_command = "sleep 1"
restore_command = "true"
[[rules]]
steps = ["note", "leave-pool", "finish-work"]
"""
AS_THE_UNIT_HAS_IT = {"MALLOC_ARENA_MAX": "2"}
CURL = 'while :; do curl -s -o /dev/null -H Metadata:true "$0"; sleep 1; done'
URLLIB = """
import json, sys, time
from urllib.request import Request, urlopen
while True:
    with urlopen(Request(sys.argv[1], headers={"Metadata": "true"})) as answer:
        json.load(answer)
    time.sleep(1)
"""


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    """Once, whatever the rounds: that is as steady over so long."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        host, other = stack.enter_context(azure_host()), stack.enter_context(azure_host())
        parking = stack.enter_context(_forewarn())
        runpy.run_path(str(PACK))["build"](folder / "agent.pyz")
        module = ["-m", "forewarn.agent"]
        commands = {
            "agent": _agent(folder / "agent", [str(folder / "agent.pyz")], host.url),
            "module": _agent(folder / "module", module, other.url),
            "parked": _agent(folder / "parked", module, parking, "--name", "none-of-them"),
            "curl": ["sh", "-c", CURL, other.url + POLL],
            "urllib": [sys.executable, "-c", URLLIB, other.url + POLL],
        }
        pids = {name: stack.enter_context(_started(command)) for name, command in commands.items()}
        time.sleep(5)  # until all have started
        tell(f"agent: {SECONDS} s of polls")
        shares, polls = _shares(pids, host)
        idle, as_module = _memory(pids["agent"]), _memory(pids["module"])
        tell(f"agent: {shares}, as a module {as_module}")
        _go_through_an_event(host, folder / "agent")
        return _report(shares, polls, idle, _highest(pids["agent"]))


def _report(shares: dict[str, float], polls: float, idle: tuple[float, float], highest: float) -> list[Row]:
    rss, pss = idle
    share = shares["agent"]
    paced = LEAST <= polls <= MOST
    return [
        Row(
            what="memory of the agent as it is shipped, waiting",
            measured=f"{rss / MEGABYTE:.1f} MB resident, of which {pss / MEGABYTE:.1f} MB are its own share",
            wanted="< 30 MB",
            holds=rss < 30 * MEGABYTE,
        ),
        Row(
            what="the most it had through an event with a call, a command and their undoing",
            measured=f"{highest / MEGABYTE:.1f} MB resident",
            wanted="< 30 MB",
            holds=highest < 30 * MEGABYTE,
        ),
        Row(
            what=f"a core's time that the agent takes on Azure, at {polls:.2f} polls a second",
            measured=f"{share:.3%}",
            wanted="< 0.5 % at 1 poll a second",
            holds=share < 0.005 and paced,
        ),
        Row(
            what="the same against a loop of `curl` and `sleep 1`",
            measured=f"{share / shares['curl']:.2f}×",
            wanted="≤ 0.5×",
            holds=share <= 0.5 * shares["curl"],
        ),
        Row(
            what="the same against a loop of Python's urllib and a sleep",
            measured=f"{share / shares['urllib']:.2f}×",
            wanted="(to know)",
            holds=True,
        ),
        Row(
            what="the same where the server is Forewarn and holds the request back",
            measured=f"{shares['parked']:.3%}",
            wanted="less than with polls",
            holds=shares["parked"] < share,
        ),
    ]


@contextlib.contextmanager
def _forewarn() -> Iterator[str]:
    port = free_port()
    with running([sys.executable, "-m", "bench.serving", "--port", str(port)], port):
        yield f"http://127.0.0.1:{port}"


def _agent(folder: Path, words: Sequence[str], endpoint: str, *flags: str) -> list[str]:
    folder.mkdir()
    (folder / "agent.toml").write_text(CONFIG.format(url=endpoint))
    here = ["--config", str(folder / "agent.toml"), "--state", str(folder / "state"), "--listen", "127.0.0.1:0"]
    return [sys.executable, *words, "run", *here, "--endpoint", endpoint, *flags]


@contextlib.contextmanager
def _started(command: Sequence[str]) -> Iterator[int]:
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **AS_THE_UNIT_HAS_IT}
    )
    try:
        yield process.pid
        if process.poll() is not None:
            raise SystemExit(f"this ended with status {process.returncode}: {command!r}")
    finally:
        process.terminate()
        process.wait()


def _shares(pids: dict[str, int], host: Host) -> tuple[dict[str, float], float]:
    """Of a core, by process; and how often a second the host was asked."""
    before = {name: cpu_seconds(pid) for name, pid in pids.items()}
    polls, began = host.polls, time.monotonic()
    time.sleep(SECONDS)
    took = time.monotonic() - began
    shares = {name: (cpu_seconds(pid) - before[name]) / took for name, pid in pids.items()}
    return shares, (host.polls - polls) / took


def _memory(pid: int) -> tuple[float, float]:
    """Rss, and Pss: what is shared with other processes counts there by its share."""
    told = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if "ss:" in line
    )
    return int(told["Rss"].split()[0]) * 1024, int(told["Pss"].split()[0]) * 1024


def _highest(pid: int) -> int:
    """Of Rss, in all its life."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def _go_through_an_event(host: Host, folder: Path) -> None:
    """Prepared, approved, started, over, restored."""
    host.tell(reboot())
    _await(folder, lambda told: any(known["approved"] for known in told["events"]))
    host.tell(reboot(started=True))
    _await(folder, lambda told: any(known["started"] for known in told["events"]))
    host.tell()
    _await(folder, lambda told: any(known["stage"] == "over" for known in told["past"]))


def _await(folder: Path, seen: Callable[[dict[str, Any]], bool]) -> None:
    deadline = time.monotonic() + 30
    while not seen(ask(folder / "state", "GET", "/status")[1]):
        if time.monotonic() > deadline:
            raise SystemExit("the agent did not go through the event")
        time.sleep(0.1)
