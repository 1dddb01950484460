"""Processes, cores and clocks: what every benchmark needs."""

import contextlib
import os
import platform
import random
import resource
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SERVER_CORE, LOAD_CORE = 0, 1
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of the report: what was measured, and against what."""

    what: str
    measured: str
    wanted: str
    holds: bool


def cpu_seconds(pid: int) -> float:
    """CPU time of a process and its children so far, also of those that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / TICKS
    return own + sum(cpu_seconds(child) for child in children(pid))


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident(pid: int) -> int:
    """Bytes of memory a process holds."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise LookupError(pid)


def pinned(core: int, command: Sequence[str]) -> list[str]:
    return ["taskset", "-c", str(core), *command] if (os.cpu_count() or 1) > 1 else list(command)


@contextlib.contextmanager
def on_core(core: int) -> Iterator[None]:
    """This process itself, for as long as the block takes."""
    before = os.sched_getaffinity(0)
    if len(before) > 1:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def running(command: Sequence[str], port: int, *, core: int = SERVER_CORE) -> Iterator[int]:
    """A server process on its core, from the moment it listens until the block ends."""
    process = subprocess.Popen(pinned(core, command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await_port(process, port)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def _await_port(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"a server ended at once with status {process.returncode}: {process.args!r}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.02)
    raise SystemExit(f"a server does not listen: {process.args!r}")


def free_port() -> int:
    """Below the ports that outgoing connections take, which a server cannot have while they are in use."""
    for port in random.sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("", port))
            return port
    raise SystemExit("no port is free")


def many_files() -> None:
    """Allow as many open files as the system lets us have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def machine() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{os.cpu_count()} × {model}, Linux {platform.release()}, Python {platform.python_version()}"
