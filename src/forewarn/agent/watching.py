"""The thread that asks: what is this machine called, and what is going to happen to it."""

import logging
import threading
from collections.abc import Callable

from forewarn.client import ClientError, Document, Identity, ScheduledEvents

IDLE = 20.0
"""Seconds to wait for news where nothing is under way."""
BUSY = 1.0
"""And where something is: the server's clock is then looked at as often."""
AFTER_TROUBLE = 5.0


class Watcher:
    def __init__(
        self,
        client: ScheduledEvents,
        *,
        see: Callable[[Document], None],
        know: Callable[[Identity], None],
        tick: Callable[[], None],
        is_busy: Callable[[], bool],
        poll: float,
        log: logging.Logger,
    ) -> None:
        self.trouble = ""
        """Why nothing can be heard; "" while all is well."""
        self._client = client
        self._see = see
        self._know = know
        self._tick = tick
        self._is_busy = is_busy
        self._poll = poll
        self._log = log
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._client.interrupt()
        self._thread.join(5)

    def _run(self) -> None:
        identity: Identity | None = None
        document: Document | None = None
        while not self._stop.is_set():
            try:
                if identity is None:
                    identity = self._client.me()
                    self._know(identity)
                news = self._client.wait(after=document, timeout=max(BUSY if self._is_busy() else IDLE, self._poll))
            except ClientError as error:
                if not self._stop.is_set():
                    self._complain(str(error))
                continue
            self._recover()
            if news is not None:
                document = news
                self._see(news)
            self._tick()

    def _complain(self, why: str) -> None:
        if self.trouble != why:
            self._log.warning("the metadata service does not answer: %s", why)
        self.trouble = why
        self._stop.wait(AFTER_TROUBLE)

    def _recover(self) -> None:
        if self.trouble:
            self._log.info("the metadata service answers again")
        self.trouble = ""
