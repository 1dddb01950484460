"""Scripted clients: each polls as its machine, prepares for as long as it says, and approves what it says.

They live in fleet time. Polls that cannot be told anything new are left out: a document only changes at moments that
the player knows of, so after each of them the next poll is made; and the last one before the server's next moment, for
the server forgets who has not been asking for a day.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from forewarn.client import Answer
from forewarn.testing.scenarios.asking import PATIENCE, InVain, Voice
from forewarn.testing.scenarios.model import Approves, ScriptedClient

MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """What a client's next turn depends on."""

    now: timedelta
    server_next: timedelta | None  # when something happens by itself
    restless: bool = False  # faults may change what it is told: no poll is left out


@dataclass(slots=True)
class Puppet:
    """A scripted client at work."""

    script: ScriptedClient
    name: str  # of its machine
    voice: Voice
    say: Callable[[str], None]
    first_answer_due: Callable[[], timedelta | None]
    """When the scope's first answer comes; None if it is not made to wait."""
    news: bool = True  # there may be a document that it has not seen
    _polled: timedelta | None = None
    _answer_due: timedelta | None = None
    _prepared: dict[str, timedelta] = field(default_factory=dict)  # when it will be, by event
    _done: set[str] = field(default_factory=set)
    _over: bool = False

    def due(self, look: Outlook) -> timedelta | None:
        """When it does something next."""
        if self._over:
            return None
        if self.voice.waits:
            return self._answer_due
        poll = self._next_poll(look)
        return min([*self._prepared.values(), *([] if poll is None else [poll])], default=None)

    def act(self, look: Outlook) -> bool:
        """What is due by now. Says whether the fleet may be another one by it: who polls first enrols its scope."""
        due = self.due(look)
        if due is None or due > look.now:
            return False
        enrols = False
        poll = None if self.voice.waits else self._next_poll(look)
        if poll is not None and poll <= look.now:
            enrols = self._polled is None
            self.news, self._polled = False, look.now
            self.voice.poll()
        if self.voice.waits:
            self._hear(look.now)
        return (not self.voice.waits and self._approve(look.now)) or enrols

    def _next_poll(self, look: Outlook) -> timedelta | None:
        script, last = self.script, self._polled
        if last is None:
            poll = script.begins
        elif self.news or look.restless:
            poll = self._after(last)
        elif look.server_next is not None and (before := self._before(look.server_next)) > last:
            poll = before  # the server forgets who has not asked for a day
        else:
            return None
        poll = max(poll, self._after(look.now - MOMENT))
        return None if script.ends is not None and poll >= script.ends else poll

    def _after(self, moment: timedelta) -> timedelta:
        """Its first turn later than that."""
        every, begins = self.script.every, self.script.begins
        return begins if moment < begins else begins + ((moment - begins) // every + 1) * every

    def _before(self, moment: timedelta) -> timedelta:
        """Its last turn earlier than that."""
        every, begins, ends = self.script.every, self.script.begins, self.script.ends
        moment = moment if ends is None else min(moment, ends)
        return begins - ((begins - moment) // every + 1) * every

    def _hear(self, now: timedelta) -> None:
        """The answer to its poll, unless that only comes at a later moment of the fleet's time."""
        try:
            answer = self.voice.heard()
            while answer is None:
                self._answer_due = self.first_answer_due()
                if self._answer_due is not None and self._answer_due > now:
                    return
                answer = self.voice.heard() if self._answer_due is None else self.voice.heard(PATIENCE)
            self._polled = now  # the next poll comes after the answer, however late that was
            self._read(self._events(answer), now)
        except InVain as reason:
            self.say(f"{self.name}'s client polls in vain: {reason}")
            self.news = True
        self._answer_due = None

    def _events(self, answer: Answer) -> list[dict[str, Any]]:
        if answer.status == 403:
            self._over = True
            raise InVain("its machine is gone")
        try:
            events = json.loads(answer.body)["Events"] if answer.status == 200 else None
        except (ValueError, KeyError, TypeError):
            events = None
        if not isinstance(events, list):
            raise InVain(f"answered {answer.status} {answer.body[:60]!r}")
        return events

    def _read(self, events: list[dict[str, Any]], now: timedelta) -> None:
        scheduled = [event for event in events if event["EventStatus"] == "Scheduled"]
        ids = {event["EventId"] for event in scheduled}
        self._prepared = {id: due for id, due in self._prepared.items() if id in ids}
        for event in scheduled:
            if event["EventId"] not in self._done and self._is_its_business(event):
                self._prepared.setdefault(event["EventId"], now + self.script.prepares)

    def _is_its_business(self, event: dict[str, Any]) -> bool:
        match self.script.approves:
            case Approves.OWN:
                return not {self.name, f"_{self.name}"}.isdisjoint(event["Resources"])
            case Approves.ALL:
                return True
            case Approves.NONE:
                return False

    def _approve(self, now: timedelta) -> bool:
        """Whatever it has prepared for by now. Says whether there was any."""
        ready = [id for id, due in self._prepared.items() if due <= now]
        if not ready:
            return False
        self._prepared = {id: due for id, due in self._prepared.items() if id not in ready}
        self._done.update(ready)
        try:
            self.voice.approve(ready)
        except InVain as reason:
            self.say(f"{self.name}'s client approves in vain: {reason}")
            self._done.difference_update(ready)  # it sees them again, and tries again
            self.news = True
        return True
