"""Taking over a declared fleet: all of it or none, and what has happened since stays."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign
from forewarn.domain.draft import Change
from forewarn.domain.errors import Conflict, Unavailable
from forewarn.domain.events import EventType, Phase
from forewarn.domain.fleet import Fleet
from forewarn.domain.history import Entry, What
from forewarn.domain.machines import Machine, Power
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.engine.engine import Engine
from forewarn.engine.loading import AT_A_TIME
from forewarn.engine.ports import Reader, Store, Transaction
from forewarn.store.memory import MemoryStore
from forewarn.store.sqlite import open_store
from tests.engine.desk import ALICE, NOON, CountingStore, Desk, Ids, a_fleet, in_a_loop, minutes


async def names(desk: Desk) -> list[str]:
    return [machine.name for machine in await desk.store.read(lambda r: r.list_machines())]


async def addresses(desk: Desk) -> dict[str, str]:
    return {machine.name: machine.address for machine in await desk.store.read(lambda r: r.list_machines())}


def without(fleet: Fleet, *gone: str) -> Fleet:
    return replace(fleet, machines=tuple(m for m in fleet.machines if m.name not in gone))


@in_a_loop
async def test_a_fleet_is_taken_over_once_for_each_fingerprint() -> None:
    desk = Desk()
    assert await desk.engine.load_fleet(a_fleet(), "first")
    published = len(desk.feed.news)
    assert not await desk.engine.load_fleet(a_fleet(machines=1), "first")
    assert await names(desk) == ["web_0", "web_1", "web_2"]
    assert all(not news.documents and not news.machines for news in desk.feed.news[published:])


@in_a_loop
async def test_it_is_published_whole() -> None:
    desk = Desk()
    await desk.engine.load_fleet(a_fleet(["a", "b"], 2), "first")
    (news,) = desk.feed.news
    assert [document.scope for document in news.documents] == ["a", "b"]
    assert [machine.name for machine in news.machines] == ["a_0", "a_1", "b_0", "b_1"]


@in_a_loop
async def test_what_has_happened_stays() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    await desk.engine.set_power(("web", "web_1"), Power.STOPPED, ALICE)
    before = await desk.scope()
    await desk.engine.load_fleet(a_fleet(machines=4), "second")
    after = await desk.scope()
    assert (after.epoch, after.incarnation, after.enrolled_at) == (before.epoch, before.incarnation, before.enrolled_at)
    assert await desk.phase(operation) is Phase.SCHEDULED
    powers = {m.name: m.power for m in await desk.store.read(lambda r: r.machines("web"))}
    assert powers["web_1"] is Power.STOPPED
    assert len(powers) == 4


@in_a_loop
async def test_what_is_declared_anew_is_taken_over() -> None:
    desk = await Desk.open()
    policy = EventsPolicy(approve_user_reboot=True)
    scope = Scope(id="web", kind=ScopeKind.AVAILABILITY_SET, policy=policy)
    await desk.engine.load_fleet(a_fleet([scope], settings=Settings(notice_freeze=minutes(1))), "second")
    assert (await desk.scope()).policy == policy
    assert desk.engine.settings.notice_freeze == minutes(1)


@in_a_loop
async def test_settings_survive_the_process() -> None:
    desk = await Desk.open(settings=Settings(notice_freeze=minutes(1)))
    desk.engine = desk.new_engine()
    await desk.engine.publish_all()
    assert desk.engine.settings.notice_freeze == minutes(1)


@in_a_loop
async def test_a_changed_setting_changes_what_is_due() -> None:
    desk = await Desk.open()
    await desk.engine.load_fleet(a_fleet(settings=Settings(disenrol_after=minutes(5))), "second")
    await desk.player.advance(minutes(5))
    assert not (await desk.scope()).is_enrolled


@in_a_loop
async def test_a_machine_that_is_no_longer_declared_leaves_with_its_events() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    await desk.engine.load_fleet(without(a_fleet(), "web_0"), "second")
    assert await names(desk) == ["web_1", "web_2"]
    assert await desk.phase(operation) is Phase.CANCELED
    assert desk.feed.news[-1].gone == (("web", "web_0"),)
    assert desk.feed.documents()[-1].announcements == ()
    removed = [e for e in await desk.store.read(lambda r: r.history()) if e.what is What.REMOVED]
    assert [(entry.subject, str(entry.who)) for entry in removed] == [("web_0", "system:fleet")]


@in_a_loop
async def test_a_scope_that_is_no_longer_declared_loses_its_machines_and_events() -> None:
    desk = await Desk.open(["db", "web"])
    operation = await desk.schedule("db_0")
    await desk.engine.load_fleet(a_fleet(["web"]), "second")
    assert await names(desk) == ["web_0", "web_1", "web_2"]
    assert await desk.phase(operation) is Phase.CANCELED


@in_a_loop
async def test_the_leaving_is_part_of_the_same_commit() -> None:
    desk = await Desk.open()
    await desk.schedule("web_0")
    runs = desk.store.runs
    await desk.engine.load_fleet(without(a_fleet(), "web_0", "web_1"), "second")
    assert desk.store.runs == runs + 1


class Torn(CountingStore):
    """Commits nothing more after the given number of works."""

    left = 1_000

    async def run(self, work, then=None):  # type: ignore[no-untyped-def]
        if self.left == 0:
            raise Unavailable("The power is out.")
        self.left -= 1
        return await super().run(work, then)


@pytest.mark.parametrize("commits", [0, 1])
@in_a_loop
async def test_a_process_that_dies_on_the_way_leaves_the_old_fleet_or_the_new_one(commits: int) -> None:
    store = Torn()
    desk = Desk(store)
    await desk.engine.load_fleet(a_fleet(), "first")
    store.left = commits
    new = without(a_fleet(machines=5), "web_0")
    with suppress(Unavailable):
        await desk.engine.load_fleet(new, "second")
    store.left = 1_000
    assert await names(desk) == (["web_0", "web_1", "web_2"] if commits == 0 else ["web_1", "web_2", "web_3", "web_4"])
    await desk.engine.load_fleet(new, "second")
    assert await names(desk) == ["web_1", "web_2", "web_3", "web_4"]


def everything(reader: Reader) -> list[object]:
    notes = [reader.note(key) for key in ("fleet", "settings", "next-address")]
    return [*notes, *reader.list_scopes(), *reader.list_machines(), *reader.list_resources(limit=10 * AT_A_TIME)]


class ShortOfIds(Ids):
    """Has no more ids to give after so many."""

    left = 5

    def __call__(self) -> str:
        if self.left == 0:
            raise Conflict("There are no ids left.")
        self.left -= 1
        return super().__call__()


@pytest.mark.parametrize(
    "opened",
    [pytest.param(lambda path: MemoryStore(), id="memory"), pytest.param(open_store, id="sqlite")],
)
@in_a_loop
async def test_a_fleet_that_fails_half_way_leaves_nothing_behind(
    opened: Callable[[Path], Store], tmp_path: Path
) -> None:
    store = await asyncio.to_thread(opened, tmp_path)
    desk, ids = Desk(), ShortOfIds()
    engine = Engine(store=store, clock=desk.clock, feed=desk.feed, new_id=ids, settings=Settings())
    await engine.load_fleet(a_fleet(), "first")
    before = await store.read(everything)
    with pytest.raises(Conflict, match="no ids left"):
        await engine.load_fleet(a_fleet(["db", "web"], AT_A_TIME + 1), "second")
    assert await store.read(everything) == before
    assert len(desk.feed.news) == 1
    ids.left = 10 * AT_A_TIME
    assert await engine.load_fleet(a_fleet(["db", "web"], AT_A_TIME + 1), "second")
    await store.close()


@in_a_loop
async def test_when_the_last_running_machine_leaves_nothing_waits_any_longer() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_1")
    for name in ("web_1", "web_2"):
        await desk.engine.set_power(("web", name), Power.STOPPED, ALICE)
    await desk.engine.load_fleet(without(a_fleet(), "web_0"), "second")
    assert await desk.phase(operation) is Phase.STARTED


@in_a_loop
async def test_a_machine_that_joins_a_scope_that_is_down_is_asked_again() -> None:
    desk = await Desk.open(machines=1)
    await desk.engine.set_power(("web", "web_0"), Power.STOPPED, ALICE)
    await desk.engine.load_fleet(a_fleet(machines=2), "second")
    operation = await desk.engine.request(("web", "web_0"), EventType.REBOOT, ALICE)
    assert await desk.phase(operation) is Phase.SCHEDULED


@in_a_loop
async def test_a_campaign_goes_on_over_a_new_declaration() -> None:
    desk = await Desk.open()
    await desk.engine.begin_campaign(
        Campaign(id="C", impact=EventType.FREEZE, scopes=("web",), requested_by=ALICE, requested_at=NOON)
    )
    await desk.player.settle()
    await desk.engine.load_fleet(without(a_fleet(machines=4), "web_0", "web_2"), "second")
    await desk.player.advance(timedelta(hours=3))
    every = await desk.store.read(lambda r: r.list_events(live=False))
    assert [(event.resources, event.phase) for event in sorted(every, key=lambda e: e.scheduled_at)] == [
        (("web_0",), Phase.CANCELED),
        (("web_1",), Phase.COMPLETED),
    ]


# Addresses


@in_a_loop
async def test_every_machine_gets_an_address_of_its_own_and_keeps_it() -> None:
    desk = Desk()
    await desk.engine.load_fleet(a_fleet(), "first")
    first = await addresses(desk)
    assert first == {"web_0": "127.0.0.1", "web_1": "127.0.0.2", "web_2": "127.0.0.3"}
    await desk.engine.load_fleet(without(a_fleet(machines=4), "web_0"), "second")
    assert await addresses(desk) == {"web_1": "127.0.0.2", "web_2": "127.0.0.3", "web_3": "127.0.0.4"}


def with_address(fleet: Fleet, name: str, address: str) -> Fleet:
    return replace(fleet, machines=tuple(replace(m, address=address) if m.name == name else m for m in fleet.machines))


@in_a_loop
async def test_an_address_somebody_declared_is_given_to_nobody_else() -> None:
    desk = Desk()
    await desk.engine.load_fleet(with_address(a_fleet(), "web_2", "127.0.0.2"), "first")
    given = await addresses(desk)
    assert given["web_2"] == "127.0.0.2"
    assert max(Counter(given.values()).values()) == 1


@in_a_loop
async def test_an_address_declared_later_is_taken_from_the_machine_that_had_it_by_chance() -> None:
    desk = Desk()
    await desk.engine.load_fleet(a_fleet(), "first")
    await desk.engine.load_fleet(with_address(a_fleet(), "web_2", "127.0.0.1"), "second")
    given = await addresses(desk)
    assert given["web_2"] == "127.0.0.1"
    assert max(Counter(given.values()).values()) == 1


@in_a_loop
async def test_a_machine_keeps_its_vm_id() -> None:
    desk = Desk()
    await desk.engine.load_fleet(a_fleet(), "first")

    async def ids() -> dict[str, str]:
        return {m.name: m.profile.vm_id for m in await desk.store.read(lambda r: r.list_machines())}

    first = await ids()
    assert all(first.values())
    await desk.engine.load_fleet(a_fleet(machines=4), "second")
    assert {name: i for name, i in (await ids()).items() if name in first} == first


@in_a_loop
async def test_a_machine_moved_to_another_scope_leaves_the_one_and_joins_the_other() -> None:
    desk = await Desk.open(["db", "web"], 1)
    moved = Machine(scope="web", name="db_0", update_domain=1)
    await desk.engine.load_fleet(a_fleet(["db", "web"], [moved]), "second")
    found = await desk.store.read(lambda r: r.list_machines())
    assert [(machine.scope, machine.name) for machine in found] == [("web", "db_0")]


# What stands for it


async def described(desk: Desk) -> dict[str, Resource]:
    return {resource.name: resource for resource in await desk.store.read(lambda r: r.list_resources())}


class Attentive(CountingStore):
    """Notes how many resources are written at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[int] = []

    async def run(self, work, then=None):  # type: ignore[no-untyped-def]
        return await super().run(lambda tx: work(Listening(tx, self.written)), then)


class Listening:
    def __init__(self, tx: Transaction, written: list[int]) -> None:
        self._tx = tx
        self._written = written

    def __getattr__(self, name: str) -> object:
        return getattr(self._tx, name)

    def save(self, change: Change) -> Sequence[Entry]:
        self._written.append(len(change.resources))
        return self._tx.save(change)


@in_a_loop
async def test_the_descriptions_of_a_large_fleet_are_never_all_in_memory() -> None:
    store = Attentive()
    await Desk(store).engine.load_fleet(a_fleet(machines=2 * AT_A_TIME), "first")
    assert sum(store.written) == 2 * AT_A_TIME + 2  # with the set and the resource group
    assert max(store.written) <= AT_A_TIME


@in_a_loop
async def test_a_description_counts_how_often_it_was_declared() -> None:
    desk = await Desk.open(machines=1)
    first = (await described(desk))["web_0"]
    desk.wall += minutes(1)
    await desk.engine.load_fleet(a_fleet(machines=2), "second")
    again = await described(desk)
    assert again["web_0"] == replace(first, version=2)
    assert (again["web_1"].version, again["web_1"].machine) == (1, "web_1")


@in_a_loop
async def test_the_description_of_a_machine_that_leaves_leaves_too() -> None:
    desk = await Desk.open(machines=2)
    await desk.engine.load_fleet(without(a_fleet(machines=2), "web_0"), "second")
    assert set(await described(desk)) == {"forewarn", "web", "web_1"}


@in_a_loop
async def test_a_machine_moved_to_another_scope_is_still_described() -> None:
    desk = await Desk.open(["db", "web"], 1)
    moved = Machine(scope="web", name="db_0", update_domain=1)
    await desk.engine.load_fleet(a_fleet(["db", "web"], [moved]), "second")
    assert (await described(desk))["db_0"].scope == "web"
