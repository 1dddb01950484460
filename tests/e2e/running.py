"""A whole Forewarn in a process of its own, on free ports, as somebody would start it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

FOREWARN = Path(sys.executable).with_name("forewarn")

needs_curl = pytest.mark.skipif(
    shutil.which("curl") is None and not os.environ.get("CI"), reason="curl is not installed"
)


@dataclass(frozen=True, kw_only=True)
class Up:
    process: "subprocess.Popen[str]"
    control: str
    arm: str
    portal: str  # the link that opens it, once
    data: Path
    machines: dict[str, str]  # name → metadata URL

    @property
    def metadata_port(self) -> str:
        return next(iter(self.machines.values())).rpartition(":")[2]

    @property
    def control_port(self) -> str:
        return self.control.rpartition(":")[2]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "FOREWARN_DATA": str(self.data)}

    def cli(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [FOREWARN, "--server", self.control, *words],
            capture_output=True,
            text=True,
            timeout=60,
            env=self.environment,
            check=False,
        )


@contextmanager
def up(data: Path, *options: str) -> Iterator[Up]:
    ports = ("--metadata", "127.0.0.1:0", "--control", "127.0.0.1:0", "--arm", "127.0.0.1:0")
    process = subprocess.Popen(
        [FOREWARN, "up", "--json", "--data", data, *ports, *options], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        machines = {machine["machine"]: machine["metadata_url"] for machine in told["machines"]}
        yield Up(
            process=process,
            control=told["control"],
            arm=told["arm"],
            portal=told["portal"],
            data=data,
            machines=machines,
        )
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()
