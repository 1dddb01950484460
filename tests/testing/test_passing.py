"""How time passes in a test: never by itself, as fast as it can, and not faster than the clients that poll."""

import asyncio
import gc
import signal
import threading
import time
import unittest
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from forewarn.testing import Event, Forewarn, Late, Machine, started
from forewarn.testing.metadata import ask
from forewarn.testing.readers import MARGIN
from tests.testing.clients import poller, seen_by

# Without clients


def test_time_stands_still_unless_it_is_moved(forewarn: Forewarn) -> None:
    before = forewarn.now
    event = forewarn.vm().schedule("Reboot")
    assert forewarn.now == before
    forewarn.advance(timedelta(minutes=14, seconds=59))
    assert event.status == "Scheduled"
    forewarn.advance("1s")
    assert event.started
    assert forewarn.now == before + timedelta(minutes=15)


def test_everything_on_the_way_happens_at_its_own_time(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    event, before = vm.schedule("Reboot"), forewarn.now
    forewarn.advance("30d")
    told = {entry["what"]: entry["at"] for entry in forewarn.history() if entry["subject"] == event.id}
    assert told["started"] == (before + timedelta(minutes=15)).isoformat().replace("+00:00", "Z")


def test_what_holds_already_takes_no_time(forewarn: Forewarn) -> None:
    before = forewarn.now
    forewarn.until(lambda: True, within="9m")
    assert forewarn.now == before


def test_what_comes_too_late_is_told_with_the_story() -> None:
    with started(patience=0.3) as forewarn:
        event = forewarn.vm().schedule("Reboot")
        with pytest.raises(Late) as late:
            forewarn.until(lambda: event.approved, within="9m")
        told = str(late.value).splitlines()
        assert told[0] == "It did not happen within 9m."
        assert told[1] == f"Reboot of vm (Scheduled), event {event.id}"
        assert "nobody has polled since" in str(late.value)
        stands = forewarn.now
        assert stands - timedelta(minutes=9) >= event.not_before - timedelta(minutes=15)
        assert forewarn.now == stands


# With clients in processes of their own


@pytest.fixture
def vm(forewarn: Forewarn) -> Machine:
    return forewarn.vm()


def test_a_client_that_polls_sees_every_change(forewarn: Forewarn, vm: Machine) -> None:
    with poller(vm.metadata_url) as client:
        vm.schedule("Reboot")
        forewarn.advance("1h")
        assert seen_by(client) == ["Scheduled", "Started", "nothing"]


def test_and_one_that_is_not_attended_to_may_miss_them_all(forewarn: Forewarn, vm: Machine) -> None:
    with poller(vm.metadata_url) as client:
        event = vm.schedule("Freeze")
        client.send_signal(signal.SIGSTOP)  # it cannot have seen anything in between
        forewarn.advance("1h", attended=False)
        assert event.gone
        client.send_signal(signal.SIGCONT)
        forewarn.settle()
        assert "Started" not in seen_by(client)


def test_until_lets_a_client_do_its_work(forewarn: Forewarn, vm: Machine) -> None:
    with poller(vm.metadata_url, "approve"):
        event = vm.schedule("Reboot")
        forewarn.until(lambda: event.approved, within="15m")
    assert event.started
    assert forewarn.now < event.not_before


def test_after_a_client_has_settled_it_will_do_nothing_more(forewarn: Forewarn, vm: Machine) -> None:
    with poller(vm.metadata_url, "approve"):
        mine = vm.schedule("Reboot")
        forewarn.settle()
        assert mine.approved
    another = forewarn.vm("another")
    with poller(another.metadata_url):
        event, before = another.schedule("Reboot"), len(another.requests)
        forewarn.settle()
        assert not event.approved
        assert len(another.requests) >= before + 2


def test_a_client_that_meets_faults_is_not_waited_for_longer_than_it_asks(forewarn: Forewarn, vm: Machine) -> None:
    with poller(vm.metadata_url):
        vm.fault("stale", by="1h")
        vm.schedule("Reboot")
        began = time.monotonic()
        for _ in range(4):
            forewarn.advance("5m")
        assert time.monotonic() - began < 4 * MARGIN


def test_a_client_that_dies_is_waited_for_once(forewarn: Forewarn, vm: Machine) -> None:
    with poller(vm.metadata_url):
        forewarn.settle()  # it has polled three times
    took = []
    for _ in range(3):
        vm.schedule("Freeze")
        began = time.monotonic()
        forewarn.advance("15m")
        took.append(time.monotonic() - began)
    assert took[0] >= MARGIN > min(took[1:])


def test_a_client_that_is_held_has_nothing_left_to_do(forewarn: Forewarn, vm: Machine) -> None:
    """One that asks Forewarn to answer only when something has changed."""
    path = "/metadata/scheduledevents?api-version=2020-07-01"
    fields = {"User-Agent": "held", "If-None-Match": '"1"'}
    ask(vm.metadata_url, path, fields=fields)
    holding = threading.Thread(target=lambda: ask(vm.metadata_url, f"{path}&wait=60", fields=fields), daemon=True)
    holding.start()
    forewarn.until(lambda: vm.requests[-1]["status"] is None, within="1s")
    began = time.monotonic()
    forewarn.settle()
    assert time.monotonic() - began < MARGIN
    vm.schedule("Freeze")
    holding.join(10)
    assert not holding.is_alive()


# With clients in the test's own event loop


async def asked(url: str, body: bytes = b"") -> bytes:
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    verb = b"POST" if body else b"GET"
    head = b"%s /metadata/scheduledevents?api-version=2020-07-01 HTTP/1.1\r\nHost: localhost" % verb
    fields = b"Metadata: true\r\nConnection: close\r\nContent-Length: %d" % len(body)
    writer.write(b"%s\r\n%s\r\n\r\n%s" % (head, fields, body))
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.partition(b"\r\n\r\n")[2]


async def approving(url: str, event: Event) -> None:
    while event.id.encode() not in await asked(url):  # noqa: ASYNC110 (it is asked each time)
        await asyncio.sleep(0.01)
    await asked(url, b'{"StartRequests": [{"EventId": "%s"}]}' % event.id.encode())


def test_the_async_form_leaves_the_loop_to_its_clients(forewarn: Forewarn, vm: Machine) -> None:
    async def story() -> None:
        event = await asyncio.to_thread(vm.schedule, "Reboot")
        client = asyncio.create_task(approving(vm.metadata_url, event))
        await forewarn.auntil(lambda: event.approved, within="14m")
        await client
        await forewarn.asettle()
        await forewarn.aadvance("15m")
        assert event.gone

    asyncio.run(story())


# Around it


def test_what_was_started_leaves_nothing_behind() -> None:
    with started():  # what is made once per process is made now
        pass
    threads, files = threading.active_count(), open_files()
    for _ in range(5):
        with started() as forewarn:
            forewarn.vm().poll()
    assert (threading.active_count(), open_files()) == (threads, files)


def test_nor_anything_in_memory() -> None:
    """What is kept by those who remember answers (addresses, dates) is bounded; a Forewarn is thousands of objects."""

    def cycles(count: int) -> int:
        for _ in range(count):
            with started() as forewarn:
                vm = forewarn.vm()
                event = vm.schedule("Reboot")
                vm.approve(event)
                forewarn.advance("15m")
                assert event.gone
        gc.collect()
        return len(gc.get_objects())

    before = cycles(10)
    assert cycles(30) - before < 30 * 10


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_two_in_one_process_are_strangers(forewarn: Forewarn) -> None:
    with started() as another:
        here, there = forewarn.vm(), another.vm()
        here.schedule("Reboot")
        another.advance("1h")
        assert there.poll()["Events"] == []
        assert forewarn.now < another.now


def test_it_works_with_unittest() -> None:
    class Handler(unittest.TestCase):
        def setUp(self) -> None:
            self.forewarn = self.enterContext(started())

        def test_it_is_told(self) -> None:
            assert len(self.forewarn.vm().restart().machines) == 1

    outcome = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Handler).run(outcome)
    assert (outcome.testsRun, outcome.failures, outcome.errors) == (1, [], [])
