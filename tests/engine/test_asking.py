"""What operations do to machines, row by row (spec 4.5), and the jobs their callers wait for."""

import pytest

from forewarn.domain.errors import Conflict
from forewarn.domain.events import EventType, OperationState
from forewarn.domain.machines import EvictionPolicy, Power
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import AVAILABILITY_SET
from forewarn.engine.ports import Failed
from tests.engine.desk import ALICE, NOON, in_a_loop, minutes
from tests.engine.land import Land, key_of

DONE, WAITS = OperationState.SUCCEEDED, OperationState.IN_PROGRESS


@pytest.mark.parametrize(
    ("verb", "impact", "notice"),
    [
        pytest.param(Verb.RESTART, EventType.REBOOT, 15, id="restart"),
        pytest.param(Verb.REDEPLOY, EventType.REDEPLOY, 10, id="redeploy"),
        pytest.param(Verb.DELETE, EventType.TERMINATE, 7, id="delete-with-a-profile"),
        pytest.param(Verb.REIMAGE, EventType.REBOOT, 15, id="reimage-with-a-profile"),
    ],
)
@in_a_loop
async def test_what_is_announced_waits_for_its_notice(verb: Verb, impact: EventType, notice: float) -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(7), os_image_notice=minutes(15))
    await land.enrol()
    job = await land.ask(verb, *await land.machines("rg/vm"))
    (event,) = await land.events()
    assert (event.type, event.resources, event.not_before) == (impact, ("vm",), NOON + minutes(notice))
    await land.advance(notice - 0.01)
    assert (land.desk.driver.asked, await land.state(job)) == ([], WAITS)
    await land.advance(0.01)
    assert [action.impact for action in land.desk.driver.asked] == [impact]
    assert await land.state(job) is DONE


@pytest.mark.parametrize("verb", [Verb.RESTART, Verb.REDEPLOY, Verb.DELETE, Verb.REIMAGE, Verb.MAINTAIN])
@in_a_loop
async def test_where_nobody_listens_everything_happens_at_once_without_an_event(verb: Verb) -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(7), os_image_notice=minutes(15))
    job = await land.ask(verb, *await land.machines("rg/vm"))
    assert await land.events() == []
    await land.work()
    assert (land.desk.driver.calls("vm"), await land.state(job)) == (1, DONE)


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.REIMAGE])
@in_a_loop
async def test_without_a_profile_there_is_no_event_even_where_somebody_listens(verb: Verb) -> None:
    land = await Land.open()
    await land.machine("vm")
    await land.enrol()
    job = await land.ask(verb, *await land.machines("rg/vm"))
    assert await land.events() == []
    await land.work()
    assert await land.state(job) is DONE


@in_a_loop
async def test_maintenance_that_its_owner_begins_starts_at_once() -> None:
    land = await Land.open()
    await land.machine("vm")
    await land.enrol()
    job = await land.ask(Verb.MAINTAIN, *await land.machines("rg/vm"))
    (event,) = await land.events()
    assert (event.type, event.started_at) == (EventType.REDEPLOY, NOON)
    await land.work()
    assert await land.state(job) is DONE


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        pytest.param(EvictionPolicy.DEALLOCATE, ["virtualMachines/vm"], id="deallocate"),
        pytest.param(EvictionPolicy.DELETE, [], id="delete"),
    ],
)
@in_a_loop
async def test_an_eviction_gives_thirty_seconds(policy: EvictionPolicy, left: list[str]) -> None:
    land = await Land.open()
    await land.spot("vm", policy)
    await land.enrol()
    await land.ask(Verb.EVICT, *await land.machines("rg/vm"))
    (event,) = await land.events(EventType.PREEMPT)
    assert event.not_before == NOON + minutes(0.5)
    await land.advance(0.5)
    assert await land.keys() == left
    assert [m.power for m in await land.machines("rg/vm")] == [Power.DEALLOCATED] * len(left)
    assert await land.scopes() == ["rg/vm"] * len(left)


@in_a_loop
async def test_only_spot_machines_are_evicted() -> None:
    land = await Land.open()
    await land.machine("vm")
    with pytest.raises(Conflict, match="allowed only for Spot"):
        await land.ask(Verb.EVICT, *await land.machines("rg/vm"))


@pytest.mark.parametrize("power", list(Power))
@in_a_loop
async def test_power_is_nobody_else_s_business(power: Power) -> None:
    land = await Land.open()
    await land.availability_set("set")
    for name in ("a", "b"):
        await land.machine(name, into=key_of("set", AVAILABILITY_SET), notice=minutes(5))
    await land.enrol()
    job = await land.estate.set_power("target", [("rg/set", "a")], power, ALICE)
    assert (await land.state(job), await land.events()) == (DONE, [])
    assert [m.power for m in await land.machines("rg/set")] == [power, Power.RUNNING]


@in_a_loop
async def test_a_set_that_is_down_need_not_wait() -> None:
    land = await Land.open()
    await land.scale_set("web", 2)
    await land.enrol()
    first, second = await land.members("web")
    await land.ask(Verb.RESTART, first)
    await land.estate.set_power("target", [(m.scope, m.name) for m in (first, second)], Power.STOPPED, ALICE)
    (event,) = await land.events()
    assert event.started_at == NOON


# One request for many machines


@in_a_loop
async def test_a_request_for_many_machines_is_one_for_the_limit_and_all_or_none() -> None:
    land = await Land.open()
    await land.scale_set("web", 30)
    await land.enrol()
    members = await land.members("web")
    job = await land.ask(Verb.RESTART, *members[:12])
    assert len(await land.events()) == len(job.operations) == 12
    with pytest.raises(Conflict, match="web_11 already has a Reboot under way"):
        await land.ask(Verb.RESTART, members[20], members[11])
    assert len(await land.events()) == 12


@in_a_loop
async def test_a_job_ends_when_the_last_of_its_operations_does() -> None:
    land = await Land.open()
    await land.scale_set("web", 2)
    await land.enrol()
    job = await land.ask(Verb.RESTART, *await land.members("web"))
    first, second = await land.events()
    await land.approve(first)
    await land.advance(1)
    assert await land.state(job) is WAITS
    await land.approve(second)
    await land.advance(1)
    state = await land.look(job)
    assert (state.state, state.ended_at) == (DONE, NOON + minutes(1))


@in_a_loop
async def test_a_job_of_which_a_part_was_called_off_or_failed_says_so() -> None:
    land = await Land.open()
    await land.scale_set("web", 3)
    await land.enrol()
    job = await land.ask(Verb.RESTART, *await land.members("web"))
    _, second, third = await land.events()
    await land.desk.engine.cancel_event(third.id, ALICE, "not today")
    land.desk.driver.tell("web_1", *[Failed("the host is on fire")] * 9)
    await land.advance(60)
    state = await land.look(job)
    assert (state.state, state.message) == (OperationState.FAILED, "web_1: the host is on fire")
    assert second.resources == ("web_1",)


@in_a_loop
async def test_a_job_that_nobody_began_is_not_there() -> None:
    land = await Land.open()
    assert await land.estate.job("nothing") is None
