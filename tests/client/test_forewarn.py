"""The client and a real metadata service."""

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from forewarn.client import Answer, Document, HttpTransport, Refused, Request, ScheduledEvents, Verdict, is_about
from forewarn.imds import Limits
from forewarn.imds.listeners import on_socket_file
from tests.imds.world import NOW, PATIENCE, REBOOT, World, announcement, document, machine, serving


class Watched(HttpTransport):
    """Counts what is asked on condition, and says whether requests may be parked."""

    def __init__(self, *, parks: bool) -> None:
        super().__init__()
        self._about = Answer(status=200, body=b'{"forewarn":"0","wait":300}') if parks else Answer(status=404)
        self.polls = 0

    def send(self, request: Request) -> Answer:
        if request.target == "/forewarn/v1/about":
            return self._about
        self.polls += "If-None-Match" in request.fields
        return super().send(request)


class Guest:
    def __init__(self, world: World, client: ScheduledEvents, transport: Watched) -> None:
        self._world = world
        self._transport = transport
        self.client = client

    def waits(self, after: Document, meanwhile: Callable[[], None]) -> Document | None:
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(self.client.wait, after, PATIENCE)
            self._world.until(lambda: self._transport.polls > 0)
            meanwhile()
            return waiting.result(PATIENCE)


@contextmanager
def guest(world: World, *, parks: bool = True, version: str = "2020-07-01") -> Iterator[Guest]:
    transport = Watched(parks=parks)
    with ScheduledEvents(f"http://127.0.0.1:{world.port}", transport=transport, version=version) as client:
        yield Guest(world, client, transport)


def test_a_machine_reads_what_is_coming_and_approves_it() -> None:
    with serving() as world, guest(world) as vm1:
        (event,) = vm1.client.document().events
        assert is_about(event, vm1.client.me()) is Verdict.YES
        assert event.not_before is not None
        assert timedelta(minutes=14) < vm1.client.clock.left(event.not_before) <= timedelta(minutes=15)
        vm1.client.approve(event)
        assert world.backend.approved == [("alpha", (REBOOT,), "machine:vm1")]


def test_a_machine_knows_its_own_events_among_those_of_its_scope() -> None:
    events = [announcement("A", name="vm1"), announcement("B", name="vm2")]
    with serving(documents=[document("alpha", 2, *events)]) as world, guest(world) as vm1:
        me = vm1.client.me()
        verdicts = {event.id: is_about(event, me) for event in vm1.client.document().events}
        assert verdicts == {"A": Verdict.YES, "B": Verdict.NO}


def test_the_server_s_clock_counts_however_far_it_is_moved() -> None:
    with serving() as world, guest(world) as vm1:
        for moved in (timedelta(0), timedelta(days=400), timedelta(hours=1)):
            world.time = NOW + moved
            world.pass_time(1.0)
            vm1.client.document()
            assert abs(vm1.client.clock.now() - (NOW + moved)) < timedelta(seconds=PATIENCE)


def test_an_answer_without_news_sets_the_clock_too() -> None:
    with serving() as world, guest(world, parks=False) as vm1:
        before = vm1.client.document()
        world.time = NOW + timedelta(days=1)
        world.pass_time(1.0)
        assert vm1.client.wait(before, timeout=0) is None
        assert vm1.client.wait(before, timeout=1.0) is None
        assert vm1.client.clock.now() >= NOW + timedelta(days=1)


def test_an_unknown_event_cannot_be_approved() -> None:
    with serving() as world, guest(world) as vm1, pytest.raises(Refused, match="Unknown event id") as no:
        vm1.client.approve("00000000-0000-0000-0000-000000000000")
    assert no.value.status == 400


@pytest.mark.parametrize("parks", [True, False], ids=["parked", "polling"])
def test_news_ends_a_wait(parks: bool) -> None:
    with serving() as world, guest(world, parks=parks) as vm1:
        after = vm1.waits(vm1.client.document(), lambda: world.publish(document("alpha", 3)))
        assert after is not None
        assert (after.incarnation, after.events) == (3, ())


@pytest.mark.parametrize("parks", [True, False], ids=["parked", "polling"])
def test_another_thread_can_end_a_wait(parks: bool) -> None:
    with serving() as world, guest(world, parks=parks) as vm1:
        before = vm1.client.document()
        assert vm1.waits(before, vm1.client.interrupt) is None
        assert vm1.client.document() == before


def test_an_approval_does_not_wait_for_a_wait() -> None:
    with serving() as world, guest(world) as vm1:

        def meanwhile() -> None:
            vm1.client.approve(REBOOT)
            world.publish(document("alpha", 3))

        assert vm1.waits(vm1.client.document(), meanwhile) is not None


def test_a_service_that_counts_anew_is_believed() -> None:
    with serving(documents=[document("alpha", 9, announcement())]) as world, guest(world) as vm1:
        before = vm1.client.document()
        world.publish(document("alpha", 1, epoch=2))
        after = vm1.client.wait(before)
        assert after is not None
        assert (after.incarnation, after.events) == (1, ())


@pytest.mark.parametrize("version", ["2017-03-01", "2017-08-01", "2019-01-01", "2020-07-01"])
def test_a_name_is_the_same_in_every_version(version: str) -> None:
    with serving() as world, guest(world, version=version) as vm1:
        (event,) = vm1.client.document().events
        assert event.resources == ("vm1",)


def test_an_api_version_of_nobody_is_refused() -> None:
    with serving() as world, guest(world, version="1999-01-01") as vm1, pytest.raises(Refused, match="api-version"):
        vm1.client.document()


def test_a_machine_over_its_rate_is_served_when_its_turn_has_come() -> None:
    with serving(limits=Limits(rate=1.0)) as world, guest(world) as vm1, ThreadPoolExecutor(1) as pool:
        vm1.client.document()
        late = pool.submit(vm1.client.document)
        while not late.done():
            world.pass_time(0.01)
        assert late.result().incarnation == 2


def test_a_socket_file_is_a_machine() -> None:
    with tempfile.TemporaryDirectory() as folder:
        machines = [machine("vm1"), machine("vm2")]
        listen = lambda: on_socket_file(Path(folder), "vm2", "alpha", "vm2")  # noqa: E731
        with serving(machines=machines, listen=listen), ScheduledEvents(f"unix:{folder}/vm2.sock") as client:
            assert client.instance().name == "vm2"


def test_a_service_that_knows_nothing_of_readiness_says_so() -> None:
    with serving() as world, guest(world, parks=False) as vm1:
        assert vm1.client.ready(REBOOT) is None
        assert vm1.client.readiness(REBOOT) is None
