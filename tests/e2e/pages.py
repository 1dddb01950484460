"""A page of the documentation as somebody at a terminal: its commands are run in order, and must show what it says.

A page has `console` blocks: a command after `$ `, and below it what it prints. A line `…` stands for any lines, a `…`
in a line for any characters. A command with the comment `# waits` is left running, and what comes next is looked at
until it is as the page says. One with the comment `# until Ctrl-C` runs to the end of the page, and meanwhile all
is looked at so.
"""

import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tests.e2e.running import Up

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
PATIENCE = 60.0
OVER = "--- that was it ---"
VOLATILE = [
    (r"\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b", "<id>"),
    (r"\b[0-9A-F]{8}\b", "<short>"),
    (r"_[0-9a-f]{8}\b", "_<name>"),
    (r"\b\d+ s of notice\b", "<notice>"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", "<date>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "<time>"),
    (r"(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ", "<time>"),
]
"""What is another one each time."""


@dataclass(frozen=True, kw_only=True)
class Step:
    command: str
    shown: str

    @property
    def waits(self) -> bool:
        return "# waits" in self.command or self.is_endless

    @property
    def is_endless(self) -> bool:
        return "# until Ctrl-C" in self.command


def steps(page: str, heading: str = "") -> list[Step]:
    """Of a page, or of one section of it. A command goes on after a backslash, and until its quotes are closed."""
    text = (ROOT / page).read_text()
    if heading:
        text = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    commands = re.split(r"^\$ ", "".join(BLOCK.findall(text)), flags=re.MULTILINE)[1:]
    return [_step(command) for command in commands]


def _step(text: str) -> Step:
    lines = text.splitlines()
    length = next(length for length in range(1, len(lines) + 1) if _is_whole(lines[:length]))
    return Step(command="\n".join(lines[:length]), shown="\n".join(lines[length:]))


def _is_whole(command: Sequence[str]) -> bool:
    without_comment = re.sub(r"\s# .*", "", "\n".join(command))
    return not command[-1].endswith("\\") and without_comment.count("'") % 2 == 0


def steady(text: str) -> str:
    """Without what is another one each time. How long something still takes is told in whole minutes."""
    for volatile, name in VOLATILE:
        text = re.sub(volatile, name, text)
    text = re.sub(r"\b(\d+)m(\d\d)s\b", lambda left: f"{math.ceil(int(left[1]) + int(left[2]) / 60)}m", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def is_as_shown(real: str, shown: str) -> bool:
    lines = [
        r"(?:.*\n)*?" if line.strip() == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in steady(shown).splitlines()
    ]
    return re.fullmatch("".join(lines), f"{steady(real)}\n" if real.strip() else "") is not None


class Terminal:
    """One shell for a whole page. Ports are written as the page has them, whatever they are here."""

    def __init__(self, process: "subprocess.Popen[str]", ports: Mapping[str, str]) -> None:
        self._process = process
        self._ports = ports

    def type(self, command: str) -> str:
        """What it prints, on either stream."""
        for shown, real in self._ports.items():
            command = re.sub(rf":{shown}\b", f":{real}", command)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{{ {command}\n}} </dev/null; echo; echo '{OVER}'\n")
        self._process.stdin.flush()
        impatient = threading.Timer(PATIENCE, os.killpg, (self._process.pid, signal.SIGKILL))
        impatient.start()
        text = "".join(takewhile(lambda line: line != f"{OVER}\n", self._process.stdout))
        impatient.cancel()
        for shown, real in self._ports.items():
            text = re.sub(rf":{real}\b", f":{shown}", text)
        return text

    def play(self, page: Sequence[Step]) -> None:
        waiting: list[Step] = []
        for before, step in zip([None, *page], page, strict=False):
            if step.waits:
                self._leave_running(step, len(waiting))
                waiting.append(step)
            elif (before is not None and before.waits) or any(step.is_endless for step in waiting):
                self._see_in_time(step)
            else:
                self._see(self.type(step.command), step)
        for number, step in enumerate(waiting):
            if step.is_endless:
                self.type(f"kill -INT -- -$waiting_{number} 2>/dev/null")
            self._see(self.type(f"wait $waiting_{number}; cat waiting-{number}"), step)

    def _leave_running(self, step: Step, number: int) -> None:
        """With job control it has a process group, which gets what Ctrl-C sends; its end is its own shell's to tell."""
        self.type(f"set -m; ( {step.command}\n:\n) >waiting-{number} 2>&1 & waiting_{number}=$!; set +m")

    def _see_in_time(self, step: Step) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_as_shown(real := self.type(step.command), step.shown) and time.monotonic() < deadline:
            time.sleep(0.05)
        self._see(real, step)

    def _see(self, real: str, step: Step) -> None:
        assert is_as_shown(real, step.shown), f"$ {step.command}\n{real}\n--- and not ---\n{step.shown}"


@contextmanager
def terminal(
    forewarn: Up, home: Path, *programs: Path, more_ports: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """In a directory where `make up` has been run; `programs`: where to find more of them."""
    (home / ".venv").mkdir(parents=True)
    (home / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    path = os.pathsep.join([os.environ["PATH"], *map(str, programs)])
    environment = {**forewarn.environment, "HOME": str(home), "PATH": path, "FOREWARN_SERVER": forewarn.control}
    process = subprocess.Popen(
        ["bash", "--noprofile", "--norc"],
        cwd=home,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    ports = {"8254": forewarn.metadata_port, "8255": forewarn.control_port, "8443": forewarn.arm.rpartition(":")[2]}
    try:
        yield Terminal(process, {**ports, **(more_ports or {})})
    finally:
        process.communicate("jobs -p | xargs -r -I% kill -- -%\nexit\n", timeout=PATIENCE)
