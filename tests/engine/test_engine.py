"""The commands: loaded, decided, saved whole, told to who watches."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeVar

import pytest

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.errors import Conflict, Invalid, NotFound, Refused
from forewarn.domain.events import Actor, EventType, Phase
from forewarn.domain.fleet import Fleet
from forewarn.domain.history import What, first_break
from forewarn.domain.machines import Machine, Power
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.engine.ports import Transaction
from tests.engine.desk import ALICE, NOON, CountingStore, Desk, idle, in_a_loop, minutes

T = TypeVar("T")
WEB_0 = Actor.machine("web_0")
GROUPS = [Scope(id=name, kind=ScopeKind.PLACEMENT_GROUP, scale_set="vmss") for name in ("a", "b")]


def deletable(*scopes: str) -> list[Machine]:
    return [Machine(scope=s, name=f"{s}_{i}", terminate_notice=minutes(5)) for s in scopes for i in range(2)]


def a_campaign(*scopes: str) -> Campaign:
    return Campaign(id="C", impact=EventType.FREEZE, scopes=scopes, requested_by=ALICE, requested_at=NOON)


# Publishing


@in_a_loop
async def test_every_change_is_published_after_its_commit_and_in_order() -> None:
    desk = await Desk.open()
    for name in ("web_0", "web_1", "web_2"):
        await desk.schedule(name)
    assert [document.incarnation for document in desk.feed.documents()] == [2, 3, 4]
    assert desk.feed.entries() == [2, 3, 4]
    assert desk.feed.documents()[-1] == (await desk.scope()).document


@in_a_loop
async def test_commands_at_the_same_time_are_published_in_the_order_of_their_commits() -> None:
    desk = await Desk.open(machines=10)
    await asyncio.gather(*(desk.schedule(f"web_{i}") for i in range(10)))
    assert [document.incarnation for document in desk.feed.documents()] == list(range(2, 12))
    assert desk.feed.entries() == list(range(2, 12))


@in_a_loop
async def test_what_a_refused_command_did_is_neither_saved_nor_told() -> None:
    desk = await Desk.open(["db", "web"])
    targets = [("db", "db_0"), ("web", "web_0"), ("web", "nobody")]
    before = (await desk.scope("db"), await desk.scope("web"))
    with pytest.raises(NotFound, match="There is no machine nobody in web"):
        await desk.engine.schedule(targets, Maintenance(impact=EventType.REBOOT), ALICE)
    assert (await desk.scope("db"), await desk.scope("web")) == before
    assert desk.feed.news == []


@in_a_loop
async def test_approval_that_starts_nothing_is_told_in_the_history_but_not_in_the_document() -> None:
    desk = await Desk.open(GROUPS, deletable("a", "b"))
    first = await desk.engine.request(("a", "a_0"), EventType.TERMINATE, ALICE)
    await desk.engine.request(("b", "b_0"), EventType.TERMINATE, ALICE)
    before = (await desk.scope("a")).document
    desk.feed.news.clear()
    assert await desk.engine.approve("a", [str(first.event)], WEB_0) == ()
    assert desk.feed.documents("a") == [before]
    assert [entry.what for news in desk.feed.news for entry in news.entries] == [What.APPROVED]


@in_a_loop
async def test_what_starts_in_another_scope_of_the_set_is_published_with_it() -> None:
    desk = await Desk.open(GROUPS, deletable("a", "b"))
    first = await desk.engine.request(("a", "a_0"), EventType.TERMINATE, ALICE)
    second = await desk.engine.request(("b", "b_0"), EventType.TERMINATE, ALICE)
    await desk.engine.approve("a", [str(first.event)], WEB_0)
    desk.feed.news.clear()
    await desk.engine.approve("b", [str(second.event)], WEB_0)
    (news,) = desk.feed.news
    assert [document.scope for document in news.documents] == ["a", "b"]
    assert {a.phase for document in news.documents for a in document.announcements} == {Phase.STARTED}


@in_a_loop
async def test_at_the_start_everything_is_told() -> None:
    desk = await Desk.open(["db", "web"], 2)
    await desk.schedule("db_1")
    desk.feed.news.clear()
    await desk.engine.publish_all()
    assert [len(desk.feed.documents(scope)) for scope in ("db", "web")] == [1, 1]
    assert [m.name for news in desk.feed.news for m in news.machines] == ["db_0", "db_1", "web_0", "web_1"]


@in_a_loop
async def test_a_caller_who_goes_away_does_not_keep_the_others_from_knowing() -> None:
    desk = await Desk.open()
    caller = asyncio.create_task(desk.schedule("web_0"))
    await asyncio.sleep(0)
    caller.cancel()
    await idle()
    stored = (await desk.scope()).document
    assert len(stored.announcements) == 1
    assert desk.feed.documents()[-1] == stored


# Idempotency keys


@in_a_loop
async def test_the_same_key_is_the_same_command_and_its_first_answer_comes_back() -> None:
    desk = await Desk.open()
    first = await desk.engine.request(("web", "web_0"), EventType.REBOOT, ALICE, key="k")
    again = await desk.engine.request(("web", "web_0"), EventType.REBOOT, ALICE, key="k")
    assert again == first
    assert len((await desk.scope()).events) == 1


@in_a_loop
async def test_also_when_it_has_ended_since_and_its_machine_is_gone() -> None:
    desk = await Desk.open(enrolled=False)
    first = await desk.engine.request(("web", "web_0"), EventType.TERMINATE, ALICE, key="k")
    await desk.player.settle()
    again = await desk.engine.request(("web", "web_0"), EventType.TERMINATE, ALICE, key="k")
    assert (again.id, again.state.value) == (first.id, "Succeeded")
    with pytest.raises(NotFound):
        await desk.engine.request(("web", "web_0"), EventType.TERMINATE, ALICE)


@in_a_loop
async def test_a_key_at_the_same_time_makes_one() -> None:
    desk = await Desk.open()
    targets = [("web", f"web_{i}") for i in range(3)]
    work = Maintenance(impact=EventType.FREEZE)
    made = await asyncio.gather(*(desk.engine.schedule(targets, work, ALICE, key="k") for _ in range(5)))
    assert all(operations == made[0] for operations in made)
    assert len((await desk.scope()).events) == 3


@in_a_loop
async def test_a_refused_command_leaves_its_key_unused() -> None:
    desk = await Desk.open()
    with pytest.raises(Invalid):
        await desk.engine.request(("web", "web_0"), EventType.FREEZE, ALICE, key="k")
    await desk.engine.request(("web", "web_0"), EventType.REBOOT, ALICE, key="k")


@in_a_loop
async def test_a_key_that_was_used_for_another_command_is_refused() -> None:
    desk = await Desk.open()
    targets = [("web", f"web_{i}") for i in range(3)]
    await desk.engine.schedule(targets, Maintenance(impact=EventType.FREEZE), ALICE, key="k")
    with pytest.raises(Conflict, match="another command"):
        await desk.engine.request(("web", "web_0"), EventType.REBOOT, ALICE, key="k")


# Approving and cancelling


@in_a_loop
async def test_a_recently_finished_event_is_still_known_to_its_scope_and_to_no_other() -> None:
    desk = await Desk.open(["db", "web"])
    operation = await desk.start("web_0")
    await desk.worker.turn()
    event = str(operation.event)
    assert await desk.engine.approve("web", [event], WEB_0) == ()
    assert await desk.engine.approve("db", [event], WEB_0) == (event,)
    desk.clock.step_to(NOON + minutes(10))
    assert await desk.engine.approve("web", [event], WEB_0) == ()
    desk.clock.step_to(NOON + minutes(10) + timedelta(microseconds=1))
    assert await desk.engine.approve("web", [event], WEB_0) == (event,)


@in_a_loop
async def test_unknown_ids_come_back_and_the_others_take_effect() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    assert await desk.engine.approve("web", ["X", str(operation.event), "Y"], WEB_0) == ("X", "Y")
    assert await desk.phase(operation) is Phase.STARTED


@in_a_loop
async def test_an_event_is_found_in_any_letter_case() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    assert (await desk.engine.event(str(operation.event).lower())).id == operation.event


@pytest.mark.parametrize("verb", ["approve_event", "cancel_event"])
@in_a_loop
async def test_what_is_over_can_be_neither_approved_nor_cancelled(verb: str) -> None:
    desk = await Desk.open()
    operation = await desk.start("web_0")
    await desk.worker.turn()
    with pytest.raises(Conflict, match="Completed: there is nothing left"):
        await getattr(desk.engine, verb)(str(operation.event), ALICE)


@pytest.mark.parametrize("verb", ["approve_event", "cancel_event"])
@in_a_loop
async def test_an_event_nobody_knows_is_not_found(verb: str) -> None:
    desk = await Desk.open()
    with pytest.raises(NotFound, match="There is no event nothing"):
        await getattr(desk.engine, verb)("nothing", ALICE)


@in_a_loop
async def test_cancel_and_not_before_at_the_same_instant_end_in_one_or_the_other() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    desk.clock.step_to(NOON + minutes(15))
    cancel = desk.engine.cancel_event(str(operation.event), ALICE)
    results = await asyncio.gather(desk.ticker.turn(), cancel, return_exceptions=True)
    phase = await desk.phase(operation)
    if isinstance(results[1], Refused):
        assert phase is Phase.STARTED
    else:
        assert phase is Phase.CANCELED
    assert [entry.seq for entry in await desk.store.read(lambda r: r.history())] == [1, 2, 3]


# Enrolment


@in_a_loop
async def test_the_first_answer_may_take_its_time() -> None:
    desk = await Desk.open(settings=Settings(first_answer_delay=minutes(2)), enrolled=False)
    asking = asyncio.create_task(desk.engine.enrol("web", WEB_0))
    await idle()
    assert (await desk.scope()).is_enrolled
    desk.clock.step_to(NOON + minutes(1))
    await idle()
    assert not asking.done()
    desk.clock.step_to(NOON + minutes(2))
    await asking


@in_a_loop
async def test_marks_of_who_asked_are_saved_in_one_batch_and_change_nothing_visible() -> None:
    desk = await Desk.open(["db", "web"])
    before, runs = await desk.scope(), desk.store.runs
    await desk.engine.mark_seen({"web": NOON + minutes(1), "db": NOON + minutes(2), "nobody": NOON})
    assert desk.store.runs == runs + 1
    assert desk.feed.news == []
    assert (await desk.scope()).document == before.document
    assert (await desk.scope("db")).last_seen == NOON + minutes(2)


@in_a_loop
async def test_a_mark_does_not_move_the_next_moment_of_an_event() -> None:
    desk = await Desk.open()
    operation = await desk.schedule("web_0")
    await desk.engine.mark_seen({"web": NOON + minutes(1)})
    assert await desk.ticker.next_moment() == NOON + minutes(15)
    await desk.player.advance(minutes(15))
    assert await desk.phase(operation) is Phase.COMPLETED


# Power


@in_a_loop
async def test_with_the_last_machine_down_nothing_waits() -> None:
    desk = await Desk.open(machines=2)
    operation = await desk.schedule("web_0")
    await desk.engine.set_power(("web", "web_0"), Power.DEALLOCATED, ALICE)
    assert await desk.phase(operation) is Phase.SCHEDULED
    await desk.engine.set_power(("web", "web_1"), Power.STOPPED, ALICE)
    assert await desk.phase(operation) is Phase.STARTED


@in_a_loop
async def test_power_that_stays_the_same_is_no_news() -> None:
    desk = await Desk.open()
    await desk.engine.set_power(("web", "web_0"), Power.RUNNING, ALICE)
    assert all(not (n.documents or n.machines or n.entries) for n in desk.feed.news)


# Campaigns


@in_a_loop
async def test_a_campaign_begins_everywhere_or_nowhere() -> None:
    desk = await Desk.open(["db", "web"])
    with pytest.raises(NotFound, match="There is no scope nowhere"):
        await desk.engine.begin_campaign(a_campaign("web", "nowhere"))
    assert (await desk.scope()).walk is None
    assert await desk.store.read(lambda r: r.campaign("C")) is None


@in_a_loop
async def test_a_campaign_over_several_scopes_walks_each_on_its_own() -> None:
    desk = await Desk.open(["db", "web"])
    await desk.engine.begin_campaign(a_campaign("web", "db"))
    await desk.player.settle()
    db, web = (await desk.scope("db")).events[0], (await desk.scope("web")).events[0]
    await desk.engine.approve("web", [web.id], WEB_0)
    await desk.player.settle()
    await desk.player.advance(minutes(10))
    assert [(await desk.scope(name)).walk.current for name in ("db", "web")] == [0, None]  # type: ignore[union-attr]
    assert (await desk.engine.event(db.id)).phase is Phase.SCHEDULED


@in_a_loop
async def test_cancelled_in_one_commit_everywhere() -> None:
    desk = await Desk.open(["db", "web"])
    await desk.engine.begin_campaign(a_campaign("db", "web"))
    await desk.player.settle()
    runs = desk.store.runs
    await desk.engine.steer_campaign("C", CampaignState.CANCELED, ALICE)
    assert desk.store.runs == runs + 1
    for name in ("db", "web"):
        assert (await desk.scope(name)).walk is None
        assert (await desk.scope(name)).events == ()


@in_a_loop
async def test_paused_and_resumed() -> None:
    desk = await Desk.open()
    await desk.engine.begin_campaign(a_campaign("web"))
    assert (await desk.engine.steer_campaign("C", CampaignState.PAUSED, ALICE)).state is CampaignState.PAUSED
    await desk.player.advance(timedelta(hours=2))
    assert (await desk.scope()).events == ()
    await desk.engine.steer_campaign("C", CampaignState.RUNNING, ALICE)
    await desk.player.settle()
    assert len((await desk.scope()).events) == 1


@in_a_loop
async def test_what_was_cancelled_is_not_resumed_and_what_never_was_is_not_found() -> None:
    desk = await Desk.open()
    await desk.engine.begin_campaign(a_campaign("web"))
    await desk.engine.steer_campaign("C", CampaignState.CANCELED, ALICE)
    with pytest.raises(Conflict, match="begin a new one"):
        await desk.engine.steer_campaign("C", CampaignState.RUNNING, ALICE)
    with pytest.raises(NotFound, match="There is no campaign D"):
        await desk.engine.steer_campaign("D", CampaignState.PAUSED, ALICE)


@in_a_loop
async def test_a_campaign_that_has_ended_can_still_be_told_to_pause_without_harm() -> None:
    desk = await Desk.open(machines=1)
    await desk.engine.begin_campaign(a_campaign("web"))
    await desk.player.advance(timedelta(hours=1))
    await desk.engine.steer_campaign("C", CampaignState.PAUSED, ALICE)
    assert (await desk.scope()).walk is None


# The frame


class LockWatcher(CountingStore):
    """Remembers what the last work locked, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.locked: list[str] = []

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        self.locked = []
        return await super().run(self._watched(work), then)

    def _watched(self, work: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
        def watched(tx: Transaction) -> T:
            lock = tx.lock

            def noted(scope: str) -> Sequence[Scope]:
                self.locked.append(scope)
                return lock(scope)

            tx.lock = noted  # type: ignore[method-assign]
            try:
                return work(tx)
            finally:
                del tx.lock

        return watched


@in_a_loop
async def test_a_mark_is_written_only_under_the_lock_of_its_scope() -> None:
    """Or the `due` it writes could push an event's moment away that was committed in between."""
    store = LockWatcher()
    desk = Desk(store)
    scopes = (Scope(id="web", kind=ScopeKind.STANDALONE),)
    await desk.engine.load_fleet(Fleet(scopes=scopes, machines=(Machine(scope="web", name="web_0"),)), "first")
    await desk.engine.enrol("web", WEB_0)
    await desk.engine.mark_seen({"web": NOON + minutes(1)})
    assert store.locked == ["web"]


@in_a_loop
async def test_scopes_are_locked_in_the_order_of_their_ids_whatever_the_caller_says() -> None:
    store = LockWatcher()
    desk = Desk(store)
    scopes = tuple(Scope(id=name, kind=ScopeKind.STANDALONE) for name in ("c", "a", "b"))
    machines = tuple(Machine(scope=scope.id, name=f"{scope.id}_0") for scope in scopes)
    await desk.engine.load_fleet(Fleet(scopes=scopes, machines=machines), "first")
    await desk.engine.begin_campaign(a_campaign("c", "b", "a"))
    assert store.locked == ["a", "b", "c"]


@in_a_loop
async def test_the_history_of_every_scope_is_a_chain_without_gaps() -> None:
    desk = await Desk.open(["db", "web"])
    for name in ("web_0", "db_0", "web_1"):
        await desk.start(name)
    await desk.player.advance(timedelta(hours=30))
    entries = await desk.store.read(lambda r: r.history())
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    for scope in ("db", "web"):
        assert first_break([entry for entry in entries if entry.scope == scope]) is None
