"""The chains that run now: at most one for an event, each in a thread of its own."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from forewarn.agent.chains import Chain
from forewarn.agent.config import StepSpec
from forewarn.agent.errors import JournalError, Stopped
from forewarn.agent.journal import Journal
from forewarn.agent.records import Happened, Record, Stage
from forewarn.agent.turning import StepLocks
from forewarn.agent.turns import Step
from forewarn.client import Event

AGAIN = 5.0
"""Seconds before a chain that failed by the agent's own fault is begun again."""
LAST_WORDS = 10.0
"""Seconds that a chain has to stop when the agent does."""


@dataclass(kw_only=True, slots=True)
class Crew:
    """Used by the agent's loop only. `ended` and `failed` are called from a chain's own thread."""

    journal: Journal
    spool: Path
    build: Callable[[StepSpec], Step]
    available: Callable[[Event], timedelta | None]
    ended: Callable[[str, Happened | None], None]
    """What came of it; None if it was called off."""
    failed: Callable[[JournalError], None]
    log: logging.Logger
    _locks: StepLocks = field(default_factory=StepLocks)
    _at_work: dict[str, tuple[Chain, threading.Thread]] = field(default_factory=dict)

    @property
    def is_busy(self) -> bool:
        return bool(self._at_work)

    def is_at(self, key: str) -> bool:
        return key in self._at_work

    def begin(self, record: Record) -> None:
        """To prepare or to restore, as its stage says."""
        chain = Chain(
            journal=self.journal,
            key=record.key,
            spool=self.spool,
            build=self.build,
            locks=self._locks,
            available=self.available,
            log=logging.LoggerAdapter(self.log, {"event": record.key}),
        )
        work = chain.restore if record.stage is Stage.RESTORING else chain.prepare
        name = f"chain {record.key[:8]}"
        thread = threading.Thread(target=self._run, args=(chain, work), name=name, daemon=True)
        self._at_work[record.key] = (chain, thread)
        thread.start()

    def call_off(self, key: str) -> None:
        if key in self._at_work:
            self._at_work[key][0].call_off()

    def dismiss(self, key: str) -> None:
        """It has ended, and said so."""
        self._at_work.pop(key, None)

    def suspend(self) -> None:
        """The agent is stopping."""
        for chain, thread in list(self._at_work.values()):
            chain.suspend()
            thread.join(LAST_WORDS)

    def _run(self, chain: Chain, work: Callable[[], Happened]) -> None:
        fact: Happened | None = None
        try:
            fact = work()
        except Stopped:
            pass
        except JournalError as error:
            self.failed(error)
            return
        except Exception:
            self.log.exception("%s: the agent itself failed", chain.key)
            chain.halt.wait(AGAIN)
        self.ended(chain.key, fact)
