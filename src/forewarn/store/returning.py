"""The way back from the writer's thread into a caller's event loop.

It is a pipe that the loop watches. `call_soon_threadsafe` would wake the loop while the writer still holds the
interpreter: the loop's thread would find it taken, sleep, and have to be woken again. To write into a pipe the writer
lets go of the interpreter first, so that the loop goes on at once.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from forewarn.store.batch import Outcome

Then: TypeAlias = Callable[[Any], None] | None


class WayBack:
    """Made in the loop's own thread, used from any other."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._answers: deque[tuple[asyncio.Future[Any], Then, Outcome]] = deque()
        self._exit, self._entrance = os.pipe()
        os.set_blocking(self._exit, False)
        os.set_blocking(self._entrance, False)
        loop.add_reader(self._exit, self._arrive)

    def send(self, future: "asyncio.Future[Any]", then: Then, outcome: Outcome) -> None:
        """It is settled some time after the next `ring`, in the order of sending."""
        self._answers.append((future, then, outcome))

    def ring(self) -> None:
        with suppress(BlockingIOError):  # full: the loop has been rung for already
            os.write(self._entrance, b"!")

    def close(self) -> None:
        """After the last `ring`, from any thread. What was sent still arrives, unless the loop is closed."""
        try:
            self._loop.call_soon_threadsafe(self._leave)
        except RuntimeError:
            self._close()

    def _leave(self) -> None:
        self._settle()
        self._loop.remove_reader(self._exit)
        self._close()

    def _close(self) -> None:
        os.close(self._exit)
        os.close(self._entrance)

    def _arrive(self) -> None:
        os.read(self._exit, 4096)
        self._settle()

    def _settle(self) -> None:
        while self._answers:
            _settle(*self._answers.popleft())


def _settle(future: "asyncio.Future[Any]", then: Then, outcome: Outcome) -> None:
    """`then` is called whether or not the caller is still there: what was committed must be told."""
    error = outcome.error
    if error is None and then is not None:
        try:
            then(outcome.value)
        except Exception as failure:
            error = failure  # for its own caller; the others go on
    if future.done():
        return
    if error is None:
        future.set_result(outcome.value)
    else:
        future.set_exception(error)
