"""When a fault strikes, whom and how often; what several do together; and that nothing else is touched by it."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import TooMany
from forewarn.domain.events import Document
from forewarn.domain.faults import Asked, Fault, FaultKind, Seen
from forewarn.imds import TrialServer
from forewarn.imds.identity import Everyone
from forewarn.imds.listeners import Listener
from forewarn.imds.playbook import KEPT_REQUESTS, LONGEST_BODY, MOST_FAULTS
from tests.imds.test_approvals import APPROVAL
from tests.imds.test_faults import LOOPS, OTHER, SOON, started, told
from tests.imds.world import (
    PATH,
    PATIENCE,
    REBOOT,
    Client,
    World,
    announcement,
    document,
    get,
    machine,
    post,
    request,
    trying,
)

# When, for whom, and how often.


@pytest.fixture
def world() -> Iterator[World]:
    with trying() as world:
        yield world


def spoilt(world: World, count: int, raw: bytes = b"") -> str:
    """For each request, whether a fault met it."""
    return "".join("x" if world.ask(raw or get()).status == 500 else "." for _ in range(count))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        pytest.param({}, "xxxxxx", id="all"),
        pytest.param({"requests": 2}, "xx....", id="so-many"),
        pytest.param({"skip": 3}, "...xxx", id="not-at-first"),
        pytest.param({"skip": 1, "requests": 2}, ".xx...", id="in-between"),
        pytest.param({"asked": Asked.POLL}, "xxxxxx", id="polls"),
        pytest.param({"asked": Asked.APPROVAL}, "......", id="approvals"),
        pytest.param({"machine": "vm1"}, "xxxxxx", id="this-machine"),
        pytest.param({"machine": "vm2"}, "......", id="another-machine"),
        pytest.param({"scope": "beta"}, "......", id="another-scope"),
    ],
)
def test_at_which_requests(world: World, how: dict[str, Any], expected: str) -> None:
    world.fault(FaultKind.STATUS, **how)
    assert spoilt(world, 6) == expected


@pytest.mark.parametrize(
    ("raw", "asked"),
    [
        pytest.param(get(), Asked.POLL, id="poll"),
        pytest.param(get("/metadata/latest/ScheduledEvents/"), Asked.POLL, id="version-in-the-path"),
        pytest.param(get("/metadata/%73cheduledevents?api-version=2020-07-01"), Asked.POLL, id="encoded"),
        pytest.param(get("http://127.0.0.1" + PATH), Asked.POLL, id="through-a-proxy"),
        pytest.param(post(APPROVAL), Asked.APPROVAL, id="approval"),
        pytest.param(get("/metadata/instance?api-version=2021-02-01"), Asked.INSTANCE, id="instance"),
        pytest.param(get("/metadata/instance/compute/name?api-version=2021-02-01"), Asked.INSTANCE, id="one-value"),
        pytest.param(get("/metadata/instances"), Asked.OTHER, id="nothing"),
        pytest.param(get("/scheduledevents"), Asked.OTHER, id="outside"),
        pytest.param(request("HEAD"), Asked.OTHER, id="head"),
    ],
)
def test_what_is_asked_for(world: World, raw: bytes, asked: Asked) -> None:
    world.do(lambda: world.book.log(on=True))
    with world.connect() as client:
        client.send(raw)
        client.receive(to_head=raw.startswith(b"HEAD"))
    assert [seen.asked for seen in world.log()] == [asked]


def test_a_fault_lasts_by_the_clock_of_the_fleet(world: World) -> None:
    world.fault(FaultKind.STATUS, lasts=timedelta(minutes=5))
    seen = []
    for minutes in (0, 4.9, 5, 6):
        world.at(minutes)
        seen.append(spoilt(world, 1))
    assert seen == ["x", "x", ".", "."]
    assert cast(TrialServer, world.server).meddler is None  # and then the server is as fast as ever


def test_the_same_seed_gives_the_same_faults_and_each_machine_its_own() -> None:
    machines = [machine("vm1", "alpha", "127.0.0.2"), machine("vm2", "alpha", "127.0.0.3")]

    def play(seed: int, order: str) -> tuple[str, str]:
        with trying(machines=machines) as world:
            world.fault(FaultKind.STATUS, probability=0.5, seed=seed)
            seen = {"2": "", "3": ""}
            for last in order:
                raw = get(host=f"127.0.0.{last}")
                seen[last] += "x" if world.ask(raw, f"127.0.0.{last}").status == 500 else "."
            return seen["2"], seen["3"]

    first = play(1, "23" * 20)
    assert play(1, "2" * 20 + "3" * 20) == first
    assert first[0] != first[1]
    assert play(2, "23" * 20) != first
    assert 3 < first[0].count("x") < 17


def test_two_faults_of_chance_are_not_the_same_chance(world: World) -> None:
    world.fault(FaultKind.STATUS, probability=0.5)
    world.fault(FaultKind.NO_DATE, probability=0.5)
    world.do(lambda: world.book.log(on=True))
    spoilt(world, 30)
    assert {seen.faults for seen in world.log()} == {(), ("status",), ("no-date",), ("status", "no-date")}


def test_each_machine_of_a_scope_has_its_own_count() -> None:
    machines = [machine("vm1", "alpha", "127.0.0.2"), machine("vm2", "alpha", "127.0.0.3")]
    with trying(machines=machines) as world:
        world.fault(FaultKind.STATUS, requests=1)
        for address in ("127.0.0.2", "127.0.0.3"):
            assert [world.ask(get(host=address), address).status for _ in range(2)] == [500, 200]
        assert world.book.spoilt("1") == 2


# Together.


def test_faults_add_up(world: World) -> None:
    world.fault(FaultKind.STATUS, status=503, requests=1)
    world.fault(FaultKind.STATUS, status=404)  # the earlier in the playbook has it
    world.fault(FaultKind.NO_DATE)
    world.fault(FaultKind.CONTENT_TYPE)
    world.fault(FaultKind.DELAY, by=SOON)
    for status in (503, 404):
        response = world.ask(get())
        assert (response.status, response.fields["content-type"]) == (status, "text/plain")
        assert "date" not in response.fields


def test_a_reset_can_come_late(world: World) -> None:
    world.fault(FaultKind.RESET)
    world.fault(FaultKind.DELAY, by=SOON)
    began = time.monotonic()
    with world.connect() as client:
        client.send(get())
        assert client.is_closed()
    assert time.monotonic() - began >= SOON.total_seconds()


def test_documents_are_spoilt_in_an_order_that_makes_sense() -> None:
    """Whichever was set first: which document, what of it, under which number."""
    with trying(documents=[document("alpha", 4)]) as world:
        for kind in (FaultKind.RESTARTED, FaultKind.SKEWED_NOT_BEFORE, FaultKind.STALE):
            world.fault(kind, by=timedelta(minutes=1))
        world.publish(document("alpha", 5, announcement()))
        assert told(world.ask(get())) == (1, [])
        world.at(1)
        response = world.ask(get())
        assert told(response) == (2, [REBOOT])
        assert b"04:51:17" in response.body


# Waiting for news.

WAIT = PATH + "&wait=60"


def test_a_parked_request_comes_again_when_a_fault_is_set(world: World) -> None:
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.fault(FaultKind.NO_NOTICE)
        assert client.receive().status == 304
        world.publish(document("alpha", 3, announcement(), announcement(OTHER)))
        client.send(get(PATH, "If-None-Match: 2"))
        assert told(client.receive()) == (2, [REBOOT])


def test_who_waits_hears_of_what_it_may_see_only() -> None:
    with trying(documents=[document("alpha", 2)]) as world, world.connect() as client:
        world.fault(FaultKind.NO_NOTICE)
        client.send(get())
        assert told(client.receive()) == (2, [])
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 3, announcement()))
        world.pass_time(1)
        assert world.server.parked == 1
        world.publish(document("alpha", 4, started(announcement())))
        assert told(client.receive()) == (4, [REBOOT])


def test_who_waits_hears_of_it_when_its_time_has_come() -> None:
    with trying(documents=[document("alpha", 2)]) as world, world.connect() as client:
        world.fault(FaultKind.SHORT_NOTICE, by=timedelta(minutes=2))
        client.send(get())
        assert told(client.receive()) == (2, [])
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 3, announcement()))
        world.at(14)
        assert told(client.receive()) == (3, [REBOOT])


@pytest.mark.parametrize("end", ["time", "the-fault-is-over", "the-fault-is-taken-back"])
def test_a_wait_in_vain_ends(end: str) -> None:
    with trying(documents=[document("alpha", 2)]) as world, world.connect() as client:
        world.fault(FaultKind.NO_NOTICE, lasts=timedelta(minutes=1))
        client.send(get())
        client.receive()
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        world.publish(document("alpha", 3, announcement()))
        match end:
            case "time":
                world.pass_time(59)
                assert world.server.parked == 1
                world.pass_time(1)
                assert client.receive().status == 304
            case "the-fault-is-over":
                world.at(1)
                assert told(client.receive()) == (3, [REBOOT])
            case _:
                world.do(world.book.clear)
                assert client.receive().status == 304
        assert world.server.parked == 0


def test_a_wait_without_a_fault_is_logged_when_it_ends(world: World) -> None:
    world.do(lambda: world.book.log(on=True))
    with world.connect() as client:
        client.send(get(WAIT, "If-None-Match: 2"))
        world.until(lambda: world.server.parked == 1)
        assert [seen.status for seen in world.log()] == [None]
        world.publish(document("alpha", 3))
        assert client.receive().status == 200
        assert [(seen.status, seen.incarnation, seen.newest) for seen in world.log()] == [(200, 3, 3)]


# As it always is.


def test_a_scope_that_enrols_with_the_very_request(world: World) -> None:
    world.do(lambda: world.fleet.publish(machines=[machine("vm2", "beta", "127.0.0.2")]))
    world.backend.documents["beta"] = document("beta", 5, announcement())
    world.fault(FaultKind.REPEATED, scope="beta")
    world.fault(FaultKind.NO_DATE, scope="beta")
    response = world.ask(get(host="127.0.0.2"), "127.0.0.2")
    assert (told(response), "date" in response.fields) == ((5, [REBOOT]), False)


def test_an_old_client_is_spoilt_too(world: World) -> None:
    world.fault(FaultKind.STATUS, requests=1)
    with world.connect() as client:
        client.send(get(PATH, "Connection: keep-alive", version="1.0"))
        response = client.receive()
        assert (response.status, response.fields["connection"]) == (500, "keep-alive")
        client.send(get(version="1.0"))
        assert client.receive().status == 200
        assert client.is_closed()


@pytest.mark.parametrize("kind", [FaultKind.STATUS, FaultKind.RESET, FaultKind.TRUNCATED, FaultKind.REPEATED])
@pytest.mark.parametrize("new_loop", LOOPS.values(), ids=LOOPS)
def test_over_a_unix_socket(tmp_path: Path, kind: FaultKind, new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    place = tmp_path / "vm1.sock"

    def listen() -> Listener:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(place))
        listening.listen()
        return Listener(sockets=(listening,), identity=Everyone("alpha", "vm1"), loopback_only=False)

    with trying(listen=listen, new_loop=new_loop) as world:
        world.fault(kind, requests=1)
        for ended in (kind in (FaultKind.RESET, FaultKind.TRUNCATED), False):
            with socket.socket(socket.AF_UNIX) as raw:
                raw.settimeout(PATIENCE)
                raw.connect(str(place))
                client = Client(raw)
                client.send(get(host="localhost"))
                if ended:
                    _ends(client)
                else:
                    assert client.receive().status in (200, 500)
        world.until(lambda: world.server.connections == 0)


def _ends(client: Client) -> None:
    with pytest.raises((AssertionError, ConnectionResetError)):
        client.receive()


def test_after_the_playbook_everything_is_remembered_again_and_right(world: World) -> None:
    raw, memo = get(), lambda: [set(door.memo) for door in world.server.doors._doors.values()]
    right = world.ask(raw)
    assert world.do(memo) == [{raw}]
    world.fault(FaultKind.REPEATED)
    world.publish(document("alpha", 3))
    assert told(world.ask(raw)) == (2, [])
    assert world.do(memo) == [set()]
    world.do(world.book.clear)
    assert cast(TrialServer, world.server).meddler is None
    assert told(world.ask(raw)) == (3, [])
    assert world.do(memo) == [{raw}]
    world.publish(document("alpha", 4, announcement()))
    assert world.ask(raw).body == right.body.replace(b":2,", b":4,")


def test_a_scope_that_is_gone_leaves_nothing_behind(world: World) -> None:
    world.fault(FaultKind.REPEATED)
    assert world.ask(get()).status == 200
    for number in range(50):
        scope = f"s{number}"
        world.fault(FaultKind.NO_NOTICE, scope=scope, requests=1)
        world.do(
            lambda scope=scope, number=number: world.fleet.publish(  # type: ignore[misc]
                machines=[machine(scope, scope, f"127.0.1.{number + 1}")], documents=[document(scope, 2)]
            )
        )
        address = f"127.0.1.{number + 1}"
        assert world.ask(get(host=address), address).status == 200
        world.publish(document(scope, 3))
        world.do(
            lambda scope=scope: world.fleet.publish(gone=[(scope, scope)], dissolved=[scope])  # type: ignore[misc]
        )
        world.do(lambda: world.book.remove("2"))
    world.until(lambda: world.server.connections == 0)
    assert (len(world.book._past), len(world.book._shown)) == (1, 1)


def test_another_scope_of_the_same_name_begins_anew(world: World) -> None:
    world.fault(FaultKind.RESTARTED)
    world.publish(document("alpha", 9))
    assert told(world.ask(get()))[0] == 8
    world.do(lambda: world.fleet.publish(gone=[("alpha", "vm1")], dissolved=["alpha"]))
    world.do(lambda: world.fleet.publish(machines=[machine()], documents=[document("alpha", 1)]))
    assert told(world.ask(get()))[0] == 1


def test_times_beyond_the_calendar_are_told_as_they_are() -> None:
    last = replace(announcement(), not_before=announcement().not_before.replace(year=9999, month=12))  # type: ignore[union-attr]
    with trying(documents=[document("alpha", 2, last)]) as world:
        world.fault(FaultKind.SKEWED_NOT_BEFORE, by=timedelta(days=300))
        world.fault(FaultKind.STALE, by=timedelta(days=366))
        world.time = world.time.replace(year=1)
        assert b"Dec 9999" in world.ask(get()).body


def test_without_a_fault_every_answer_is_byte_for_byte_the_same() -> None:
    """Whether nobody looks, somebody keeps a log, or a fault is about somebody else."""
    story: list[bytes | Document] = [
        get(),
        get(PATH, 'If-None-Match: "2"'),
        get(PATH, "If-None-Match: 1"),
        get(PATH + "&wait=1", "If-None-Match: 1"),
        post(APPROVAL),
        document("alpha", 3),
        get(version="1.0"),
        get(metadata=None),
        get(PATH, "X-Forwarded-For: a"),
        get("/metadata/instance?api-version=2021-02-01"),
        get("/elsewhere"),
        request("PUT"),
        get(host="evil"),
        b"nonsense\r\n\r\n",
    ]

    def play(prepare: Callable[[World], object]) -> list[bytes]:
        with trying() as world:
            prepare(world)
            came = []
            for step in story:
                if isinstance(step, Document):
                    world.publish(step)
                else:
                    response = world.ask(step)
                    came.append(response.head + response.body)
            return came

    plain = play(lambda world: None)
    assert play(lambda world: world.do(lambda: world.book.log(on=True))) == plain
    assert play(lambda world: world.fault(FaultKind.STATUS, scope="beta")) == plain
    assert play(lambda world: world.fault(FaultKind.STATUS, skip=10_000)) == plain


def test_faults_and_requests_from_many_clients_at_once(world: World) -> None:
    world.do(lambda: world.book.log(on=True))
    world.fault(FaultKind.STATUS, requests=50)
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.append(spoilt(world, 20))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert "".join(seen).count("x") == 50
    assert [entry.number for entry in world.log()] == list(range(1, 101))


# It is bounded.


def test_there_may_be_so_many_faults_and_several_come_all_or_none(world: World) -> None:
    fault = Fault(id="", kind=FaultKind.STATUS, scope="beta", since=world.time)
    world.do(lambda: world.book.add([replace(fault, id=str(number)) for number in range(MOST_FAULTS - 1)]))
    with pytest.raises(TooMany):
        world.do(lambda: world.book.add([replace(fault, id="a"), replace(fault, id="b")]))
    assert len(world.book.faults) == MOST_FAULTS - 1
    world.do(lambda: world.book.add([replace(fault, id="a")]))
    assert world.ask(get()).status == 200


def test_the_log_keeps_the_newest_and_not_all_of_a_long_body(world: World) -> None:
    world.do(lambda: world.book.log(on=True))
    assert world.ask(post(b"\xff" * 60_000)).status == 400
    (long,) = world.log()
    assert long.body == "\N{REPLACEMENT CHARACTER}" * LONGEST_BODY
    with world.connect() as client:
        for _ in range(KEPT_REQUESTS // 200):
            client.send(get() * 200)
            for _ in range(200):
                client.receive()
    kept = world.log()
    assert (len(kept), kept[0].number, kept[-1].number) == (KEPT_REQUESTS, 2, KEPT_REQUESTS + 1)
    assert [seen.number for seen in world.do(lambda: list(world.book.requests(KEPT_REQUESTS)))] == [KEPT_REQUESTS + 1]


def test_a_request_is_logged_as_it_came(world: World) -> None:
    world.do(lambda: world.book.log(on=True))
    with world.connect() as client:
        for raw in (get(PATH, "User-Agent: \u00c3\u009cber", "X-A: B"), post(APPROVAL), get(metadata=None)):
            client.send(raw)
            client.receive()
    first, second, third = world.log()
    assert (first.method, first.target, first.machine, first.scope) == ("GET", PATH, "vm1", "alpha")
    assert first.fields == {"host": "127.0.0.1", "metadata": "true", "user-agent": "\xdcber", "x-a": "b"}
    assert (second.body, second.status, second.incarnation, second.newest) == (APPROVAL.decode(), 200, None, 2)
    assert (third.status, third.connection) == (400, first.connection)


def test_whoever_waits_for_a_request_is_told_and_at_the_end_that_there_is_none(world: World) -> None:
    heard: list[Seen | None] = []
    world.do(lambda: world.book.log(on=True))
    stop = world.do(lambda: world.book.on_request(heard.append))
    world.ask(get())
    assert [seen.number for seen in heard if seen] == [1, 1]  # it came, and was answered
    world.do(world.book.close)
    world.do(lambda: world.book.on_request(heard.append))
    assert heard[2:] == [None, None]
    world.do(stop)
    assert world.do(lambda: list(world.book.requests()))
