"""Several programs as one: they end together, with the one that matters, or with whoever started them."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

WITH_ME = ("setpriv", "--pdeathsig", "KILL")
"""What is started so is ended by the kernel when its parent ends, however that ends."""


class Together:
    """Starts programs; on leaving, all are ended. A polite end of ourselves leaves, too."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Together":
        signal.signal(signal.SIGTERM, _leave)
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._running):
            process.kill()
            process.wait()

    def start(self, *command: str | Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([*WITH_ME, *command], env=self._environment)
        self._running.append(process)
        return process

    def run(self, *command: str | Path, check: bool = True) -> str:
        done = subprocess.run([*WITH_ME, *command], env=self._environment, stdout=subprocess.PIPE, check=check)
        return done.stdout.decode()


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def script(module: str, *words: str | Path) -> Sequence[str]:
    """The command that runs one of our modules, from anywhere."""
    top = Path(__file__).parents[2]
    return ["env", f"PYTHONPATH={top}", sys.executable, "-m", module, *map(str, words)]
