"""The stream of changes: every entry once and in order, whoever comes, stays away or does not read."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from forewarn.domain.access import Assignment, Role
from forewarn.domain.draft import Change
from forewarn.domain.history import Entry
from forewarn.engine.ports import News, Transaction
from forewarn.testing.builders import an_entry
from tests.access.making import bearer
from tests.control.rig import Rig, running

WATCH = "/forewarn/v1/watch"


class Watcher:
    """Reads a stream of server-sent events."""

    def __init__(self, rig: Rig, query: str = "", **headers: str) -> None:
        self.connection = rig.connect()
        told = {k.replace("_", "-"): v for k, v in headers.items()}
        self.connection.request("GET", WATCH + query, headers={**rig.bearer, **told})
        self.response = self.connection.getresponse()
        assert (self.response.status, self.response.headers["Content-Type"]) == (200, "text/event-stream")
        assert self.block() == ["retry: 1000"]

    def block(self) -> list[str]:
        lines: list[str] = []
        while line := self.response.readline().decode().rstrip("\n"):
            lines.append(line)
        return lines

    def entry(self) -> Any:
        number, event, data = self.block()
        value = json.loads(data.removeprefix("data: "))
        assert (number, event) == (f"id: {value['seq']}", f"event: {value['what']}")
        return value

    def seqs(self, count: int) -> list[int]:
        return [self.entry()["seq"] for _ in range(count)]

    def close(self) -> None:
        self.response.close()
        self.connection.close()


def write(rig: Rig, count: int, detail: str = "") -> list[Entry]:
    """Entries, committed and then told."""

    def work(tx: Transaction) -> list[Entry]:
        return list(tx.save(Change(entries=tuple(an_entry(scope="db", detail=detail) for _ in range(count)))))

    async def both() -> list[Entry]:
        entries = await rig.store.run(work)
        rig.hub.publish(News(entries=entries))
        return entries

    return rig.run(both())


@pytest.fixture
def quick() -> Iterator[Rig]:
    with running(heartbeat=0.02, patience=0.2) as rig:
        yield rig


def test_a_watcher_hears_of_every_change_from_now_on(rig: Rig) -> None:
    write(rig, 3)
    watcher = Watcher(rig)
    rig.enrol("db")
    entry = watcher.entry()
    assert (entry["seq"], entry["what"], entry["who"]) == (4, "enrolled", {"kind": "machine", "name": "somebody"})
    watcher.close()


def test_a_watcher_goes_on_where_it_left_off(rig: Rig) -> None:
    write(rig, 5)
    for watcher in (
        Watcher(rig, "?after=2"),
        Watcher(rig, Last_Event_ID="2"),
        Watcher(rig, "?after=0", Last_Event_ID="2"),
    ):
        assert watcher.seqs(3) == [3, 4, 5]
        watcher.close()


def test_catching_up_and_hearing_the_news_leave_no_gap_and_no_double(rig: Rig) -> None:
    write(rig, 1500)
    watcher = Watcher(rig, "?after=0")
    write(rig, 1500)
    write(rig, 10)
    assert watcher.seqs(3010) == list(range(1, 3011))
    watcher.close()


def test_commits_told_out_of_order_are_heard_in_order(rig: Rig) -> None:
    watcher = Watcher(rig)

    async def crossed() -> None:
        first, second = [
            await rig.store.run(lambda tx: list(tx.save(Change(entries=(an_entry(scope="db"),))))) for _ in range(2)
        ]
        rig.hub.publish(News(entries=second))
        rig.hub.publish(News(entries=first))

    rig.run(crossed())
    write(rig, 1)
    assert watcher.seqs(3) == [1, 2, 3]
    watcher.close()


def test_a_watcher_may_ask_for_one_scope(rig: Rig) -> None:
    watcher = Watcher(rig, "?scope=web:0")
    rig.enrol("db")
    rig.enrol("web:0")
    assert _number(watcher) == 2
    watcher.close()


def test_a_stream_ends_with_the_right_to_it(quick: Rig) -> None:
    given = Assignment(id="1", principal="anna", role=Role.READER, scope=quick.access.subscription)
    quick.run(quick.access.assignments.put(given))
    watcher = Watcher(quick, **bearer(quick.access, "anna"))
    assert watcher.block() == [": nothing happened"]
    quick.run(quick.access.assignments.delete("1"))
    while watcher.response.readline():
        pass  # what is under way, and then the end
    watcher.close()


def test_silence_is_told_too(quick: Rig) -> None:
    watcher = Watcher(quick)
    assert watcher.block() == [": nothing happened"]
    watcher.close()


def test_a_watcher_that_leaves_is_forgotten(quick: Rig) -> None:
    watcher = Watcher(quick)
    quick.until(lambda: quick.hub.watchers == 1)
    watcher.close()
    quick.until(lambda: quick.hub.watchers == 0)


def test_a_watcher_that_does_not_read_is_cut_off_and_others_are_not(quick: Rig) -> None:
    lazy = socket.create_connection(("127.0.0.1", quick.port))
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    token = quick.bearer["Authorization"].encode()
    lazy.sendall(b"GET /forewarn/v1/watch HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n\r\n" % token)
    eager = Watcher(quick)
    quick.until(lambda: quick.hub.watchers == 2)
    deadline = time.monotonic() + 30
    while quick.hub.watchers == 2:
        assert time.monotonic() < deadline, "it was never cut off"
        newest = write(quick, 100, detail="x" * 1000)[-1].seq
        while _number(eager) < newest:
            pass
    assert quick.hub.watchers == 1
    lazy.close()
    eager.close()


def _number(watcher: Watcher) -> int:
    """The sequence number of the next entry."""
    while True:
        block = watcher.block()
        if block[0].startswith("id: "):
            return int(block[0].removeprefix("id: "))


def test_stopping_the_server_ends_the_streams() -> None:
    with running() as rig:
        watcher = Watcher(rig)
        rig.until(lambda: rig.hub.watchers == 1)
    assert watcher.response.readline() == b""
    watcher.close()


@pytest.mark.parametrize("number", ["x", "-1", "1" * 30, "\u0663"])
def test_a_wrong_place_to_go_on_from_is_refused(rig: Rig, number: str) -> None:
    status, _, _ = rig.raw("GET", WATCH, headers={"Last-Event-ID": number.encode().decode("latin-1")})
    assert status == 400


def test_asking_for_the_headers_alone_opens_no_stream(rig: Rig) -> None:
    assert rig.raw("HEAD", WATCH)[0] == 200
    assert rig.hub.watchers == 0


def test_there_is_a_limit_to_the_number_of_watchers(rig: Rig) -> None:
    rig.hub.watchers = 500
    assert rig.refused("GET", WATCH)[0] == 429


def test_many_may_watch_at_once(rig: Rig) -> None:
    watchers = [Watcher(rig) for _ in range(20)]
    rig.enrol("db")
    assert {watcher.entry()["seq"] for watcher in watchers} == {1}
    for watcher in watchers:
        watcher.close()
