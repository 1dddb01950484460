"""How the fleet's time passes in a test: as fast as it can, and so that clients of flesh and blood keep up with it."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from forewarn.testing.readers import Key, Reader, behind, readers
from forewarn.wire.durations import format_duration, format_iso

if TYPE_CHECKING:
    from forewarn.testing.kit import Forewarn

GLANCE = 0.05
"""Seconds of real time after which a condition is looked at again, if no client has asked for anything before."""

RECENT = 500
JUST = timedelta(microseconds=1)
"""What is due already has happened by then."""

Waits = Iterator[Callable[[], object]]
"""What has to be waited for, one thing after another; each call blocks, and not for long."""


class Late(AssertionError):
    """Something did not happen in time. The text tells what happened instead."""


class Time:
    def __init__(self, kit: "Forewarn") -> None:
        self._kit = kit
        self._asleep: dict[Key, int] = {}  # who did not poll when it was waited for, and its last request by then
        self._heard = 0  # the number of the last request that was waited for
        self._nobody_at = -1  # the number of the last request when nobody was awake; -1: somebody was

    def advance(self, by: timedelta, attended: bool) -> Waits:
        """From one moment at which something happens to the next; before each, clients have seen what there is."""
        left = by
        while True:
            if attended:
                yield from self._wait_for(self._has_looked(self._last()))
            if not left:
                return
            step = self._to_next_moment(left)
            yield self._move(step)
            left -= step

    def until(self, condition: Callable[[], object], within: timedelta) -> Waits:
        """In small steps, so that it can be neither late nor early by much, and never goes on beyond the end."""
        __tracebackhide__ = True
        began, passed = time.monotonic(), timedelta(0)
        while not condition():
            if passed >= within:
                raise Late(f"It did not happen within {format_duration(within)}.\n{self._kit.story()}")
            yield self._glance
            due = min(within, within * ((time.monotonic() - began) / self._kit.patience))
            yield self._move(due - passed)
            passed = due

    def settle(self) -> Waits:
        now = self._last()
        yield from self._wait_for(
            lambda reader: reader.came_back_since(now) or (reader.is_held and not behind(self._kit.client, reader))
        )

    def _to_next_moment(self, most: timedelta) -> timedelta:
        clock = self._kit.client.get("/clock")
        if clock["next"] is None:
            return most
        return min(most, max(datetime.fromisoformat(clock["next"]) - datetime.fromisoformat(clock["now"]), JUST))

    def _move(self, by: timedelta) -> Callable[[], object]:
        return lambda: self._kit.client.post("/clock/advance", {"by": format_iso(by)})

    def _wait_for(self, is_done: Callable[[Reader], bool]) -> Waits:
        """Until every client that polls is, or is later than it ever was: that one is not waited for until it polls."""
        began = time.monotonic()
        while late := [reader for reader in self._awake() if not is_done(reader)]:
            if time.monotonic() - began >= min(self._kit.patience, max(reader.patience for reader in late)):
                self._asleep.update((reader.key, reader.polls[-1]) for reader in late)
                return
            yield self._glance

    def _has_looked(self, number: int) -> Callable[[Reader], bool]:
        """What it was told may be spoilt: that it was told something since then is enough."""
        return lambda reader: reader.has_asked_since(number) or not behind(self._kit.client, reader)

    def _last(self) -> int:
        """The number of the last request."""
        return int(self._kit.client.get("/requests", after=self._heard)["last"])

    def _awake(self) -> list[Reader]:
        """By their last few hundred requests."""
        last = self._last()
        if last == self._nobody_at:
            return []
        found = readers(self._kit.requests(after=max(0, last - RECENT)))
        awake = [reader for reader in found if reader.polls[-1] > self._asleep.get(reader.key, 0)]
        self._nobody_at = -1 if awake else last
        return awake

    def _glance(self) -> None:
        """Until a client asks for something, or is answered; but not for long."""
        self._heard = self._kit.client.get("/requests", after=self._heard, wait=GLANCE)["last"]
