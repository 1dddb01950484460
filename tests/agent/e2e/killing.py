"""An agent that dies at the n-th write of its journal: `python -m tests.agent.e2e.killing`.

The process has all of the agent imported and forks for each life, so that a life begins at once. A line on its
standard input begins one: `CONFIG N WHEN`, where WHEN is `before` or `after` the commit and N is 0 for a life that
nobody ends. It answers with the process id, and with `over STATUS` when that life has ended.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from forewarn.agent import running
from forewarn.agent.journal import Journal
from forewarn.agent.main import main


def mortal(at: int, when: str) -> type[Journal]:
    class Mortal(Journal):
        writes = 0

        @contextmanager
        def _transaction(self) -> Iterator[Callable[..., object]]:
            Mortal.writes += 1
            dies = Mortal.writes == at
            with super()._transaction() as execute:
                yield execute
                if dies and when == "before":
                    os.kill(os.getpid(), signal.SIGKILL)
            if dies:
                os.kill(os.getpid(), signal.SIGKILL)

    return Mortal


def live(config: str, at: int, when: str) -> None:
    log = os.open(Path(config).with_name("agent.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDONLY) if stream == 0 else log, stream)
    running.Journal = mortal(at, when)  # type: ignore[attr-defined]
    os._exit(main(["run", "--config", config]))


if __name__ == "__main__":
    for line in sys.stdin:
        config, at, when = line.split()
        child = os.fork()
        if child == 0:
            live(config, int(at), when)
        print(child, flush=True)
        print("over", os.waitpid(child, 0)[1], flush=True)
