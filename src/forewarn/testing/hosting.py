"""A whole Forewarn in a thread of its own, on ports that nobody else has."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import uvloop

from forewarn.access.service import Credentials, new_credentials
from forewarn.imds import Limits
from forewarn.imds.listeners import Listener
from forewarn.remote import Client, Login
from forewarn.wiring import Forewarn, Options, new_id, new_secret, running, wall

T = TypeVar("T")

ANY_PORT = ("127.0.0.1", 0)


@cache
def _credentials() -> Credentials:
    """One login for all that this process starts: making its key takes longer than everything else."""
    return new_credentials(new_id, new_secret, wall())


class Host:
    """Starts when it is made. It holds nothing outside of itself: any number of them live side by side."""

    def __init__(
        self,
        *,
        start: datetime | None = None,
        mint: Callable[[], str] = new_id,
        metadata: tuple[str, int] = ANY_PORT,
        identity: str = "loopback",
        fleet: str = "",
        limits: Limits | None = None,
    ) -> None:
        self._options = Options(
            metadata=metadata,
            control=ANY_PORT,
            arm=None,
            clock="manual",
            start=start,
            new_id=mint,
            credentials=_credentials(),
            identity=identity,
            sample=fleet,
            limits=limits or Limits(),
        )
        self._up = threading.Event()
        self._failure: BaseException | None = None
        self._forewarn: Forewarn | None = None
        self._thread = threading.Thread(target=self._run, name="forewarn", daemon=True)
        self._thread.start()
        self._up.wait()
        if self._failure is not None:
            self.close()
            raise self._failure

    @property
    def client(self) -> Client:
        """Asks it, as whoever may do everything."""
        forewarn = self._running
        login = Login(local=forewarn.access.local, data=Path("memory"))
        return Client(forewarn.control_url, lambda: login)

    @property
    def control_url(self) -> str:
        return self._running.control_url

    @contextmanager
    def serving(self, listener: Listener) -> Iterator[None]:
        """The metadata service answers there as well, until the block ends."""
        stop = self._await(self._running.server.serve(listener))
        try:
            yield
        finally:
            if self._thread.is_alive():
                self._await(_called(stop))

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._down.set)
            self._thread.join()

    def _await(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def _running(self) -> Forewarn:
        assert self._forewarn is not None, "it has started"
        return self._forewarn

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(self._serve())
        except BaseException as error:
            self._failure = error
        finally:
            self._up.set()

    async def _serve(self) -> None:
        self._loop, self._down = asyncio.get_running_loop(), asyncio.Event()
        async with running(self._options) as self._forewarn:
            self._up.set()
            await self._down.wait()


async def _called(do: Callable[[], None]) -> None:
    do()
