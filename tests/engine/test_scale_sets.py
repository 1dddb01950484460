"""Scale sets: instances come and go with the number asked for, with the notice of the model each of them has."""

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import Event, OperationState, Phase
from forewarn.domain.machines import Machine, Priority
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import SCALE_SET
from forewarn.domain.scalesets import ScaleIn, SetSpec, Upgrade
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from tests.engine.desk import ALICE, NOON, Desk, in_a_loop, minutes
from tests.engine.land import Land, key_of

DONE, WAITS = OperationState.SUCCEEDED, OperationState.IN_PROGRESS
WEB = key_of("web", SCALE_SET)


async def names(land: Land) -> list[str]:
    return [machine.name for machine in await land.members("web")]


def ends(events: list[Event]) -> dict[str, float]:
    """Whose end is announced, and in how many minutes from noon."""
    return {event.resources[0]: (event.not_before - NOON) / minutes(1) for event in events}


# Growing


@in_a_loop
async def test_instances_are_numbered_named_and_placed() -> None:
    land = await Land.open()
    resource, job = await land.scale_set("web", 6, fault_domains=3, computer_prefix="w")
    members = await land.members("web")
    assert [m.name for m in members] == [f"web_{n}" for n in range(6)]
    assert [m.instance for m in members] == [str(n) for n in range(6)]
    assert (members[0].computer_name, members[5].computer_name) == ("w000000", "w000005")
    assert [m.fault_domain for m in members] == [0, 1, 2, 0, 1, 2]
    assert [m.update_domain for m in members] == [0, 1, 2, 3, 4, 0]
    assert len({m.profile.vm_id for m in members} | {m.address for m in members}) == 12
    assert (resource.counter, await land.state(job)) == (6, DONE)


@in_a_loop
async def test_a_large_set_has_placement_groups_of_at_most_a_hundred() -> None:
    land = await Land.open()
    await land.scale_set("web", 250, single_group=False)
    assert [len(await land.machines(scope)) for scope in await land.scopes()] == [100, 100, 50]
    assert await land.scopes() == ["rg/web:0", "rg/web:1", "rg/web:2"]


@in_a_loop
async def test_a_flexible_set_is_one_group_of_plain_machines() -> None:
    land = await Land.open()
    await land.scale_set("web", 120, flexible=True, single_group=False)
    members = await land.machines("rg/web:0")
    assert len(members) == 120
    assert all(machine.instance == machine.name for machine in members)


@in_a_loop
async def test_a_group_never_spans_zones() -> None:
    land = await Land.open()
    await land.scale_set("web", 5, zones=("1", "2"))
    assert await land.scopes() == ["rg/web:z1-0", "rg/web:z2-0"]
    assert [m.zone for m in await land.members("web")] == ["1", "2", "1", "2", "1"]


@in_a_loop
async def test_a_number_is_given_once() -> None:
    land = await Land.open()
    await land.scale_set("web", 3)
    await land.scale_set("web", 1)
    await land.work()
    await land.scale_set("web", 3)
    assert await names(land) == ["web_0", "web_3", "web_4"]


@in_a_loop
async def test_without_a_number_it_keeps_as_many_as_there_are() -> None:
    land = await Land.open()
    await land.scale_set("web", 3)
    await land.scale_set("web", None, policy=EventsPolicy(approve_user_reboot=True))
    assert await names(land) == ["web_0", "web_1", "web_2"]
    scope = await land.scope("rg/web:0")
    assert scope is not None
    assert scope.policy.approve_user_reboot


@pytest.mark.parametrize(
    ("capacity", "single", "why"),
    [
        pytest.param(101, True, "from 0 to 100 while singlePlacementGroup is true, not 101", id="one-group"),
        pytest.param(1001, False, "from 0 to 1000, not 1001", id="many-groups"),
        pytest.param(-1, True, "not -1", id="negative"),
    ],
)
@in_a_loop
async def test_there_are_limits(capacity: int, single: bool, why: str) -> None:
    land = await Land.open()
    with pytest.raises(Invalid, match=why):
        await land.scale_set("web", capacity, single_group=single)
    assert await land.scopes() == []


@in_a_loop
async def test_instances_that_are_leaving_do_not_count() -> None:
    land = await Land.open()
    await land.scale_set("web", 3, notice=minutes(5))
    await land.enrol()
    await land.scale_set("web", 1, notice=minutes(5))
    await land.scale_set("web", 3, notice=minutes(5))
    assert await names(land) == ["web_0", "web_1", "web_2", "web_3", "web_4"]
    await land.advance(5)
    assert await names(land) == ["web_0", "web_3", "web_4"]


@in_a_loop
async def test_a_set_that_a_file_declared_grows_in_its_own_scopes() -> None:
    groups = [Scope(id="web:0", kind=ScopeKind.PLACEMENT_GROUP, scale_set="web")]
    desk = await Desk.open(groups, [Machine(scope="web:0", name=f"web_{n}") for n in (3, 7)], enrolled=False)
    land = await Land.open(desk)
    (declared,) = await desk.store.read(lambda r: r.list_resources(kind=SCALE_SET))

    spec = SetSpec(name="forewarn/web", title="web", capacity=3, instance=Machine(scope="", name=""))
    await land.estate.put_scale_set(declared.key, lambda known: (known or declared, spec), ALICE)
    members = await desk.store.read(lambda r: r.machines("web:0"))
    assert [(m.name, m.declared) for m in members] == [("web_3", True), ("web_7", True), ("web_8", False)]
    assert await land.scopes() == ["web:0"]


# Shrinking


@in_a_loop
async def test_a_scale_in_announces_the_end_of_each_chosen_instance_and_the_job_waits_for_them() -> None:
    land = await Land.open()
    await land.scale_set("web", 4, notice=minutes(10), fault_domains=1)
    await land.enrol()
    _, job = await land.scale_set("web", 2, notice=minutes(10), fault_domains=1)
    assert ends(await land.events()) == {"web_3": 10, "web_2": 10}
    assert (await land.state(job), len(await land.members("web"))) == (WAITS, 4)
    await land.advance(10)
    assert (await land.state(job), await names(land)) == (DONE, ["web_0", "web_1"])


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        pytest.param(ScaleIn.DEFAULT, ["web_0", "web_1"], id="default"),
        pytest.param(ScaleIn.NEWEST, ["web_0", "web_1"], id="newest"),
        pytest.param(ScaleIn.OLDEST, ["web_2", "web_3"], id="oldest"),
    ],
)
@in_a_loop
async def test_which_ones_go_is_the_owner_s_choice(rule: ScaleIn, left: list[str]) -> None:
    land = await Land.open()
    for capacity in range(1, 5):
        await land.scale_set("web", capacity, fault_domains=1)
        await land.advance(1)
    await land.scale_set("web", 2, scale_in=rule, fault_domains=1)
    await land.work()
    assert await names(land) == left


@in_a_loop
async def test_protected_instances_stay_and_too_many_of_them_refuse_it() -> None:
    land = await Land.open()
    await land.scale_set("web", 3)
    await land.estate.put_instance(("rg/web:0", "web_2"), lambda m: replace(m, keep_on_scale_in=True))
    await land.estate.put_instance(("rg/web:0", "web_1"), lambda m: replace(m, keep_as_it_is=True))
    await land.scale_set("web", 2)
    await land.work()
    assert await names(land) == ["web_1", "web_2"]
    with pytest.raises(Conflict, match="cannot give up 1 instances: 2 of its 2 are protected"):
        await land.scale_set("web", 1)


@in_a_loop
async def test_an_instance_whose_end_was_called_off_stays_and_counts_again() -> None:
    land = await Land.open()
    await land.scale_set("web", 2, notice=minutes(5))
    await land.enrol()
    _, job = await land.scale_set("web", 1, notice=minutes(5))
    (event,) = await land.events()
    await land.desk.engine.cancel_event(event.id, ALICE, "")
    assert (await land.state(job), await names(land)) == (OperationState.CANCELED, ["web_0", "web_1"])
    await land.scale_set("web", 2, notice=minutes(5))
    assert (await names(land), await land.events()) == (["web_0", "web_1"], [])


@in_a_loop
async def test_spot_instances_go_without_a_word() -> None:
    land = await Land.open()
    instance = Machine(scope="", name="", priority=Priority.SPOT)
    await land.scale_set("web", 2, instance=instance)
    await land.enrol()
    await land.scale_set("web", 1, instance=instance)
    assert await land.events() == []
    await land.work()
    assert await names(land) == ["web_0"]


# Rules 4 to 8, over placement groups


@in_a_loop
async def test_an_approved_end_waits_for_those_in_other_placement_groups() -> None:
    land = await Land.open()
    await land.scale_set("web", 102, notice=minutes(5), single_group=False, fault_domains=1)
    await land.enrol()
    first, *_, last = await land.members("web")
    assert (first.scope, last.scope) == ("rg/web:0", "rg/web:1")
    await _end(land, first)
    await land.advance(1)
    await _end(land, last)
    early, late = await land.events()
    assert ends([early, late]) == {"web_0": 5, "web_101": 6}
    await land.approve(late)
    assert {event.phase for event in await land.events()} == {Phase.SCHEDULED}
    await land.approve(early)
    assert {event.phase for event in await land.events()} == {Phase.STARTED}
    await land.work()
    assert len(await land.members("web")) == 100


@in_a_loop
async def test_or_until_the_others_time_is_up() -> None:
    land = await Land.open()
    await land.scale_set("web", 102, notice=minutes(5), single_group=False, fault_domains=1)
    await land.enrol()
    first, *_, last = await land.members("web")
    await _end(land, first)
    await land.advance(1)
    await _end(land, last)
    _, late = await land.events()
    await land.approve(late)
    await land.advance(3.99)
    assert len(await land.members("web")) == 102
    await land.advance(0.01)
    assert len(await land.members("web")) == 100


@in_a_loop
async def test_with_one_time_for_all_it_is_all_or_none() -> None:
    land = await Land.open()
    await land.scale_set("web", 3, notice=minutes(5))
    await land.enrol()
    await land.scale_set("web", 0, notice=minutes(5))
    first, second, third = await land.events()
    await land.approve(first, second)
    await land.advance(4.99)
    assert len(await land.members("web")) == 3
    await land.approve(third)
    await land.work()
    assert await land.members("web") == []


async def _end(land: Land, machine: Machine) -> None:
    await land.ask(Verb.DELETE, machine)


# Models


@in_a_loop
async def test_a_new_model_reaches_an_instance_only_when_somebody_says_so() -> None:
    land = await Land.open()
    await land.scale_set("web", 3)
    await land.enrol()
    resource, _ = await land.scale_set("web", 3, notice=minutes(9))
    assert [m.model for m in await land.members("web")] == [1, 1, 1]
    await land.upgrade("web", "1")
    assert [m.terminate_notice for m in await land.members("web")] == [None, minutes(9), None]
    await land.scale_set("web", 1, notice=minutes(9))
    assert ends(await land.events()) == {"web_1": 9}, "web_2 is of the old model and goes without a word"
    await land.work()
    await land.upgrade("web")
    assert {m.model for m in await land.members("web")} == {resource.model} == {2}


@pytest.mark.parametrize("mode", [Upgrade.AUTOMATIC, Upgrade.ROLLING])
@in_a_loop
async def test_or_at_once_where_the_set_upgrades_by_itself(mode: Upgrade) -> None:
    land = await Land.open()
    await land.scale_set("web", 3, upgrade=mode)
    await land.enrol()
    before = await land.members("web")
    await land.estate.put_instance(("rg/web:0", "web_0"), lambda m: replace(m, keep_as_it_is=True))
    await land.scale_set("web", 2, upgrade=mode, notice=minutes(6))
    after = await land.members("web")
    assert [m.terminate_notice for m in after] == [None, minutes(6), minutes(6)]
    assert [(m.address, m.profile.vm_id) for m in after] == [(m.address, m.profile.vm_id) for m in before]
    assert ends(await land.events()) == {"web_2": 6}, "the scale-in of the same request gives the new notice"


@in_a_loop
async def test_a_new_time_does_not_move_what_is_announced() -> None:
    land = await Land.open()
    await land.scale_set("web", 3, notice=minutes(5), upgrade=Upgrade.AUTOMATIC)
    await land.enrol()
    await land.scale_set("web", 2, notice=minutes(5), upgrade=Upgrade.AUTOMATIC)
    await land.scale_set("web", 2, notice=minutes(15), upgrade=Upgrade.AUTOMATIC)
    assert ends(await land.events()) == {"web_2": 5}
    await land.scale_set("web", 1, notice=minutes(15), upgrade=Upgrade.AUTOMATIC)
    assert ends(await land.events()) == {"web_2": 5, "web_1": 15}


@in_a_loop
async def test_new_instances_are_of_the_latest_model() -> None:
    land = await Land.open()
    await land.scale_set("web", 1)
    await land.scale_set("web", 2, notice=minutes(5))
    assert [(m.model, m.terminate_notice) for m in await land.members("web")] == [(1, None), (2, minutes(5))]


@in_a_loop
async def test_an_instance_that_is_not_there_cannot_be_upgraded() -> None:
    land = await Land.open()
    await land.scale_set("web", 1)
    with pytest.raises(NotFound, match="has no instance 7"):
        await land.upgrade("web", "0", "7")


# Virtual machines in a flexible set


@in_a_loop
async def test_a_machine_joins_a_flexible_set_even_if_that_is_empty() -> None:
    land = await Land.open()
    await land.scale_set("web", 0, flexible=True)
    await land.machine("vm", into=WEB, notice=minutes(5))
    await land.enrol()
    (machine,) = await land.members("web")
    assert (machine.scope, machine.instance, machine.model) == ("rg/web:0", "vm", 0)
    with pytest.raises(Conflict, match="There is a machine vm in web already"):
        await land.machine("vm", into=WEB, group=await _another_group(land))
    await land.scale_set("web", 0, flexible=True, upgrade=Upgrade.AUTOMATIC)
    (event,) = await land.events()
    assert event.resources == ("vm",)
    await land.advance(5)
    assert await land.keys() == ["virtualMachineScaleSets/web"]


async def _another_group(land: Land) -> str:
    await land.group("other")
    return "other"
