"""What a test holds in its hands: a machine, a group of machines, an event. Each asks the server anew, every time."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, overload

from forewarn.remote import Refusal, in_path
from forewarn.testing import metadata
from forewarn.testing.reach import Place, reach
from forewarn.testing.timeline import Timeline

if TYPE_CHECKING:
    from forewarn.testing.kit import Forewarn

Duration = str | timedelta
NOT_FOUND = 404


class RanAtOnce(AssertionError):
    """An operation was not announced, where a test wanted to see its event."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine of the fleet. Two handles of one machine are equal."""

    scope: str
    name: str
    _url: str = field(repr=False, compare=False)  # "" if it is only known by name
    _kit: "Forewarn" = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name

    # What is done to it.

    def restart(self) -> "Event":
        return self._operate("restart")

    def redeploy(self) -> "Event":
        return self._operate("redeploy")

    def delete(self, notice: Duration | None = None) -> "Event":
        """`notice`: its terminate notification, 5 to 15 minutes; if absent, the one it was declared with."""
        if notice is not None:
            self._kit._set_terminate_notice(self, notice)
        return self._operate("delete")

    def evict(self) -> "Event":
        """A Spot machine is taken away, 30 seconds from now."""
        return self._operate("evict")

    def schedule(
        self, type: str, *, notice: Duration | None = None, description: str | None = None, duration: int | None = None
    ) -> "Event":
        """The platform's maintenance: Freeze, Reboot, Redeploy, Preempt or Terminate. See `Forewarn.schedule`."""
        (event,) = self._kit.schedule(type, [self], notice=notice, description=description, duration=duration)
        return event

    def break_down(self, type: str = "Reboot") -> "Event":
        """Its hardware fails: the event appears already started."""
        (event,) = self._kit.schedule(type, [self], at_once=True)
        return event

    def operate(self, verb: str) -> dict[str, Any]:
        """`restart`, `redeploy`, `delete`, `evict`: the operation, whether it is announced or runs at once."""
        operation: dict[str, Any] = self._kit.client.post(f"/machines/{in_path(self.path)}/{verb}")
        return operation

    def fault(self, kind: str, **how: Any) -> None:
        """Its client meets a fault. See docs/reference/faults.md."""
        self._kit.fault(kind, machine=self.path, **how)

    # What it is.

    def look(self) -> dict[str, Any]:
        """All there is to know, as the API tells it. Refusal if it is gone."""
        machine: dict[str, Any] = self._kit.client.get(f"/machines/{in_path(self.path)}")
        return machine

    @property
    def metadata_url(self) -> str:
        """Where its own document is: its client asks there instead of http://169.254.169.254."""
        return self._url or str(self.look()["metadata_url"])

    @property
    def host_name(self) -> str:
        """What it calls itself: instances of a scale set have another name inside than outside."""
        return str(self.look()["computer_name"] or self.name)

    @property
    def power(self) -> str:
        """`running`, `stopped` or `deallocated`."""
        return str(self.look()["power"])

    @property
    def gone(self) -> bool:
        """It was deleted. A machine that was only stopped is not gone."""
        try:
            self.look()
        except Refusal as refusal:
            if refusal.status == NOT_FOUND:
                return True
            raise
        return False

    # What it does itself.

    def poll(self, version: str = metadata.VERSION) -> dict[str, Any]:
        """Its document, asked for as its client would."""
        response = metadata.poll(self.metadata_url, version)
        assert response.status == 200, f"{self.name} polled and was answered {response.status}: {response.body!r}"
        return response.document

    def approve(self, *events: "Event") -> None:
        """As its client would, through the metadata endpoint."""
        response = metadata.approve(self.metadata_url, *(event.id for event in events))
        assert response.status == 200, f"{self.name} approved and was answered {response.status}: {response.body!r}"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What its client has asked, without what the kit asked for it."""
        return self._kit.requests(self)

    @property
    def events(self) -> list["Event"]:
        """That name it and can be seen now."""
        items = self._kit.client.pages("/events", {"machine": self.path})
        return [Event(item["id"], self._kit) for item in items]

    @property
    def environment(self) -> dict[str, str]:
        """For a client that asks 169.254.169.254 and honours http_proxy: what it asks comes here, as this machine."""
        return {"http_proxy": self.metadata_url, "HTTP_PROXY": self.metadata_url, "no_proxy": "", "NO_PROXY": ""}

    def reached(self, by: str = "auto") -> AbstractContextManager[Place]:
        """Where to run a client that asks 169.254.169.254: `namespace`, `proxy`, `address`, `url`. See `reach`."""
        return reach(self._kit, self, by)

    @property
    def path(self) -> str:
        return f"{self.scope}/{self.name}"

    def _operate(self, verb: str) -> "Event":
        __tracebackhide__ = True
        operation = self.operate(verb)
        if operation["event"] is None:
            raise RanAtOnce(
                f"{verb} of {self.name} ran at once, without an event: its scope is not enrolled"
                + (", or it has no terminate notification." if verb == "delete" else ".")
            )
        return Event(operation["event"], self._kit)


class Group(Sequence[Machine]):
    """The machines of a set, a scale set or a cloud service, in the order of their names' numbers."""

    def __init__(self, name: str, kit: "Forewarn", machines: Sequence[Machine]) -> None:
        self.name = name
        self._kit = kit
        self._machines = machines

    def instance(self, number: int) -> Machine:
        return self._machines[number]

    machine = instance

    def schedule(
        self, type: str, *, notice: Duration | None = None, description: str | None = None, duration: int | None = None
    ) -> list["Event"]:
        """The platform's maintenance on all of them: an event for each group that goes down together."""
        return self._kit.schedule(type, self, notice=notice, description=description, duration=duration)

    def fault(self, kind: str, **how: Any) -> None:
        for scope in dict.fromkeys(machine.scope for machine in self):
            self._kit.fault(kind, scope=scope, **how)

    @overload
    def __getitem__(self, index: int) -> Machine: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Machine]: ...

    def __getitem__(self, index: int | slice) -> Machine | Sequence[Machine]:
        return self._machines[index]

    def __len__(self) -> int:
        return len(self._machines)

    def __iter__(self) -> Iterator[Machine]:
        return iter(self._machines)

    def __repr__(self) -> str:
        return f"Group({self.name!r}, {len(self)} machines)"


class Event:
    """A scheduled event. What it says is as it is when it is asked."""

    def __init__(self, id: str, kit: "Forewarn") -> None:
        self.id = id
        self._kit = kit

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        """Shown where an assertion fails, so it tells what became of the event."""
        return str(self.timeline)

    def look(self) -> dict[str, Any]:
        """All there is to know, as the API tells it."""
        event: dict[str, Any] = self._kit.client.get(f"/events/{self.id}")
        return event

    @property
    def type(self) -> str:
        return str(self.look()["type"])

    @property
    def status(self) -> str:
        """Scheduled, Started, Completed, Canceled or Failed."""
        return str(self.look()["phase"])

    @property
    def not_before(self) -> datetime:
        return datetime.fromisoformat(self.look()["not_before"])

    @property
    def approved(self) -> bool:
        return bool(self.look()["approvals"])

    @property
    def approved_by(self) -> set[Machine]:
        """The machines through whose endpoint it was approved."""
        event = self.look()
        names = {approval["by"]["name"] for approval in event["approvals"] if approval["by"]["kind"] == "machine"}
        return {Machine(event["scope"], name, "", self._kit) for name in names}

    @property
    def started(self) -> bool:
        """It has, whether or not it is over by now."""
        return self.look()["started_at"] is not None

    @property
    def canceled(self) -> bool:
        return self.status == "Canceled"

    @property
    def gone(self) -> bool:
        """No machine sees it any longer."""
        return self.status not in ("Scheduled", "Started")

    @property
    def machines(self) -> set[Machine]:
        event = self.look()
        return {Machine(event["scope"], name, "", self._kit) for name in event["resources"]}

    @property
    def timeline(self) -> Timeline:
        return self._kit.timeline(self)

    def approve(self) -> None:
        """As an operator: it starts now."""
        self._kit.client.post(f"/events/{self.id}/approve")

    def cancel(self, why: str = "") -> None:
        self._kit.client.post(f"/events/{self.id}/cancel", {"why": why})
