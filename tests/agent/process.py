"""An agent as a process, and the questions one asks it."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forewarn.agent.asking import ask
from forewarn.agent.errors import AgentError
from tests.waiting import until

NOWHERE = "http://127.0.0.1:9"
"""Where nobody listens."""


@dataclass(kw_only=True)
class Agent:
    folder: Path
    process: "subprocess.Popen[bytes]" = field(repr=False)

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def said(self) -> str:
        return (self.folder / "agent.log").read_text()

    def status(self) -> dict[str, Any]:
        status, told = ask(self.state, "GET", "/status")
        assert status == 200
        return dict(told)

    def get(self, path: str) -> tuple[int, str]:
        return get(f"http://{self.status()['listen']}{path}")

    def sees(self, stage: str, event: str = "") -> bool:
        """Whether an event, or that one, has come so far."""
        return any(e["stage"] == stage and e["event"].startswith(event) for e in self.status()["events"])

    def cli(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return agent_cli(*words, "--state", str(self.state))

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(30)


def get(url: str, method: str = "GET") -> tuple[int, str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, method=method), timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def agent_cli(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "forewarn.agent", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "NO_COLOR": "1", **environment},
    )


@contextmanager
def an_agent(
    folder: Path, config: str, *flags: str, endpoint: str = NOWHERE, environment: Mapping[str, str] | None = None
) -> Iterator[Agent]:
    """It answers when this gives it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.toml").write_text(config)
    words = ["run", "--config", str(folder / "agent.toml"), "--state", str(folder / "state"), "--endpoint", endpoint]
    listen = () if "--listen" in flags else ("--listen", "127.0.0.1:0")
    with (folder / "agent.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "forewarn.agent", *words, *listen, *flags],
            stderr=log,
            env={**os.environ, **(environment or {})},
        )
    agent = Agent(folder=folder, process=process)
    try:
        until(lambda: _answers(agent), f"the agent answers: {agent.said()}")
        yield agent
    finally:
        if process.poll() is None:
            agent.stop()


def _answers(agent: Agent) -> bool:
    assert agent.process.poll() is None, agent.said()
    state = agent.state / "dry-run" if (agent.state / "dry-run").exists() else agent.state
    try:
        return ask(state, "GET", "/status")[0] == 200
    except AgentError:
        return False
