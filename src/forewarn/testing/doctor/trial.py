"""One client, one Forewarn, one machine of its own: what a check holds in its hands.

Time is the fleet's, and stands still; the client gets real time, as much as it usually needs and some more.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from forewarn.remote import Refusal
from forewarn.testing.doctor import processes
from forewarn.testing.doctor.findings import DoesNotApply, Moment, Wrong
from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.logbook import Logbook, Request, summed_up
from forewarn.testing.doctor.orders import CannotRun, Orders
from forewarn.testing.doctor.probes import Ended
from forewarn.testing.handles import Event, Machine
from forewarn.testing.kit import Forewarn
from forewarn.testing.processes import ClientProcess
from forewarn.testing.reach import Place

GLANCE = 0.4
MINE, OTHER, NAMESAKE = 1, 2, 10
"""Instances of the set: `vm_1`, `vm_2`, and one in whose name the first one's is contained."""
MARGIN = 0.2
SLOW = 3.0
"""Seconds: who takes longer to act acts by a clock or a schedule of its own, and not always as fast as it once did."""


class Trial:
    """Nothing runs before `start`."""

    def __init__(
        self,
        *,
        kit: Forewarn,
        machines: Sequence[Machine],
        orders: Orders,
        habits: Habits,
        place: Place,
        directory: Path,
    ) -> None:
        self.kit = kit
        self.machines = machines
        self.orders = orders
        self.habits = habits
        self.place = place
        self.directory = directory
        self.log = Logbook(kit, self.me)
        self._process: ClientProcess | None = None
        self._notes: list[Moment] = []
        self._began = time.monotonic()
        self._mark = 0
        self._own_event = False
        self._over = False
        self.used = False
        """Another check was made with it."""

    # The scene.

    @property
    def me(self) -> Machine:
        return self.machines[MINE]

    @property
    def other(self) -> Machine:
        return self.machines[OTHER]

    @property
    def namesake(self) -> Machine:
        return self.machines[NAMESAKE]

    @property
    def patience(self) -> float:
        return max(self.orders.patience, 6 * self.habits.interval)

    @property
    def reaction(self) -> float:
        """Seconds after which it is believed to do nothing about a type of event."""
        return max(self.orders.reaction, 5 * self.habits.interval)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Nobody's approval starts an event, as happens in Azure where other tenants have to agree."""
        client, scope = self.kit.client, f"/scopes/{self.me.scope}"
        client.patch(scope, {"approval_policy": {"rule": "human"}})
        try:
            yield
        finally:
            client.patch(scope, {"approval_policy": {"rule": "first"}})

    def start(self) -> None:
        if self._over:
            raise CannotRun("The examination was broken off.")
        given = {"{metadata}": self.place.url, "{machine}": self.me.name, "{directory}": str(self.directory)}
        command = [_filled(word, given) for word in self.orders.command]
        if shutil.which(command[0]) is None:
            raise CannotRun(f"The client cannot be started: there is no program {command[0]}.")
        environment = {
            **self.place.environment,
            **self.orders.environment,
            "FOREWARN_METADATA_URL": self.place.url,
            "FOREWARN_MACHINE": self.me.name,
        }
        self._process = processes.started(self.place.command(processes.with_us(command)), environment)
        self.note("the client is started")

    def begins_to_ask(self) -> None:
        """CannotRun, with what the client said, if it does not."""
        if self.wait(lambda: any(r.is_poll for r in self.log.since(0)), self.orders.settling):
            self._begins_to_work()
            return
        asked = self.log.since(0)
        if not self.alive:
            raise CannotRun(f"The client ended before it asked for events ({self.ending}):\n{self.last_words}")
        rest = f" It did ask: {asked[-1]}." if asked else ""
        raise CannotRun(
            f"The client did not ask for events within {self.orders.settling:g} s, reached by {self.place.by}.{rest}"
            f" It said:\n{self.last_words}"
        )

    def _begins_to_work(self) -> None:
        if self.wait(lambda: not self.prepared, self.orders.settling):
            return
        probe = str(self.orders.probe)
        raise CannotRun(
            f"{probe[0].upper()}{probe[1:]} before anything was announced, so it would not be seen that the client"
            f" prepares. The client said:\n{self.last_words}"
        )

    @property
    def process(self) -> ClientProcess:
        assert self._process is not None, "it was started"
        return self._process

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.status is None

    @property
    def ending(self) -> str:
        return processes.ending(self.process)

    @property
    def last_words(self) -> str:
        return processes.last_words(self.process)

    def end(self) -> None:
        """For good, also from another thread."""
        self._over = True
        if self._process is not None:
            self._process.end()

    # What is seen.

    def begin(self) -> None:
        """A check begins: what was before is no evidence."""
        self.log.look()
        self._mark = self.log.last
        self._began = time.monotonic()
        self._notes.clear()
        self._own_event = False

    def note(self, text: str) -> None:
        self._notes.append(Moment(seconds=time.monotonic() - self._began, text=f"doctor: {text}"))

    @property
    def evidence(self) -> list[Moment]:
        asked = [Moment(seconds=at - self._began, text=text) for at, text in summed_up(self.requests)]
        return sorted([*self._notes, *asked], key=lambda moment: moment.seconds)

    @property
    def requests(self) -> list[Request]:
        """Since the check began."""
        return self.log.since(self._mark)

    def approvals(self, event: Event) -> list[Request]:
        return [request for request in self.requests if event.id.upper() in request.approves]

    @property
    def prepared(self) -> bool:
        probe = self.orders.probe
        return probe is not None and probe.prepared(self)

    # What happens.

    def announce(self, *machines: Machine, type: str = "", **more: Any) -> Event:
        type = type or self.habits.type
        (event,) = self.kit.schedule(type, machines, **more)
        self._own_event |= self.me in machines
        named = machines[0].name if len(machines) == 1 else f"{len(machines)} machines"
        self.note(f"{type} of {named} is announced, event {event.id}")
        return event

    def fault(self, kind: str, **how: Any) -> None:
        self.me.fault(kind, **how)
        told = ", ".join(f"{key} {value}" for key, value in how.items())
        self.note(f"from now on: {kind}{f' ({told})' if told else ''}")

    def clear_faults(self) -> None:
        self.kit.clear_faults()
        self.note("all is well again")

    def finish(self, event: Event) -> None:
        """It is called off if it has not started, and else its time passes."""
        if event.status == "Scheduled":
            event.cancel("the doctor has seen enough")
            self.note(f"event {event.id} is cancelled")
        if not event.gone:
            self.pass_time("30m")
            self.note(f"event {event.id} is over")

    def pass_time(self, length: str) -> None:
        self.kit.advance(length, attended=False)

    # Waiting, in real time.

    def wait(self, condition: Callable[[], object], seconds: float) -> bool:
        """Whether it came to hold. Who has ended does nothing any more, and is not waited for."""
        until = time.monotonic() + seconds
        self.log.look()
        while not condition():
            over = time.monotonic() >= until or (self._process is not None and not self.alive)
            self.log.look(0 if over else GLANCE)
            if over:
                return bool(condition())
        return True

    def polls(self, number: int) -> list[Request]:
        """Those after it that were answered."""
        return [request for request in self.log.since(number) if request.is_poll and request.is_answered]

    def looks(self, times: int = 2) -> None:
        """The client asks so many times more, and is answered. Wrong if it does not."""
        self.log.look()
        last = self.log.last
        if self.wait(lambda: len(self.polls(last)) >= times, self.patience):
            return
        self.lives()
        raise Wrong(f"It does not ask for events any more: {self.patience:g} s went by without a question answered.")

    def calms_down(self) -> None:
        """It has seen all there is, and had the time that it usually takes to act."""
        usual = self.habits.latency
        self.looks(1)
        self.wait(lambda: False, (usual if usual < SLOW else max(1.5 * usual, self.orders.reaction)) + MARGIN)

    def lives(self) -> None:
        if self.has_ended_prepared and self._own_event:
            raise DoesNotApply("To end is how it prepares, and so it has ended before the check had.")
        if not self.alive:
            raise Wrong(f"It has ended ({self.ending}):\n{self.last_words}")

    def deals_with(self, event: Event, seconds: float | None = None) -> bool:
        """It does about an event of its own what it usually does: approve, or prepare, or else just look."""
        seconds = self.patience if seconds is None else seconds
        if self.habits.approves:
            return self.wait(lambda: self.approvals(event), seconds)
        if self.habits.prepares:
            return self.wait(lambda: self.prepared, seconds)
        self.looks()
        return True

    def deals_with_the_next(self) -> Event:
        """Another event of its own comes. Wrong if it is not treated as the first one was."""
        event = self.announce(self.me)
        self.expects_dealing(event)
        return event

    def expects_dealing(self, event: Event) -> None:
        if not self.deals_with(event):
            self.lives()
            does = "approve" if self.habits.approves else "prepare for"
            raise Wrong(f"It did not {does} event {event.id} within {self.patience:g} s.")

    def approved_only(self, *events: Event) -> None:
        """Wrong if anything else was. Where it approves other machines' events anyway, that has been said before."""
        if self.habits.approves_others:
            return
        allowed = {event.id.upper() for event in events}
        for request in self.requests:
            if request.approves - allowed:
                raise Wrong(f"It approved what it should not: {', '.join(sorted(request.approves - allowed))}.")

    def settles(self) -> bool:
        """After a check: nothing is wrong, nothing is announced, and the client knows. False: take another one."""
        self.used = True
        self.kit.clear_faults()
        for event in self.kit.events():
            self.finish(event)
        if not self.alive or self._machine_is_gone:
            return False
        self.me.operate("start")  # an eviction has stopped it
        try:
            self.looks(1)
        except Wrong:
            return False
        return self.is_unprepared()

    def is_unprepared(self) -> bool:
        """Whether the machine is as it was before an event, by itself or because what was left behind is taken away."""
        probe = self.orders.probe
        if probe is None or not self.prepared:
            return True
        self.wait(lambda: not self.prepared, self.patience if self.habits.undoes else 0)
        probe.forget(self)
        return not self.prepared

    @property
    def has_ended_prepared(self) -> bool:
        """To end is how it prepares, and it has."""
        return isinstance(self.orders.probe, Ended) and not self.alive

    @property
    def _machine_is_gone(self) -> bool:
        try:
            self.kit.machine_called(self.me.scope, self.me.name)
        except Refusal:
            return True
        return False


def _filled(word: str, given: dict[str, str]) -> str:
    for name, value in given.items():
        word = word.replace(name, value)
    return word
