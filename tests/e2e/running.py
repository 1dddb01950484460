"""A whole Forewarn in a process of its own, on free ports, as somebody would start it.

All of it is imported once, by a process that forks for each, so that one begins in a tenth of the time. How the command
itself begins is for tests/cli/test_up.py to see.
"""

import contextlib
import io
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from forewarn.cli import main

FOREWARN = Path(sys.executable).with_name("forewarn")
PARENT = multiprocessing.get_context("forkserver")
PARENT.set_forkserver_preload(["forewarn.cli.entry", "forewarn.wiring", __name__])

needs_curl = pytest.mark.skipif(
    shutil.which("curl") is None and not os.environ.get("CI"), reason="curl is not installed"
)


@dataclass(frozen=True, kw_only=True)
class Up:
    process: BaseProcess
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
        return {**os.environ, **self._told}

    @property
    def _told(self) -> dict[str, str]:
        return {"COLUMNS": "200", "NO_COLOR": "1", "FOREWARN_DATA": str(self.data)}

    def cli(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """As the command does it, but in this process."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            for name, value in self._told.items():
                patch.setenv(name, value)
            try:
                status = main(["--server", self.control, *words])
            except SystemExit as ended:
                status = int(ended.code or 0)
        return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())

    def kill(self) -> None:
        """No chance to tidy up."""
        self.process.kill()
        self.process.join()


@contextmanager
def up(data: Path, *options: str) -> Iterator[Up]:
    ports = ("--metadata", "127.0.0.1:0", "--control", "127.0.0.1:0", "--arm", "127.0.0.1:0")
    words = ["up", "--json", "--data", str(data), *ports, *options]
    hear, tell = PARENT.Pipe(duplex=False)
    process = PARENT.Process(target=_become, args=(words, dict(os.environ), tell))
    process.start()
    tell.close()
    try:
        with os.fdopen(os.dup(hear.fileno())) as out:
            told = json.loads(out.readline())
        yield Up(
            process=process,
            control=told["control"],
            arm=told["arm"],
            portal=told["portal"],
            data=data,
            machines={machine["machine"]: machine["metadata_url"] for machine in told["machines"]},
        )
    finally:
        process.terminate()
        process.join(30)
        assert process.exitcode is not None, "it does not end"
        process.close()
        hear.close()


def _become(words: Sequence[str], environment: Mapping[str, str], out: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(out.fileno(), sys.stdout.fileno())
    sys.exit(main(words))
