"""Runs an operator's program for every impact.

The program learns what to do from FOREWARN_* variables and answers with its exit status: 0 is done, anything else has
failed and is tried again. It must finish within the time limit; then it and its children are killed.

A program that has succeeded is not run again for the same operation and machine, even if Forewarn died before it could
note the success elsewhere: a marker file says so. A program that was killed half-way is run again, and is told by
FOREWARN_ATTEMPT that it is not the first.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO
from urllib.parse import quote

from forewarn.disk import write_private
from forewarn.domain.events import Action
from forewarn.engine.ports import Done, Failed, Running
from forewarn.wire.dates import rfc1123

TOLD = 500
"""How many bytes of the program's last words an error repeats."""

PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)  # loaded before any fork: the child may do next to nothing


class CommandDriver:
    def __init__(self, program: Sequence[str], markers: Path, time_limit: float = 300.0) -> None:
        self._program = list(program)
        self._markers = markers
        self._limit = time_limit
        self.time_limit = time_limit + 10  # time to kill it, on top
        markers.mkdir(parents=True, exist_ok=True)

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        done, fence = self._marker(action, "done"), self._marker(action, "fence")
        if done.exists():
            return Done()
        if fence.exists() and int(fence.read_text()) > action.fence:
            return Failed("another worker holds this action")
        write_private(fence, str(action.fence).encode())
        outcome = await self._run(action)
        if isinstance(outcome, Done):
            write_private(done, b"")
        return outcome

    async def _run(self, action: Action) -> Done | Failed:
        name = self._program[0]
        with tempfile.TemporaryFile() as said:
            try:
                process = await self._started(action, said)
            except OSError as error:
                return Failed(f"{name} could not be started: {error.strerror}")
            try:
                async with asyncio.timeout(self._limit):
                    status = await process.wait()
            except TimeoutError:
                return Failed(f"{name} was killed: it took longer than {self._limit:g} s")
            finally:
                await _kill(process)
            return Done() if status == 0 else Failed(f"{name} ended with status {status}: {_end_of(said)}".rstrip(": "))

    async def _started(self, action: Action, said: IO[bytes]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._program,
            env={**os.environ, **variables(action)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )

    def _marker(self, action: Action, kind: str) -> Path:
        return self._markers / f"{quote(action.operation, safe='')}~{quote(action.machine, safe='')}.{kind}"


def variables(action: Action) -> dict[str, str]:
    return {
        "FOREWARN_MACHINE": action.machine,
        "FOREWARN_SCOPE": action.scope,
        "FOREWARN_EVENT_TYPE": action.impact.value,
        "FOREWARN_EVENT_SOURCE": action.source.value,
        "FOREWARN_EVENT_ID": action.event or "",
        "FOREWARN_OPERATION_ID": action.operation,
        "FOREWARN_STARTED_AT": rfc1123(action.started_at),
        "FOREWARN_ATTEMPT": str(action.attempts),
        "FOREWARN_FENCE": str(action.fence),
    }


def _end_of(said: IO[bytes]) -> str:
    length = said.seek(0, os.SEEK_END)
    said.seek(max(length - TOLD, 0))
    return said.read().decode(errors="replace").strip()


async def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _die_with_parent() -> None:
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
