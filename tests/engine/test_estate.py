"""What becomes of a description: a scope, a machine in its place, an address; and nothing of what the file declared."""

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import OperationState
from forewarn.domain.machines import Machine, Priority
from forewarn.domain.resources import AVAILABILITY_SET, SCALE_SET, Resource
from forewarn.domain.scopes import EventsPolicy, ScopeKind
from tests.engine.desk import NOON, Desk, a_fleet, in_a_loop, minutes
from tests.engine.land import Land, group_key, key_of

# What becomes of a description


@in_a_loop
async def test_a_machine_stands_in_a_scope_of_its_own_with_an_address_and_an_identity() -> None:
    land = await Land.open()
    resource = await land.machine("vm", policy=EventsPolicy(approve_user_reboot=True))
    (machine,) = await land.machines("rg/vm")
    assert (resource.scope, resource.machine) == ("rg/vm", "vm")
    assert (machine.address, machine.created_at, machine.declared) == ("127.100.0.1", NOON, False)
    assert machine.profile.vm_id
    scope = await land.scope("rg/vm")
    assert scope is not None
    assert (scope.kind, scope.owner, scope.declared) == (ScopeKind.STANDALONE, resource.key, False)
    assert scope.policy.approve_user_reboot


@in_a_loop
async def test_a_machine_described_again_keeps_its_place_and_identity() -> None:
    land = await Land.open()
    await land.machine("vm", priority=Priority.SPOT)
    (before,) = await land.machines("rg/vm")
    resource = await land.machine("vm", notice=minutes(7), policy=EventsPolicy(approve_user_redeploy=True))
    (after,) = await land.machines("rg/vm")
    assert resource.version == 2
    assert after == replace(before, priority=Priority.REGULAR, terminate_notice=minutes(7))
    scope = await land.scope("rg/vm")
    assert scope is not None
    assert scope.policy.approve_user_redeploy


@in_a_loop
async def test_no_two_machines_ever_have_one_address() -> None:
    land = await Land.open()
    await land.machine("a")
    await land.delete(key_of("a"))
    await land.work()
    await land.machine("b")
    await land.scale_set("web", 2)
    every = await land.desk.store.read(lambda r: r.list_machines())
    assert [machine.address for machine in every] == ["127.100.0.2", "127.100.0.3", "127.100.0.4"]


@in_a_loop
async def test_the_machines_of_an_availability_set_are_spread_over_its_domains() -> None:
    land = await Land.open()
    await land.availability_set("set", update_domains=3, fault_domains=2)
    for number in range(4):
        await land.machine(f"vm{number}", into=key_of("set", AVAILABILITY_SET))
    members = await land.machines("rg/set")
    assert [(m.update_domain, m.fault_domain) for m in members] == [(0, 0), (1, 1), (2, 0), (0, 1)]
    await land.delete(key_of("vm1"))
    await land.work()
    await land.machine("vm4", into=key_of("set", AVAILABILITY_SET))
    assert [m.update_domain for m in await land.machines("rg/set")] == [0, 2, 0, 1], "the gap is filled"


@in_a_loop
async def test_an_availability_set_is_one_scope_for_life() -> None:
    land = await Land.open()
    await land.availability_set("set")
    before = await land.scope("rg/set")
    await land.availability_set("set", policy=EventsPolicy(approve_user_reboot=True))
    after = await land.scope("rg/set")
    assert before is not None
    assert after == replace(before, policy=EventsPolicy(approve_user_reboot=True))


@in_a_loop
async def test_things_of_one_name_have_scopes_of_their_own() -> None:
    land = await Land.open()
    await land.availability_set("web")
    await land.machine("web", notice=minutes(5))
    await land.scale_set("web", 1)
    assert await land.scopes() == ["rg/web", "rg/web-2", "rg/web:0"]
    await land.delete(key_of("web", SCALE_SET))
    await land.work()
    assert await land.scopes() == ["rg/web", "rg/web-2"]
    assert await land.keys() == ["availabilitySets/web", "virtualMachines/web"]


@pytest.mark.parametrize("described", ["machine", "network", "availability_set"])
@in_a_loop
async def test_nothing_is_put_into_a_group_that_is_not_there(described: str) -> None:
    land = Land(Desk())
    with pytest.raises(NotFound, match="Resource group 'rg' could not be found"):
        await getattr(land, described)("it")
    assert await land.scopes() == []


@in_a_loop
async def test_a_machine_joins_only_a_set_that_takes_it_in() -> None:
    land = await Land.open()
    await land.scale_set("uniform", 1)
    await land.availability_set("set")
    await land.machine("vm", into=key_of("set", AVAILABILITY_SET))
    with pytest.raises(Conflict, match="only a flexible scale set takes in virtual machines"):
        await land.machine("a", into=key_of("uniform", SCALE_SET))
    with pytest.raises(NotFound, match="There is no set"):
        await land.machine("b", into=key_of("nowhere", AVAILABILITY_SET))
    assert await land.keys() == ["availabilitySets/set", "virtualMachineScaleSets/uniform", "virtualMachines/vm"]


@pytest.mark.parametrize(
    ("minutes_of_notice", "spot", "why"),
    [
        pytest.param(4.99, False, "must be from PT5M to PT15M, not PT4M59", id="too-little"),
        pytest.param(15.1, False, "must be from PT5M to PT15M", id="too-much"),
        pytest.param(5, True, "cannot be enabled on Spot", id="spot"),
    ],
)
@in_a_loop
async def test_a_terminate_notice_that_cannot_be_is_refused(minutes_of_notice: float, spot: bool, why: str) -> None:
    land = await Land.open()
    priority = Priority.SPOT if spot else Priority.REGULAR
    notice = minutes(minutes_of_notice)
    with pytest.raises(Invalid, match=why):
        await land.machine("vm", notice=notice, priority=priority)
    instance = Machine(scope="", name="", terminate_notice=notice, priority=priority)
    with pytest.raises(Invalid, match=why):
        await land.scale_set("web", 1, instance=instance)
    assert await land.keys() == []


# Beside a fleet file


@in_a_loop
async def test_a_new_fleet_file_does_not_touch_what_it_never_named() -> None:
    desk = await Desk.open(enrolled=False)
    land = await Land.open(desk)
    await land.machine("vm")
    await land.scale_set("extra", 2)
    before = await desk.store.read(lambda r: [m for m in r.list_machines() if not m.declared])
    await desk.engine.load_fleet(a_fleet(machines=1), "second")
    after = await desk.store.read(lambda r: r.list_machines())
    assert [m for m in after if not m.declared] == before
    assert [m.name for m in after if m.declared] == ["web_0"]
    assert await land.keys() == ["virtualMachineScaleSets/extra", "virtualMachines/vm"]


@in_a_loop
async def test_what_a_file_declared_can_be_deleted_and_its_scope_stays() -> None:
    desk = await Desk.open(["web"], 1, enrolled=False)
    land = Land(desk)
    declared = await desk.store.read(lambda r: r.resources_of_machine("web", "web_0"))
    job = await land.delete(declared[0].key)
    await land.work()
    assert await land.state(job) is OperationState.SUCCEEDED
    assert (await land.machines("web"), await land.scopes()) == ([], ["web"])
    assert await land.estate.resource(declared[0].key) is None


@in_a_loop
async def test_a_group_that_a_file_mentions_stays_as_its_owner_described_it() -> None:
    desk = await Desk.open(enrolled=False)
    key = "/subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups/forewarn"
    tagged = replace(await _known(Land(desk), key), body={"tags": {"a": "b"}})
    await Land(desk).estate.put(key, lambda known: tagged)
    await desk.engine.load_fleet(a_fleet(machines=4), "second")
    assert await _known(Land(desk), key) == tagged


async def _known(land: Land, key: str) -> Resource:
    found = await land.estate.resource(key)
    assert found is not None
    return found


@in_a_loop
async def test_groups_are_only_described() -> None:
    land = await Land.open()
    assert (await land.group()).version == 2
    assert await land.estate.resource(group_key()) is not None
