"""Whoever was refused, for want of a token that counts or of a right, is in the history.

Anybody can be refused as often as they like, so this must not be a way to fill the disk: the same refusal within a
minute is one entry that says how often, and of very many different ones the rest is only counted. A process that is
killed takes the last minute of it along.
"""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from forewarn.access.audit import Audit
from forewarn.domain.errors import Unavailable
from forewarn.domain.events import Actor
from forewarn.domain.history import Entry, What

log = logging.getLogger(__name__)
UNKNOWN = Actor.user("unknown")
"""Whoever did not prove who it is."""

MOST = 50
"""Different refusals in the history for one minute."""

MINUTE = 60.0
LONGEST = 500


@dataclass(slots=True)
class _Seen:
    first: datetime
    count: int = 0


class Refusals:
    def __init__(self, audit: Audit, *, pause: float = MINUTE) -> None:
        """`pause`: seconds of real time between two looks at what has come together."""
        self._audit = audit
        self._pause = pause
        self._seen: dict[tuple[Actor, str, str], _Seen] = {}
        self._others = 0
        self._woken = asyncio.Event()

    def note(self, who: Actor, subject: str, why: str) -> None:
        """Does not wait."""
        key = (who, _short(subject), _short(why))
        if key in self._seen or len(self._seen) < MOST:
            self._seen.setdefault(key, _Seen(first=self._audit.now())).count += 1
        else:
            self._others += 1
        self._woken.set()

    async def run(self) -> None:
        """The first after a quiet minute is written at once. At the end, what there is."""
        try:
            while True:
                await self._woken.wait()
                await self.write()
                await asyncio.sleep(self._pause)
        finally:
            await self.write()

    async def write(self) -> None:
        self._woken.clear()
        seen, others = self._seen, self._others
        self._seen, self._others = {}, 0
        entries = [self._entry(*key, known) for key, known in seen.items()]
        if others:
            detail = f"{others} other calls"
            entries.append(self._audit.entry(UNKNOWN, What.REFUSED, "more than can be told", detail=detail))
        try:
            if entries:
                await self._audit.write(entries)
        except Unavailable:
            log.warning("refused calls could not be written to the history: %d", len(entries) + others, exc_info=True)

    def _entry(self, who: Actor, subject: str, why: str, seen: _Seen) -> Entry:
        detail = why if seen.count == 1 else f"{why}, {seen.count} times"
        return replace(self._audit.entry(who, What.REFUSED, subject, detail=detail), at=seen.first)


def _short(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text[:LONGEST])
