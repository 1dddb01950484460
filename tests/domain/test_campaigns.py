"""Maintenance rolled over a scope: one update domain after another, with time to recover in between."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import EventType, Phase
from forewarn.domain.history import What
from forewarn.domain.machines import Power
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.settings import Settings
from tests.domain.world import ALICE, NOON, World, machines, minutes, scope

RUNNING, PAUSED, CANCELED = CampaignState.RUNNING, CampaignState.PAUSED, CampaignState.CANCELED
LONG = timedelta(hours=5)


def campaign(name: str = "c1", impact: EventType = EventType.FREEZE, pause: timedelta | None = None) -> Campaign:
    return Campaign(id=name, impact=impact, scopes=("web",), requested_by=ALICE, requested_at=NOON, pause=pause)


def rollout(count: int = 3, domains: int = 3, settings: Settings | None = None, begun: bool = True) -> World:
    world = World([scope()], machines(count=count, domains=domains), settings)
    if begun:
        world.begin(campaign())
        world.tick_all()
    return world


def down(world: World) -> list[int]:
    """The update domains with a live event."""
    return sorted({world.machines[name].update_domain for event in world.live() for name in event.resources})


def finish(world: World) -> None:
    """What is announced starts and is performed."""
    world.approve("web", *(event.id for event in world.live()))
    for event in world.live():
        world.done(event.operation)


def visited(world: World) -> list[str]:
    """The machines in the order in which their events came."""
    return [name for event in world.events.values() for name in event.resources]


def told(world: World) -> list[str]:
    return [entry.after for entry in world.entries if entry.what is What.CAMPAIGN]


def play(world: World, length: timedelta = LONG) -> None:
    """Time passes, and whatever starts is performed at once."""
    end = world.now + length
    while world.now < end:
        world.advance(minutes(1))
        for event in world.live():
            if event.phase is Phase.STARTED:
                world.done(event.operation)


def test_the_first_update_domain_is_announced_at_once() -> None:
    world = rollout()
    (event,) = world.live()
    assert (event.resources, event.campaign, event.not_before) == (("web_0",), "c1", NOON + minutes(15))


def test_the_next_one_follows_when_the_first_is_over_and_the_scope_has_recovered() -> None:
    world = rollout()
    finish(world)
    world.advance(minutes(30) - timedelta(microseconds=1))
    assert world.live() == []
    world.advance(timedelta(microseconds=1))
    assert down(world) == [1]


def test_all_update_domains_are_visited_in_order_and_each_once() -> None:
    world = rollout(count=6, domains=3)
    play(world)
    assert visited(world) == ["web_0", "web_3", "web_1", "web_4", "web_2", "web_5"]
    assert {event.phase for event in world.events.values()} == {Phase.COMPLETED}
    assert told(world) == ["begun", "update domain 0", "update domain 1", "update domain 2", "completed"]
    assert world.scopes["web"].walk is None


def test_it_is_over_when_the_last_update_domain_is_without_another_pause() -> None:
    world = rollout(domains=1)
    finish(world)
    world.tick_all()
    assert world.scopes["web"].walk is None


def test_the_recovery_pause_begins_when_the_last_event_of_the_update_domain_ends() -> None:
    world = rollout(count=4, domains=2)
    first, second = world.live()
    world.approve("web", first.id, second.id)
    world.done(first.operation)
    world.advance(minutes(20))
    world.done(second.operation)
    world.advance(minutes(29))
    assert world.live() == []
    world.advance(minutes(1))
    assert down(world) == [1]


def test_a_campaign_may_bring_its_own_pause() -> None:
    world = rollout(begun=False)
    world.begin(campaign(pause=minutes(0)))
    world.tick_all()
    finish(world)
    world.tick_all()
    assert down(world) == [1]


@pytest.mark.parametrize("pause", [minutes(-1), timedelta.max])
def test_but_not_one_that_makes_no_sense(pause: timedelta) -> None:
    with pytest.raises(Invalid, match="pause"):
        rollout(begun=False).begin(campaign(pause=pause))


@pytest.mark.parametrize("impact", [EventType.PREEMPT, EventType.TERMINATE])
def test_nobody_rolls_out_the_end_of_machines(impact: EventType) -> None:
    with pytest.raises(Invalid, match="Freeze, Reboot or Redeploy"):
        rollout(begun=False).begin(campaign(impact=impact))


def test_too_little_notice_is_refused_before_anything_begins() -> None:
    world = rollout(begun=False)
    with pytest.raises(Invalid, match="at least"):
        world.begin(replace(campaign(), notice=minutes(1)))
    assert world.scopes["web"].walk is None


def test_a_second_campaign_in_the_scope_is_refused_until_the_first_has_ended() -> None:
    world = rollout(domains=1)
    with pytest.raises(Conflict, match="Campaign c1 is still under way in web"):
        world.begin(campaign("c2"))
    finish(world)
    world.tick_all()
    world.begin(campaign("c2"))


def test_an_empty_scope_is_done_at_once() -> None:
    world = World([scope()], [])
    world.begin(campaign())
    world.tick_all()
    assert told(world) == ["begun", "completed"]


def test_other_events_of_the_scope_neither_stop_it_nor_move_it() -> None:
    world = rollout()
    world.schedule(["web_1"], Maintenance(impact=EventType.REBOOT, notice=minutes(16)))
    world.advance(minutes(16))
    assert [event.phase for event in world.live()] == [Phase.STARTED, Phase.STARTED]
    assert {event.campaign for event in world.live()} == {"c1", None}


def test_an_event_that_somebody_calls_off_counts_as_over() -> None:
    world = rollout()
    (event,) = world.live()
    world.cancel(event.id)
    world.advance(minutes(30))
    assert down(world) == [1]


# Machines come and go


def test_a_machine_that_joins_an_update_domain_to_come_takes_part() -> None:
    world = rollout(count=2, domains=2)
    world.machines["web_9"] = replace(world.machines["web_1"], name="web_9", host="later")
    play(world)
    assert visited(world) == ["web_0", "web_1", "web_9"]


def test_an_update_domain_without_machines_is_skipped_without_a_pause() -> None:
    world = rollout(count=3, domains=3)
    world.remove("web_1")
    finish(world)
    world.advance(minutes(30))
    assert down(world) == [2]


def test_when_the_machine_of_the_current_update_domain_leaves_the_walk_goes_on() -> None:
    world = rollout()
    world.remove("web_0")
    world.advance(minutes(30))
    assert down(world) == [1]


def test_when_they_all_leave_the_walk_ends() -> None:
    world = rollout()
    for name in list(world.machines):
        world.remove(name)
    world.advance(minutes(30))
    assert (world.live(), world.scopes["web"].walk) == ([], None)


def test_a_setting_that_asks_for_more_notice_than_the_campaign_gives_does_not_stop_it() -> None:
    world = rollout(begun=False)
    world.begin(replace(campaign(), notice=minutes(20)))
    world.settings = Settings(notice_freeze=minutes(60))
    world.tick_all()
    (event,) = world.live()
    assert event.not_before == NOON + minutes(60)


# Pause, resume and cancel, at every moment of a walk


def before_the_first_tick(world: World) -> None:
    world.begin(campaign())


def while_announced(world: World) -> None:
    before_the_first_tick(world)
    world.tick_all()


def while_started(world: World) -> None:
    while_announced(world)
    world.approve("web", *(event.id for event in world.live()))


def while_half_of_it_is_over(world: World) -> None:
    while_started(world)
    world.done(world.live()[0].operation)


def in_the_recovery_pause(world: World) -> None:
    while_announced(world)
    finish(world)
    world.advance(minutes(10))


def when_the_recovery_pause_is_just_over(world: World) -> None:
    while_announced(world)
    finish(world)
    world.now += minutes(30)  # and nobody has ticked yet


def in_the_last_update_domain(world: World) -> None:
    when_the_recovery_pause_is_just_over(world)
    world.tick_all()


MOMENTS = pytest.mark.parametrize(
    "until",
    [
        before_the_first_tick,
        while_announced,
        while_started,
        while_half_of_it_is_over,
        in_the_recovery_pause,
        when_the_recovery_pause_is_just_over,
        in_the_last_update_domain,
    ],
    ids=lambda moment: moment.__name__.replace("_", "-"),
)


@MOMENTS
def test_paused_nothing_new_is_announced_and_what_is_announced_goes_on(until: Callable[[World], None]) -> None:
    world = rollout(count=4, domains=2, begun=False)
    until(world)
    announced = set(world.events)
    world.steer("c1", PAUSED)
    play(world)
    assert set(world.events) == announced
    assert world.live() == []


@MOMENTS
def test_resumed_it_ends_as_if_it_had_never_been_paused(until: Callable[[World], None]) -> None:
    world = rollout(count=4, domains=2, begun=False)
    until(world)
    world.steer("c1", PAUSED)
    play(world)
    world.steer("c1", RUNNING)
    play(world)
    assert visited(world) == ["web_0", "web_2", "web_1", "web_3"]
    assert world.scopes["web"].walk is None


@MOMENTS
@pytest.mark.parametrize("disturbed", [False, True], ids=["in-peace", "with-another-event-meanwhile"])
def test_a_short_pause_does_not_shorten_the_recovery(until: Callable[[World], None], disturbed: bool) -> None:
    world = rollout(count=4, domains=2, begun=False)
    until(world)
    world.steer("c1", PAUSED)
    if disturbed:
        world.schedule(["web_0"], Maintenance(impact=EventType.REBOOT, at_once=True))
        world.tick("web")
    world.advance(minutes(1))
    world.steer("c1", RUNNING)
    play(world)
    ours = [event for event in world.events.values() if event.campaign]
    ends = max(event.ended_at for event in ours if "web_0" in event.resources or "web_2" in event.resources)  # type: ignore[type-var]
    starts = min(event.scheduled_at for event in ours if "web_1" in event.resources or "web_3" in event.resources)
    assert ends is not None
    assert starts - ends >= minutes(30)


@MOMENTS
def test_canceled_what_is_announced_is_called_off_and_what_has_started_ends_by_itself(
    until: Callable[[World], None],
) -> None:
    world = rollout(count=4, domains=2, begun=False)
    until(world)
    live = {event.id: event.phase for event in world.live()}
    announced = set(world.events)
    world.steer("c1", CANCELED)
    assert {event.id for event in world.live()} == {e for e, phase in live.items() if phase is Phase.STARTED}
    play(world)
    assert set(world.events) == announced
    assert world.scopes["web"].walk is None
    ends = {Phase.SCHEDULED: Phase.CANCELED, Phase.STARTED: Phase.COMPLETED}
    assert {e: world.events[e].phase for e in live} == {e: ends[phase] for e, phase in live.items()}


@MOMENTS
def test_canceled_while_paused(until: Callable[[World], None]) -> None:
    world = rollout(count=4, domains=2, begun=False)
    until(world)
    world.steer("c1", PAUSED)
    play(world)
    world.steer("c1", CANCELED)
    play(world)
    assert (world.live(), world.scopes["web"].walk) == ([], None)


def test_the_next_campaign_waits_for_what_the_cancelled_one_has_started() -> None:
    world = rollout()
    world.approve("web", *(event.id for event in world.live()))
    world.steer("c1", CANCELED)
    with pytest.raises(Conflict, match="c1"):
        world.begin(campaign("c2"))
    world.done(world.live()[0].operation)
    world.tick_all()
    world.begin(campaign("c2"))


def test_a_driver_that_fails_after_the_cancel_does_not_keep_the_walk() -> None:
    world = rollout()
    world.approve("web", *(event.id for event in world.live()))
    world.steer("c1", CANCELED)
    world.fail(world.live()[0].operation)
    world.tick_all()
    assert world.scopes["web"].walk is None


def test_who_steered_it_is_in_the_history() -> None:
    world = rollout()
    for wish in (PAUSED, RUNNING, CANCELED):
        world.steer("c1", wish)
    mine = [entry.after for entry in world.entries if entry.what is What.CAMPAIGN and entry.who == ALICE]
    assert mine == ["begun", "asked to pause", "asked to resume", "asked to cancel", "canceled"]


def test_a_paused_walk_says_so_once() -> None:
    world = rollout()
    world.steer("c1", PAUSED)
    finish(world)
    world.advance(minutes(31))
    for _ in range(3):
        world.tick("web")
    assert told(world).count("paused") == 1


# Failures


def test_a_driver_that_gives_up_halts_the_walk_until_somebody_resumes_it() -> None:
    world = rollout()
    world.approve("web", *(event.id for event in world.live()))
    world.fail(world.live()[0].operation)
    play(world)
    assert visited(world) == ["web_0"]
    assert "halted: a driver failed" in told(world)
    world.steer("c1", RUNNING)
    play(world)
    assert visited(world) == ["web_0", "web_1", "web_2"]


@pytest.mark.parametrize("failing", [0, 1], ids=["the-first-to-end", "the-last-to-end"])
def test_one_failure_in_an_update_domain_is_enough(failing: int) -> None:
    world = rollout(count=4, domains=2)
    both = world.live()
    world.approve("web", *(event.id for event in both))
    for i, event in enumerate(both):
        if i == failing:
            world.fail(event.operation)
        else:
            world.done(event.operation)
    play(world)
    assert visited(world) == ["web_0", "web_2"]


def test_resuming_after_a_failure_does_not_shorten_the_recovery() -> None:
    world = rollout()
    world.approve("web", *(event.id for event in world.live()))
    world.fail(world.live()[0].operation)
    world.advance(minutes(1))
    world.steer("c1", RUNNING)
    world.advance(minutes(28))
    assert world.live() == []
    world.advance(minutes(1))
    assert down(world) == [1]


def test_resumed_while_the_rest_of_the_update_domain_is_still_down_it_waits_for_it() -> None:
    world = rollout(count=4, domains=2)
    first, second = world.live()
    world.approve("web", first.id, second.id)
    world.fail(first.operation)
    world.steer("c1", RUNNING)
    world.advance(minutes(60))
    assert down(world) == [0]
    world.done(second.operation)
    world.advance(minutes(30))
    assert down(world) == [1]


def test_a_failure_in_the_last_update_domain_ends_the_walk() -> None:
    world = rollout(domains=1, count=1)
    world.approve("web", *(event.id for event in world.live()))
    world.fail(world.live()[0].operation)
    world.tick_all()
    assert world.scopes["web"].walk is None


def test_with_all_machines_down_the_rollout_does_not_wait_for_anybody() -> None:
    world = World([scope()], machines(count=2, domains=2))
    for name in list(world.machines):
        world.set_power(name, Power.DEALLOCATED)
    world.begin(campaign())
    world.tick_all()
    assert [event.phase for event in world.live()] == [Phase.STARTED]
