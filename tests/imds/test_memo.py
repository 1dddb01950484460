"""The memo changes how fast an answer comes, never which: the same bytes, cut alike, with it and without it."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.domain.events import Document
from forewarn.domain.faults import Fault, FaultKind
from forewarn.domain.machines import Machine
from forewarn.imds import Fleet, Limits, Playbook, Server, TrialServer
from forewarn.imds.doors import Doors
from forewarn.imds.service import Read
from forewarn.imds.slots import FORMS, Guest, Slot
from tests.imds.tape import LISTENER, Line, Tape
from tests.imds.test_approvals import APPROVAL
from tests.imds.test_tokens import TOKEN
from tests.imds.world import NOW, PATH, SEED, Backend, Identities, announcement, document, get, machine, post, request

Event = bytes | Document | Machine | tuple[str, str]
"""Bytes from the client, or something published: a document, a machine, or a machine's leaving."""

REQUESTS = [
    get(),
    get(host="vm2.localhost"),
    get(host="localhost"),
    get(host="127.0.0.2"),
    get(PATH, "If-None-Match: 2"),
    get(PATH, 'If-None-Match: W/"3", "4"'),
    get(PATH + "&wait=5", "If-None-Match: 2"),
    get(PATH, "Connection: close"),
    get(PATH, "Connection: keep-alive", version="1.0"),
    get(PATH, "X-Forwarded-For: a"),
    get(metadata="TRUE"),
    get(metadata=None),
    get("/metadata/scheduledevents?api-version=2017-03-01"),
    get("/metadata/latest/scheduledevents"),
    get("/metadata/instance/compute/name?api-version=2021-02-01&format=text"),
    get(PATH, "Content-Length: 3") + b"abc",
    get(TOKEN),
    get(TOKEN, host="vm2.localhost"),
    request("HEAD"),
    post(APPROVAL),
]


class Clock:
    def now(self) -> datetime:
        return NOW


async def play(
    events: Sequence[Event], limits: Limits, prepare: Callable[[Playbook], object] | None = None
) -> tuple[bytes, bool]:
    fleet = Fleet()
    machines = [machine("vm1", "alpha", "127.0.0.1"), machine("vm2", "beta", "127.0.0.2")]
    fleet.publish(machines=machines, documents=[document("alpha", 2, announcement()), document("beta", 2)])
    server = (Server if prepare is None else TrialServer)(
        fleet=fleet,
        backend=Backend(fleet),
        identities=Identities(),
        clock=Clock(),
        seed=SEED,
        limits=limits,
        monotonic=lambda: 0.0,
    )
    if prepare is not None and isinstance(server, TrialServer):
        prepare(Playbook(fleet, server, now=Clock().now, monotonic=lambda: 0.0))
    line = Line(server)
    for event in events:
        match event:
            case bytes():
                if not line.tape.ended:
                    await line.send(event)
            case Document():
                fleet.publish(documents=[event])
            case Machine():
                fleet.publish(machines=[event])
            case scope, name:
                fleet.publish(gone=[(scope, name)])
        await asyncio.sleep(0)
    line.hang_up()
    return line.tape.comparable, line.tape.ended


def mutate(raw: bytes, place: int, byte: int, how: int) -> bytes:
    place %= len(raw)
    kept = raw[place + 1 :] if how else raw[place:]
    return raw[:place] + bytes([byte]) + kept


def cut(raw: bytes, place: int) -> list[bytes]:
    place %= len(raw)
    return [piece for piece in (raw[:place], raw[place:]) if piece]


usual = st.sampled_from(REQUESTS)
mutated = st.builds(mutate, usual, st.integers(0, 200), st.integers(0, 255), st.integers(0, 1))
sent = st.one_of(
    usual.map(lambda raw: [raw]),
    usual.map(lambda raw: [raw, raw]),
    mutated.map(lambda raw: [raw]),
    st.builds(cut, usual, st.integers(0, 200)),
    st.builds(lambda one, other: [one + other], usual, usual),
)
published = st.one_of(
    st.builds(document, st.sampled_from(["alpha", "beta"]), st.integers(1, 5)),
    st.sampled_from(
        [machine("vm1", "alpha", "127.0.0.1"), machine("vm1", "alpha"), machine("vm3", "beta", "127.0.0.1")]
    ),
    st.sampled_from([("alpha", "vm1"), ("beta", "vm2")]),
)
stories: st.SearchStrategy[list[Event]] = st.lists(
    st.one_of(sent, sent, sent, published.map(lambda event: [event])), min_size=1, max_size=15
).map(lambda groups: [event for group in groups for event in group])


@settings(max_examples=300, deadline=None)
@given(stories)
def test_with_and_without_the_memo_the_answers_are_the_same(events: list[Event]) -> None:
    assert asyncio.run(play(events, Limits())) == asyncio.run(play(events, Limits(memo_requests=0)))


@settings(max_examples=300, deadline=None)
@given(stories)
def test_a_memo_of_one_is_right_too(events: list[Event]) -> None:
    assert asyncio.run(play(events, Limits(memo_requests=1))) == asyncio.run(play(events, Limits(memo_requests=0)))


@settings(max_examples=100, deadline=None)
@given(stories)
def test_with_somebody_looking_on_the_answers_are_the_same(events: list[Event]) -> None:
    """The log is kept, and a fault is set that never strikes."""
    never = Fault(id="1", kind=FaultKind.STATUS, scope="alpha", since=NOW, skip=1000)

    def look_on(book: Playbook) -> None:
        book.log(on=True)
        book.add([never])

    assert asyncio.run(play(events, Limits(), look_on)) == asyncio.run(play(events, Limits()))


kinds = st.sampled_from([kind for kind in FaultKind if kind is not FaultKind.DELAY])
faults = st.builds(
    lambda kind, number, chance, skip: Fault(
        id=str(number),
        kind=kind,
        scope="alpha",
        since=NOW,
        by=timedelta(minutes=2),
        probability=chance,
        skip=skip,
        status=404,
    ),
    kinds,
    st.integers(0, 5),
    st.sampled_from([0.3, 1.0]),
    st.integers(0, 2),
)


@settings(max_examples=100, deadline=None)
@given(stories, st.lists(faults, min_size=1, max_size=4))
def test_whatever_is_made_to_go_wrong_nothing_else_does(events: list[Event], struck: list[Fault]) -> None:
    """Nothing is raised, and nothing is written after the end."""
    asyncio.run(play(events, Limits(), lambda book: book.add(struck)))


PLAN = Read(Guest(machine(), Slot("alpha")), FORMS["2020-07-01", True, True], None, 0)


def remembered(*raw: bytes, limits: Limits | None = None) -> set[bytes]:
    async def ask() -> set[bytes]:
        fleet = Fleet()
        fleet.publish(machines=[machine()], documents=[document("alpha", 2)])
        backend, identities = Backend(fleet), Identities()
        line = Line(
            Server(fleet=fleet, backend=backend, identities=identities, clock=Clock(), seed=SEED, limits=limits)
        )
        for each in raw:
            await line.send(each)
        return line.remembered

    return asyncio.run(ask())


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(get(), id="usual"),
        pytest.param(get(PATH, "If-None-Match: 2"), id="with a condition"),
        pytest.param(get(PATH + "&wait=5", "If-None-Match: 1"), id="with a wait"),
        pytest.param(get("/metadata/latest/scheduledevents"), id="version in the path"),
    ],
)
def test_exact_complete_gets_of_documents_are_remembered(raw: bytes) -> None:
    assert remembered(raw, raw) == {raw}


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param([get(metadata=None)], id="refused"),
        pytest.param([get(host="evil")], id="refused for its host"),
        pytest.param([get("/metadata/versions")], id="no document"),
        pytest.param([post(APPROVAL)], id="an approval"),
        pytest.param([get(TOKEN)], id="a token"),
        pytest.param([request("HEAD")], id="HEAD"),
        pytest.param([get(PATH, "Content-Length: 3") + b"abc"], id="with a body"),
        pytest.param([get() + get()], id="two at once"),
        pytest.param([get() + b"G"], id="one and a piece"),
        pytest.param([get(PATH, "X: " + "x" * 512)], id="long"),
    ],
)
def test_nothing_else_is(raw: list[bytes]) -> None:
    assert remembered(*raw) == set()


def test_the_memo_is_bounded() -> None:
    many = [get(PATH, f"X: {number}") for number in range(100)]
    assert 0 < len(remembered(*many, limits=Limits(memo_requests=7))) <= 7


def test_nothing_is_remembered_where_requests_are_counted() -> None:
    assert remembered(get(), limits=Limits(rate=100)) == set()


def test_the_memo_of_all_machines_is_bounded() -> None:
    doors = Doors(Limits(memo_total=5))
    known = [doors.enter(LISTENER, Tape(f"127.0.0.{number}")) for number in range(1, 100)]
    for door in known:
        assert door is not None
        doors.remember(door, get(), PLAN)
    assert 0 < sum(len(door.memo) for door in known if door) <= 5


def test_doors_nobody_uses_are_forgotten_in_time() -> None:
    doors = Doors(Limits(memo_doors=3))
    used = doors.enter(LISTENER, Tape("127.0.0.1"))
    for number in range(2, 200):
        door = doors.enter(LISTENER, Tape(f"127.0.0.{number}"))
        assert door is not None
        doors.leave(door)
    assert doors.enter(LISTENER, Tape("127.0.0.1")) is used
    assert len(doors) <= 4


def test_a_door_to_another_address_stays_shut() -> None:
    assert Doors(Limits()).enter(LISTENER, Tape("10.0.0.1")) is None
