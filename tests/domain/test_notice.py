"""How much notice each type gives, and who may get which type."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Conflict, Invalid, Refused
from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Priority
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.settings import Settings, minimum_notice
from tests.domain.world import NOON, World, machines, minutes, scope

SECOND = timedelta(seconds=1)
LEAST = {
    EventType.FREEZE: minutes(15),
    EventType.REBOOT: minutes(15),
    EventType.REDEPLOY: minutes(10),
    EventType.PREEMPT: timedelta(seconds=30),
    EventType.TERMINATE: minutes(5),
}
OWN = Settings(
    notice_freeze=minutes(1),
    notice_reboot=minutes(2),
    notice_redeploy=minutes(3),
    notice_preempt=minutes(4),
    notice_terminate=minutes(6),
)
SPOT = (Priority.SPOT, Priority.LOW)


def world_for(impact: EventType, settings: Settings | None = None) -> World:
    priority = Priority.SPOT if impact is EventType.PREEMPT else Priority.REGULAR
    return World([scope()], machines(count=1, priority=priority), settings)


def notice_given(world: World, work: Maintenance) -> timedelta:
    (operation,) = world.schedule(["web_0"], work)
    event = world.event(operation)
    assert event.phase is Phase.SCHEDULED
    return event.not_before - event.scheduled_at


@pytest.mark.parametrize("impact", EventType)
def test_the_least_notice_is_azures(impact: EventType) -> None:
    assert minimum_notice(impact, Settings()) == LEAST[impact]
    assert notice_given(world_for(impact), Maintenance(impact=impact)) == LEAST[impact]


@pytest.mark.parametrize(
    ("impact", "least"), [(impact, minutes(m)) for impact, m in zip(EventType, (1, 2, 3, 4, 6), strict=True)]
)
def test_a_setting_overrides_it(impact: EventType, least: timedelta) -> None:
    assert notice_given(world_for(impact, OWN), Maintenance(impact=impact)) == least


@pytest.mark.parametrize("impact", EventType)
def test_nobody_may_give_less(impact: EventType) -> None:
    with pytest.raises(Invalid, match="notice"):
        world_for(impact).schedule(["web_0"], Maintenance(impact=impact, notice=LEAST[impact] - SECOND))


@pytest.mark.parametrize("impact", EventType)
@pytest.mark.parametrize("notice", [timedelta(0), -SECOND], ids=["none", "negative"])
def test_no_notice_at_all_is_less_too(impact: EventType, notice: timedelta) -> None:
    with pytest.raises(Invalid, match="notice"):
        world_for(impact).schedule(["web_0"], Maintenance(impact=impact, notice=notice))


@pytest.mark.parametrize("impact", [impact for impact in EventType if impact is not EventType.TERMINATE])
def test_but_more(impact: EventType) -> None:
    week = timedelta(days=7)
    assert notice_given(world_for(impact), Maintenance(impact=impact, notice=week)) == week


@pytest.mark.parametrize("impact", EventType)
def test_a_notice_beyond_the_calendar_is_refused_not_a_crash(impact: EventType) -> None:
    with pytest.raises(Invalid, match="notice"):
        world_for(impact).schedule(["web_0"], Maintenance(impact=impact, notice=timedelta.max))


@pytest.mark.parametrize("notice", [minutes(5), minutes(9), minutes(15)])
def test_terminate_gives_five_to_fifteen_minutes(notice: timedelta) -> None:
    asked = Maintenance(impact=EventType.TERMINATE, notice=notice)
    assert notice_given(world_for(EventType.TERMINATE), asked) == notice


@pytest.mark.parametrize("notice", [minutes(5) - SECOND, minutes(15) + SECOND, timedelta(days=1)])
def test_terminate_never_gives_less_or_more(notice: timedelta) -> None:
    with pytest.raises(Invalid, match="Terminate gives 5m to 15m of notice"):
        world_for(EventType.TERMINATE).schedule(["web_0"], Maintenance(impact=EventType.TERMINATE, notice=notice))


def test_terminate_gives_what_the_machines_model_says() -> None:
    world = World([scope()], machines(count=1, notice=minutes(12)))
    assert notice_given(world, Maintenance(impact=EventType.TERMINATE)) == minutes(12)


@pytest.mark.parametrize("by_request", [True, False], ids=["request", "schedule"])
def test_only_a_spot_machine_is_preempted(by_request: bool) -> None:
    world = World([scope()], machines(count=1))
    with pytest.raises(Conflict, match="Spot"):
        _ask(world, EventType.PREEMPT, by_request)
    assert world.entries == []


@pytest.mark.parametrize("priority", SPOT)
@pytest.mark.parametrize("by_request", [True, False], ids=["request", "schedule"])
def test_spot_and_its_older_name_get_thirty_seconds(priority: Priority, by_request: bool) -> None:
    world = World([scope()], machines(count=1, priority=priority))
    _ask(world, EventType.PREEMPT, by_request)
    (event,) = world.live()
    assert event.not_before == NOON + timedelta(seconds=30)


@pytest.mark.parametrize("priority", SPOT)
def test_terminate_is_never_announced_on_spot(priority: Priority) -> None:
    world = World([scope()], machines(count=1, priority=priority, notice=minutes(5)))
    with pytest.raises(Conflict, match="never Terminate"):
        world.schedule(["web_0"], EventType.TERMINATE)
    world.request("web_0", EventType.TERMINATE)
    assert world.live() == []
    assert len(world.actions) == 1


def test_a_group_that_cannot_all_be_preempted_is_refused_whole() -> None:
    on_one_host = [replace(machine, host="h") for machine in machines(count=2, priority=Priority.SPOT)]
    world = World([scope()], [on_one_host[0], replace(on_one_host[1], priority=Priority.REGULAR)])
    with pytest.raises(Refused):
        world.schedule(["web_0", "web_1"], EventType.PREEMPT)
    assert world.live() == []


def _ask(world: World, impact: EventType, by_request: bool) -> None:
    if by_request:
        world.request("web_0", impact)
    else:
        world.schedule(["web_0"], impact)
