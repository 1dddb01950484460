"""Faults in a test's hand: the whole of Forewarn, its own client in a thread, and time that goes on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from forewarn.client import Document, ScheduledEvents, Status
from forewarn.testing import Forewarn, Machine


@contextmanager
def watching(vm: Machine) -> Iterator[list[Document]]:
    """What the client hears. It lets its requests be parked, as long as the server may hold them."""
    heard: list[Document] = []
    over = threading.Event()
    events = ScheduledEvents(vm.metadata_url)

    def listen() -> None:
        while not over.is_set():
            document = events.wait(heard[-1] if heard else None)
            heard.extend([document] if document is not None else [])

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield heard
    finally:
        over.set()
        events.interrupt()
        thread.join()
        events.close()


def phases(heard: list[Document]) -> list[list[Status | str]]:
    return [[event.status for event in document.events] for document in heard]


def test_a_client_that_was_waiting_already_gets_no_notice(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    with watching(vm) as heard:
        forewarn.until(lambda: heard, within="1s")
        vm.fault("no-notice")
        event = vm.restart()
        forewarn.advance("15m")
        forewarn.until(lambda: len(heard) > 1, within="1s")
        assert event.started
        assert phases(heard) == [[], [Status.STARTED]]


def test_notice_is_cut_short_for_who_waits(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    vm.fault("short-notice", by=timedelta(minutes=5))
    with watching(vm) as heard:
        forewarn.until(lambda: heard, within="1s")
        vm.restart()
        forewarn.advance("9m")
        assert phases(heard) == [[]]
        forewarn.advance("2m")
        forewarn.until(lambda: len(heard) > 1, within="1s")
        assert phases(heard) == [[], [Status.SCHEDULED]]


def test_time_does_not_wait_for_a_client_that_is_told_old_numbers(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    vm.schedule("Freeze")
    vm.fault("repeated")
    with watching(vm) as heard:
        forewarn.until(lambda: heard, within="1s")
        forewarn.advance("20m")
        assert phases(heard) == [[Status.SCHEDULED], [Status.STARTED], []]
        assert len({document.incarnation for document in heard}) == 1
        assert not forewarn._time._asleep


def test_times_are_told_too_early(forewarn: Forewarn) -> None:
    vm = forewarn.vm()
    event = vm.restart()
    vm.fault("skewed-not-before", by=timedelta(minutes=-5))
    (told,) = vm.poll()["Events"]
    assert parsedate_to_datetime(told["NotBefore"]) == datetime.fromisoformat(event.look()["not_before"]).replace(
        microsecond=0
    ) - timedelta(minutes=5)
