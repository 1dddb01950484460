"""A Forewarn to test against: its fleet, its time, its faults, all in the test's hand.

It speaks to the server as anybody could, over the native API, so it works the same with a server in this process and
with one elsewhere, and it knows no rule of its own.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Self

from forewarn.remote import Client, in_path
from forewarn.testing.declaring import Declaration
from forewarn.testing.handles import Duration, Event, Group, Machine
from forewarn.testing.hosting import Host
from forewarn.testing.metadata import USER_AGENT
from forewarn.testing.readers import Key, Reader, behind, readers
from forewarn.testing.timeline import Timeline
from forewarn.wire.durations import format_duration, format_iso, parse_duration

PATIENCE = 10.0
"""Seconds of real time that clients get, at most, for what a test waits for."""

GLANCE = 0.05
"""Seconds of real time after which a condition is looked at again, if no client has asked for anything before."""

RECENT = 500

Waits = Iterator[Callable[[], object]]
"""What has to be waited for, one thing after another; each call blocks, and not for long."""


class Late(AssertionError):
    """Something did not happen in time. The text tells what happened instead."""


class Forewarn:
    """Use it as a context manager, or call `close`."""

    def __init__(self, client: Client, *, patience: float = PATIENCE, close: Callable[[], None] = lambda: None) -> None:
        """`client`: of a Forewarn whose clients may be tried. `patience`: see `until`."""
        self.client = client
        self.patience = patience
        self._close = close
        self._declared = Declaration(before=client.get("/fleet")["declaration"])
        self._asleep: dict[Key, int] = {}  # who did not poll when it was waited for, and its last request by then
        self._heard = 0  # the number of the last request that was waited for
        self.client.put("/requests", {"keep": True})

    @classmethod
    def start(cls, *, patience: float = PATIENCE, **how: Any) -> Self:
        """In this process, empty, on free ports. `how`: see `Host`."""
        host = Host(**how)
        return cls(host.client, patience=patience, close=host.close)

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The control plane, for clients of the native API."""
        return self.client.server

    # The fleet.

    def vm(self, name: str = "vm", *, enrolled: bool = True, **table: Any) -> Machine:
        """A machine on its own. `table`: more keys of the fleet file's table for it."""
        return self._add("machine", name, table, enrolled).machine(0)

    def availability_set(self, name: str, *, machines: int = 3, enrolled: bool = True, **table: Any) -> Group:
        return self._add("availability_set", name, {"machines": machines, **table}, enrolled)

    def scale_set(
        self, name: str, *, instances: int = 3, notice: Duration | None = None, enrolled: bool = True, **table: Any
    ) -> Group:
        """`notice`: its terminate notification; without it, and without one given to `delete`, a delete is not told."""
        told = None if notice is None else _text(notice)
        return self._add("scale_set", name, {"instances": instances, "terminate_notification": told, **table}, enrolled)

    def cloud_service(self, name: str, *, enrolled: bool = True, **roles: int) -> Group:
        """`roles`: the number of instances of each."""
        table = {"role": {role: {"instances": count} for role, count in roles.items()}}
        return self._add("cloud_service", name, table, enrolled)

    def machine_called(self, scope: str, name: str) -> Machine:
        found = self.client.get(f"/machines/{in_path(f'{scope}/{name}')}")
        return self._handle(found)

    def settings(self, **settings: Any) -> None:
        """The numbers of the rules, see docs/reference/settings.md."""
        self._declared.settings.update(settings)
        self._declare()

    # What happens.

    def schedule(
        self, type: str, machines: Sequence[Machine], *, notice: Duration | None = None, **more: Any
    ) -> list[Event]:
        """The platform's maintenance: an event for each group of machines that goes down together."""
        asked = {"type": type, "machines": [machine.path for machine in machines], **more}
        made = self.client.post("/events", {**asked, "notice": None if notice is None else _text(notice)})
        return [Event(event["id"], self) for event in made["events"]]

    def events(self, *, all: bool = False) -> list[Event]:
        """Those that can be seen now, or all there ever were."""
        return [Event(item["id"], self) for item in self.client.pages("/events", {"all": all})]

    def history(self) -> list[dict[str, Any]]:
        return list(self.client.pages("/history"))

    def fault(self, kind: str, **how: Any) -> list[str]:
        """Clients meet a fault; `machine` or `scope` says whose. Its ids. See docs/reference/faults.md."""
        made = self.client.post("/faults", {"kind": kind, **{key: _plain(value) for key, value in how.items()}})
        return [fault["id"] for fault in made["items"]]

    def clear_faults(self) -> None:
        self.client.delete("/faults")

    def requests(self, machine: Machine | None = None, *, after: int = 0) -> list[dict[str, Any]]:
        """What clients have asked, without what the kit itself asked for them."""
        found: list[dict[str, Any]] = []
        while page := self.client.get("/requests", after=after, machine=machine and machine.name)["items"]:
            after = page[-1]["number"]
            found += (request for request in page if request["fields"].get("user-agent") != USER_AGENT)
        return [request for request in found if machine in (None, self._who(request))]

    def timeline(self, event: Event) -> Timeline:
        told = event.look()
        return Timeline(
            event=told,
            entries=list(self.client.pages("/history", {"subject": event.id})),
            requests=[request for request in self.requests() if request["scope"] == told["scope"]],
            now=self.now,
        )

    def story(self) -> str:
        """Every event there was, from beginning to end."""
        return "\n".join(str(event.timeline) for event in self.events(all=True)) or "There was no event."

    # Time.

    @property
    def now(self) -> datetime:
        """By the fleet's clock, which stands still unless somebody moves it."""
        return datetime.fromisoformat(self.client.get("/clock")["now"])

    def advance(self, by: Duration, *, attended: bool = True) -> None:
        """Move the clock; everything on the way happens at its own time.

        `attended`: wherever a document changes, the clients that have been polling get the chance to see it before time
        goes on. Who does not use it is not waited for again until it polls.
        """
        for wait in self._advance(by, attended):
            wait()

    async def aadvance(self, by: Duration, *, attended: bool = True) -> None:
        """`advance`, for a test whose clients live in its own event loop."""
        for wait in self._advance(by, attended):
            await asyncio.to_thread(wait)

    def until(self, condition: Callable[[], object], *, within: Duration) -> None:
        """Let time pass until the condition holds, `within` of the fleet's time at most; then it stands still again.

        It passes as fast as it can so that all of `within` takes `patience` seconds of real time: clients of flesh and
        blood have that long. Where the condition holds at once, no time passes. Late if it never did.
        """
        for wait in self._until(condition, within):
            wait()

    async def auntil(self, condition: Callable[[], object], *, within: Duration) -> None:
        """`until`, for a test whose clients live in its own event loop."""
        for wait in self._until(condition, within):
            await asyncio.to_thread(wait)

    def _advance(self, by: Duration, attended: bool) -> Waits:
        left = _length(by)
        while True:
            clock = self.client.get("/clock")
            now, ahead = datetime.fromisoformat(clock["now"]), clock["next"]
            step = left if ahead is None else min(left, max(datetime.fromisoformat(ahead) - now, timedelta(0)))
            yield lambda step=step: self.client.post("/clock/advance", {"by": format_iso(step)})  # type: ignore[misc]
            if attended:
                yield from self._readers_look()
            if step == left:
                return
            left -= step

    def _until(self, condition: Callable[[], object], within: Duration) -> Waits:
        if condition():
            return
        length = _length(within)
        end = self.now + length
        self._pace(length.total_seconds() / self.patience)
        try:
            while not condition():
                if self.now >= end:
                    raise Late(f"It did not happen within {format_duration(length)}.\n{self.story()}")
                yield self._glance
        finally:
            self._pace(0)

    def _pace(self, rate: float) -> None:
        self.client.post("/clock/rate", {"rate": rate})

    def _readers_look(self) -> Waits:
        """Until every client that polls has seen its scope's newest document, or is later than it ever was."""
        began = time.monotonic()
        while late := [reader for reader in self._readers() if behind(self.client, reader)]:
            if time.monotonic() - began >= min(self.patience, max(reader.patience for reader in late)):
                self._asleep.update((reader.key, reader.number) for reader in late)
                return
            yield self._glance

    def _readers(self) -> list[Reader]:
        """Those who are awake, by their last few hundred requests."""
        last = self.client.get("/requests", after=self._heard)["last"]
        found = readers(self.requests(after=max(0, last - RECENT)))
        return [reader for reader in found if reader.number > self._asleep.get(reader.key, 0)]

    def _glance(self) -> None:
        """Until a client asks for something, or is answered; but not for long."""
        self._heard = self.client.get("/requests", after=self._heard, wait=GLANCE)["last"]

    def _who(self, request: dict[str, Any]) -> Machine:
        return Machine(request["scope"], request["machine"], "", self)

    def _add(self, kind: str, name: str, table: dict[str, Any], enrolled: bool) -> Group:
        self._declared.add(kind, name, table)
        try:
            self._declare()
        except Exception:
            del self._declared.tables[kind, name]
            raise
        group = Group(name, self, self._members(kind, name))
        if enrolled:
            for scope in dict.fromkeys(machine.scope for machine in group):
                next(machine for machine in group if machine.scope == scope).poll()
        return group

    def _members(self, kind: str, name: str) -> list[Machine]:
        scopes = [scope["id"] for scope in self.client.pages("/scopes") if _is_of(scope["id"], kind, name)]
        found = [machine for scope in scopes for machine in self.client.pages("/machines", {"scope": scope})]
        return sorted(map(self._handle, found), key=lambda machine: _numbered(machine.name))

    def _handle(self, found: dict[str, Any]) -> Machine:
        return Machine(found["scope"], found["name"], found["metadata_url"], self)

    def _declare(self) -> None:
        self.client.put("/fleet", {"declaration": self._declared.text()})

    def _set_terminate_notice(self, machine: Machine, notice: Duration) -> None:
        for kind, name in self._declared.tables:
            if _is_of(machine.scope, kind, name):
                self._declared.change(kind, name, terminate_notification=_text(notice))
                self._declare()
                return
        raise ValueError(f"{machine.name} was not declared here, so its terminate notification is not changed here.")


@contextmanager
def started(**how: Any) -> Iterator[Forewarn]:
    """A Forewarn of its own, for as long as the block lasts. `how`: see `Forewarn.start`."""
    with Forewarn.start(**how) as forewarn:
        yield forewarn


def _is_of(scope: str, kind: str, name: str) -> bool:
    return scope.startswith(f"{name}:") if kind == "scale_set" else scope == name


def _numbered(name: str) -> tuple[str, int]:
    head = name.rstrip("0123456789")
    return head, int(name[len(head) :] or 0)


def _length(duration: Duration) -> timedelta:
    return parse_duration(duration) if isinstance(duration, str) else duration


def _text(duration: Duration) -> str:
    return duration if isinstance(duration, str) else format_iso(duration)


def _plain(value: object) -> object:
    if not isinstance(value, timedelta):
        return value
    return f"-{format_iso(-value)}" if value < timedelta(0) else format_iso(value)
