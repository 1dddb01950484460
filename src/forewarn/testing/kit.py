"""A Forewarn to test against: its fleet, its time, its faults, all in the test's hand.

It speaks to the server as anybody could, over the native API, so it works the same with a server in this process and
with one elsewhere, and it knows no rule of its own.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from forewarn.remote import Client, in_path
from forewarn.remote.login import client_of
from forewarn.testing.declaring import Declaration
from forewarn.testing.handles import Duration, Event, Group, Machine
from forewarn.testing.hosting import Host
from forewarn.testing.metadata import USER_AGENT
from forewarn.testing.passing import Time
from forewarn.testing.reach.namespaces import Network
from forewarn.testing.reach.places import CannotReach
from forewarn.testing.timeline import Timeline
from forewarn.wire.durations import format_iso, parse_duration

PATIENCE = 10.0
"""Seconds of real time that clients get, at most, for what a test waits for."""


class Forewarn:
    """Use it as a context manager, or call `close`."""

    def __init__(self, client: Client, *, patience: float = PATIENCE, host: Host | None = None) -> None:
        """`client`: of a Forewarn whose clients may be tried; `host`: if that is in this process.

        `patience`: see `until`.
        """
        self.client = client
        self.patience = patience
        self._host = host
        self._owned = ExitStack()
        if host is not None:
            self._owned.callback(host.close)
        self._declared = Declaration(before=client.get("/fleet")["declaration"])
        self._time = Time(self)
        self.client.put("/requests", {"keep": True})

    @classmethod
    def start(cls, *, patience: float = PATIENCE, **how: Any) -> Self:
        """In this process, empty, on free ports. `how`: see `Host`."""
        host = Host(**how)
        return cls(host.client, patience=patience, host=host)

    @classmethod
    def at(
        cls,
        url: str | None = None,
        *,
        data: Path | str | None = None,
        token: str | None = None,
        patience: float = PATIENCE,
    ) -> Self:
        """One that runs elsewhere on a virtual clock: `forewarn up --clock manual`.

        `url`: its control plane, or what FOREWARN_SERVER says, or the usual one. Asked with `token`, or FOREWARN_TOKEN;
        or with the login in its data directory: `data`, FOREWARN_DATA, or what `forewarn up` noted of itself.
        """
        return cls(client_of(url, None if data is None else Path(data), token), patience=patience)

    def close(self) -> None:
        """It is gone, with all it has started. What belongs to a server elsewhere stays."""
        self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The control plane, for clients of the native API."""
        return self.client.server

    @property
    def host(self) -> Host:
        """The server in this process. CannotReach if it is elsewhere."""
        if self._host is None:
            raise CannotReach(f"{self.url} is not in this process: its clients are reached by url or by proxy.")
        return self._host

    @cached_property
    def network(self) -> Network:
        """Where machines have a network of their own. Made when it is first wanted."""
        return self._owned.enter_context(closing(Network(self.host)))

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
        self,
        type: str,
        machines: Sequence[Machine],
        *,
        notice: Duration | None = None,
        at_once: bool = False,
        description: str | None = None,
        duration: int | None = None,
    ) -> list[Event]:
        """The platform's maintenance: an event for each group of machines that goes down together.

        `notice`: if absent, the least that the type allows. `at_once`: hardware has failed, and it has begun already.
        `duration`: how long they will be interrupted, in seconds.
        """
        asked = {
            "type": type,
            "machines": [machine.path for machine in machines],
            "notice": None if notice is None else _text(notice),
            "at_once": at_once,
            "description": description,
            "duration": duration,
        }
        return [Event(event["id"], self) for event in self.client.post("/events", asked)["events"]]

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
        there_are_more = True
        while there_are_more:
            told = self.client.get("/requests", after=after, machine=machine and machine.name)
            page = told["items"]
            after = page[-1]["number"] if page else told["last"]
            there_are_more = after < told["last"]
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
        for wait in self._time.advance(_length(by), attended):
            wait()

    async def aadvance(self, by: Duration, *, attended: bool = True) -> None:
        """`advance`, for a test whose clients live in its own event loop."""
        for wait in self._time.advance(_length(by), attended):
            await asyncio.to_thread(wait)

    def until(self, condition: Callable[[], object], *, within: Duration) -> None:
        """Let time pass until the condition holds, `within` of the fleet's time at most; then it stands still again.

        It passes so fast that all of `within` takes `patience` seconds of real time: clients of flesh and blood have
        that long. Where the condition holds at once, no time passes. Late if it never did.
        """
        __tracebackhide__ = True  # where pytest shows a failure, the test is what counts
        for wait in self._time.until(condition, _length(within)):
            wait()

    async def auntil(self, condition: Callable[[], object], *, within: Duration) -> None:
        """`until`, for a test whose clients live in its own event loop."""
        __tracebackhide__ = True
        for wait in self._time.until(condition, _length(within)):
            await asyncio.to_thread(wait)

    def settle(self) -> None:
        """Time stands still until every client that polls has seen the newest document and come back once more.

        What a client that does one thing after another does about the document, it has done by then: so this is the
        moment to assert that it has *not* done something. Who does not come back is not waited for, as in `advance`.
        """
        for wait in self._time.settle():
            wait()

    async def asettle(self) -> None:
        """`settle`, for a test whose clients live in its own event loop."""
        for wait in self._time.settle():
            await asyncio.to_thread(wait)

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
