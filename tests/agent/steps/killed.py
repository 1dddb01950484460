"""Runs a command step, kills its process (SIGKILL) after the nth line of the step's own code, and runs it again.

For each n, until a run gets through unharmed, it prints how often the program ran: `n count`. A process of its own, so
that the forks are cheap: nothing here has threads.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from forewarn.agent.steps import command
from forewarn.agent.steps.command import Command
from tests.agent.turn import ATurn

PROGRAM = 'echo ran >>"$EFFECTS"; sleep 0.06'


def main(folder: Path) -> None:
    line, unharmed = 0, False
    while not unharmed:
        spool = folder / str(line)
        spool.mkdir()
        effects = spool / "effects"
        step = Command(prepare_command=PROGRAM, environment={"EFFECTS": str(effects)})
        unharmed = _ended_well(step, ATurn(spool=spool), dying_at=line)
        assert _ended_well(step, ATurn(spool=spool, attempt=2), dying_at=None)
        print(line, len(effects.read_text().splitlines()))
        line += 1


def _ended_well(step: Command, turn: ATurn, dying_at: int | None) -> bool:
    child = os.fork()
    if child == 0:
        try:
            _run(step, turn, dying_at)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _run(step: Command, turn: ATurn, dying_at: int | None) -> None:
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != command.__file__:
            return None
        if event == "line":
            if lines == dying_at:
                os.kill(os.getpid(), signal.SIGKILL)
            lines += 1
        return trace

    sys.settrace(None if dying_at is None else trace)
    step.prepare(turn)
    sys.settrace(None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
