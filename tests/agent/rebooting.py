"""Machines behind a load balancer, under load, and a reboot that Forewarn announces and performs.

A machine is a web server and, if wanted, the agent. The driver's program ends both with SIGKILL, as a reboot would; a
while later both are started again. Nobody tells the load balancer but the agent.
"""

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.agent.balancing import HAProxy, Web, address, answers, haproxy
from tests.agent.load import Load, load
from tests.e2e.running import Up, up
from tests.waiting import until

BOOT = 1.0
"""How long a machine is away."""
CALM = 1.0
"""How long the load runs before the reboot, and after all is well again."""

FLEET = """
[driver]
kind = "command"
program = "/bin/sh"
args = ["-c", "kill -9 $(cat {folder}/$FOREWARN_MACHINE.pids)"]

[machine.web-0]
[machine.web-1]
"""
CONFIG = """
[agent]
endpoint = "{endpoint}"
name = "{name}"
state = "{folder}/{name}"
listen = ""

[steps.pool]
use = "haproxy"
limit = "30s"
backend = "app"
sockets = ["{socket}"]

[[rules]]
types = ["Reboot"]
steps = ["pool"]
"""


@dataclass(kw_only=True)
class Machine:
    """Runs its programs, and starts them again after they have been killed."""

    web: Web
    agent: list[str]
    """The agent's command line; nothing, if there is no agent."""
    folder: Path
    boots: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self._over.wait(BOOT if self.boots else 0):
            self._once()

    def _once(self) -> None:
        self.web.start()
        assert self.web.process is not None
        programs = [self.web.process]
        if self.agent:
            with (self.folder / f"{self.web.name}.log").open("ab") as log:
                programs.append(subprocess.Popen(self.agent, stdout=log, stderr=log))
        pids = self.folder / f"{self.web.name}.pids"
        pids.with_suffix(".new").write_text(" ".join(str(program.pid) for program in programs))
        pids.with_suffix(".new").rename(pids)
        self.boots += 1
        while all(program.poll() is None for program in programs) and not self._over.wait(0.01):
            pass
        for program in programs:
            program.kill()
            program.wait()

    def stop(self) -> None:
        self._over.set()


@dataclass(frozen=True, kw_only=True)
class Rebooted:
    load: Load
    took: float
    """Seconds from the command until the machine was in the pool again."""
    log: str
    """What its agent had to say."""


def reboot_under_load(folder: Path, *, with_agent: bool, haproxy_options: str = "") -> Rebooted:
    (folder / "fleet.toml").write_text(FLEET.format(folder=folder))
    webs = [Web(name=name, where=address()) for name in ("web-0", "web-1")]
    with (
        up(folder / "data", "--fleet", str(folder / "fleet.toml")) as forewarn,
        haproxy(*webs, more=haproxy_options) as balancer,
        _running(folder, webs, forewarn, balancer, with_agent) as machines,
        load(balancer.front) as seen,
    ):
        time.sleep(CALM)
        began = time.monotonic()
        done = forewarn.cli("restart", "web-0", "--wait")
        assert done.returncode == 0, done.stderr
        until(lambda: machines[0].boots == 2 and balancer.status("web-0") == "UP", "the machine is back")
        took = time.monotonic() - began
        time.sleep(CALM)
    log = folder / "web-0.log"
    return Rebooted(load=seen, took=took, log=log.read_text() if with_agent else "")


@contextlib.contextmanager
def _running(
    folder: Path, webs: Sequence[Web], forewarn: Up, balancer: HAProxy, with_agent: bool
) -> Iterator[list[Machine]]:
    """From the moment that all serve and, with agents, that Forewarn knows of them."""
    agents = {web.name: _agent(folder, web, forewarn, balancer) if with_agent else [] for web in webs}
    machines = [Machine(web=web, agent=agents[web.name], folder=folder) for web in webs]
    with ThreadPoolExecutor() as threads:
        running = [threads.submit(machine.run) for machine in machines]
        try:
            until(
                lambda: all(answers(web.where) and balancer.status(web.name) == "UP" for web in webs), "all are served"
            )
            until(lambda: not with_agent or _all_enrolled(forewarn), "the agents have asked")
            yield machines
        finally:
            for machine in machines:
                machine.stop()
    for one in running:
        one.result()


def _agent(folder: Path, web: Web, forewarn: Up, balancer: HAProxy) -> list[str]:
    config = folder / f"{web.name}.toml"
    endpoint = forewarn.machines[web.name]
    config.write_text(CONFIG.format(endpoint=endpoint, name=web.name, folder=folder, socket=balancer.admin))
    return [sys.executable, "-m", "forewarn.agent", "run", "--config", str(config)]


def _all_enrolled(forewarn: Up) -> bool:
    return all(scope["enrolled_at"] for scope in json.loads(forewarn.cli("--json", "fleet", "--scopes").stdout))
