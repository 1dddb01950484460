"""Readiness and approval policies through the engine: whose scope, how late, at the same time, and after a restart."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.errors import Conflict, Forbidden, NotFound
from forewarn.domain.events import Actor, EventType, Phase
from forewarn.domain.history import What
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Store
from forewarn.store.sqlite import open_store
from tests.engine.desk import ALICE, NOON, Desk, Ids, Notebook, a_fleet, in_a_loop, minutes
from tests.engine.land import Land

ALL_NAMED = ApprovalPolicy(rule=Rule.ALL_NAMED)
HUMAN = ApprovalPolicy(rule=Rule.HUMAN)


def on_one_host(scope: str = "web", count: int = 3) -> list[Machine]:
    return [Machine(scope=scope, name=f"{scope}_{i}", host="h") for i in range(count)]


@in_a_loop
async def test_machines_that_are_ready_at_the_same_time_start_it_once() -> None:
    desk = await Desk.open(machines=on_one_host(count=20))
    operation = await desk.schedule(*(f"web_{i}" for i in range(20)))
    event = str(operation.event)
    await desk.engine.set_policy(["web"], ALL_NAMED, ALICE)
    told = await asyncio.gather(*(desk.engine.say_ready("web", event, f"web_{i}", True) for i in range(20)))
    assert [e.phase for e in told].count(Phase.STARTED) == 1
    assert await desk.phase(operation) is Phase.STARTED
    history = await desk.store.read(lambda r: r.history(subject=event))
    assert [entry.what for entry in history].count(What.STARTED) == 1
    assert (await desk.scope()).incarnation == 3


@in_a_loop
async def test_of_another_scope_s_event_nobody_hears_more_than_of_none() -> None:
    desk = await Desk.open(["db", "web"])
    event = str((await desk.schedule("web_0")).event)
    reasons = []
    for wanted in (event, "NOBODY"):
        for ask in (desk.engine.say_ready("db", wanted, "db_0", True), desk.engine.readiness("db", wanted)):
            with pytest.raises(NotFound) as refused:
                await ask
            reasons.append(str(refused.value).replace(wanted, "?"))
    assert len(set(reasons)) == 1
    with pytest.raises(Forbidden):
        await desk.engine.say_ready("web", event, "web_1", True)
    assert (await desk.engine.readiness("web", event)).readiness == ()


@in_a_loop
async def test_an_event_that_is_over_is_known_for_a_while() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    event = str(operation.event)
    await desk.engine.say_ready("web", event, "web_0", True)
    await desk.engine.approve_event(event, ALICE)
    await desk.worker.turn()
    desk.clock.step_to(NOON + minutes(10))
    assert (await desk.engine.say_ready("web", event, "web_0", True)).phase is Phase.COMPLETED
    assert (await desk.engine.readiness("web", event)).phase is Phase.COMPLETED
    with pytest.raises(Conflict, match="is Completed"):
        await desk.engine.say_ready("web", event, "web_0", False)
    desk.clock.step_to(NOON + minutes(10) + timedelta(microseconds=1))
    for ask in (desk.engine.say_ready("web", event, "web_0", True), desk.engine.readiness("web", event)):
        with pytest.raises(NotFound):
            await ask


@in_a_loop
async def test_readiness_is_told_in_the_history_but_not_in_the_document() -> None:
    desk = await Desk.open()
    event = str((await desk.schedule("web_0")).event)
    before = (await desk.scope()).document
    desk.feed.news.clear()
    await desk.engine.say_ready("web", event, "web_0", True)
    await desk.engine.say_ready("web", event, "web_0", True)
    assert desk.feed.documents() == [before]
    assert [entry.what for news in desk.feed.news for entry in news.entries] == [What.READY]


@in_a_loop
async def test_a_policy_is_chosen_in_all_the_scopes_or_in_none() -> None:
    desk = await Desk.open(["db", "web"])
    with pytest.raises(NotFound):
        await desk.engine.set_policy(["db", "nowhere"], HUMAN, ALICE)
    assert (await desk.scope("db")).approval is None
    await desk.engine.set_policy(["db", "web"], HUMAN, ALICE)
    assert {(await desk.scope(name)).approval for name in ("db", "web")} == {HUMAN}
    told = await desk.store.read(lambda r: r.history(scope="web"))
    assert (told[-1].what, told[-1].who, told[-1].after) == (What.POLICY, ALICE, "human")


@in_a_loop
async def test_whoever_has_the_right_to_acknowledge_speaks_for_all_but_no_machine_is_human() -> None:
    desk = await Desk.open(machines=on_one_host())
    operation = await desk.schedule("web_0", "web_1", "web_2")
    event = str(operation.event)
    await desk.engine.set_policy(["web"], HUMAN, ALICE)
    await desk.engine.acknowledge("web", [event], Actor.machine("db_0"))
    assert await desk.phase(operation) is Phase.SCHEDULED
    await desk.engine.set_policy(["web"], ALL_NAMED, ALICE)
    assert await desk.phase(operation) is Phase.STARTED


# Over a restart, and over a new declaration


def an_engine(store: Store) -> Engine:
    desk = Desk()
    return Engine(store=store, clock=desk.clock, feed=Notebook(), new_id=Ids(), settings=Settings())


@in_a_loop
async def test_readiness_and_policy_outlive_the_process(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    engine = an_engine(store)
    await engine.load_fleet(a_fleet(machines=on_one_host()), "first")
    targets = [("web", f"web_{i}") for i in range(3)]
    (operation,) = await engine.schedule(targets, Maintenance(impact=EventType.REBOOT), ALICE)
    event = str(operation.event)
    await engine.set_policy(["web"], ALL_NAMED, ALICE)
    for name in ("web_0", "web_2"):
        await engine.say_ready("web", event, name, True)
    await store.close()
    store = open_store(tmp_path)
    engine = an_engine(store)
    kept = await engine.readiness("web", event)
    assert [(said.machine, said.ready) for said in kept.readiness] == [("web_0", True), ("web_2", True)]
    assert (await engine.say_ready("web", event, "web_1", True)).phase is Phase.STARTED
    await store.close()


@in_a_loop
async def test_a_new_declaration_has_the_say_only_over_what_it_says() -> None:
    desk = await Desk.open()
    await desk.engine.set_policy(["web"], HUMAN, ALICE)
    await desk.engine.load_fleet(a_fleet(), "second")
    assert (await desk.scope()).approval == HUMAN, "it says nothing of it"
    declared = Scope(id="web", kind=ScopeKind.AVAILABILITY_SET, approval=ApprovalPolicy())
    await desk.engine.load_fleet(a_fleet([declared]), "third")
    assert (await desk.scope()).approval == ApprovalPolicy()
    told = await desk.store.read(lambda r: r.history(scope="web"))
    assert (told[-1].what, str(told[-1].who), told[-1].before) == (What.POLICY, "system:fleet", "human")


@in_a_loop
async def test_a_declaration_that_asks_for_less_lets_start_what_has_enough() -> None:
    desk = await Desk.open([Scope(id="web", kind=ScopeKind.AVAILABILITY_SET, approval=HUMAN)])
    operation = await desk.schedule("web_0")
    await desk.engine.say_ready("web", str(operation.event), "web_0", True)
    declared = Scope(id="web", kind=ScopeKind.AVAILABILITY_SET, approval=ALL_NAMED)
    await desk.engine.load_fleet(a_fleet([declared]), "second")
    assert await desk.phase(operation) is Phase.STARTED


@in_a_loop
async def test_a_placement_group_that_is_opened_later_has_the_policy_of_the_others() -> None:
    land = await Land.open()
    await land.scale_set("web", 3, single_group=False)
    await land.desk.engine.set_policy(["rg/web:0"], HUMAN, ALICE)
    await land.scale_set("web", 101, single_group=False)
    assert (await land.desk.scope("rg/web:1")).approval == HUMAN
