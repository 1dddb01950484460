"""Deleting: what is announced leaves first and is gone later, and what stays after all can be used again."""

import pytest

from forewarn.domain.errors import Conflict, NotFound
from forewarn.domain.events import EventType, OperationState
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import AVAILABILITY_SET, CLOUD_SERVICE, SCALE_SET
from forewarn.engine.ports import Done, Failed
from tests.engine.desk import ALICE, NOON, in_a_loop, minutes
from tests.engine.land import Land, group_key, key_of

DONE, WAITS = OperationState.SUCCEEDED, OperationState.IN_PROGRESS
CANCELED, FAILED = OperationState.CANCELED, OperationState.FAILED
WEB, SET = key_of("web", SCALE_SET), key_of("set", AVAILABILITY_SET)


async def is_leaving(land: Land, key: str) -> bool:
    resource = await land.estate.resource(key)
    assert resource is not None
    return resource.leaving


# A virtual machine


@in_a_loop
async def test_a_machine_with_notice_to_give_leaves_and_is_then_gone_with_its_scope() -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(5))
    await land.enrol()
    job = await land.delete(key_of("vm"))
    assert await is_leaving(land, key_of("vm"))
    assert [event.type for event in await land.events()] == [EventType.TERMINATE]
    await land.advance(4.99)
    assert (await land.state(job), await land.keys()) == (WAITS, ["virtualMachines/vm"])
    await land.advance(0.01)
    assert (await land.state(job), await land.keys(), await land.scopes()) == (DONE, [], [])
    assert land.desk.feed.news[-1].dissolved == ("rg/vm",)


@in_a_loop
async def test_a_second_delete_waits_for_the_first() -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(5))
    await land.enrol()
    first = await land.delete(key_of("vm"))
    await land.advance(1)
    second = await land.delete(key_of("vm"))
    assert second.operations == first.operations
    assert len(await land.events()) == 1
    await land.advance(4)
    assert (await land.state(first), await land.state(second)) == (DONE, DONE)


@in_a_loop
async def test_what_is_leaving_is_neither_changed_nor_made_anew() -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(5))
    await land.enrol()
    await land.delete(key_of("vm"))
    with pytest.raises(Conflict, match="vm is being deleted: wait until it is gone"):
        await land.machine("vm")


@in_a_loop
async def test_made_anew_under_an_old_name_it_is_newer_than_all_before() -> None:
    land = await Land.open()
    epochs = []
    for _ in range(3):
        await land.machine("vm")
        await land.enrol("rg/vm")
        scope = await land.scope("rg/vm")
        assert scope is not None
        epochs.append(scope.epoch)
        await land.delete(key_of("vm"))
        await land.work()
    assert epochs == [1, 2, 3]


@in_a_loop
async def test_a_delete_that_is_called_off_leaves_everything_as_it_was() -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(5))
    await land.enrol()
    job = await land.delete(key_of("vm"))
    (event,) = await land.events()
    await land.desk.engine.cancel_event(event.id, ALICE, "it is still needed")
    state = await land.look(job)
    assert (state.state, state.message) == (CANCELED, "it is still needed")
    assert not await is_leaving(land, key_of("vm"))
    await land.machine("vm", notice=minutes(6))
    await land.delete(key_of("vm"))
    await land.advance(6)
    assert await land.keys() == []


@in_a_loop
async def test_a_driver_that_cannot_delete_it_leaves_it_to_its_owner() -> None:
    land = await Land.open()
    await land.machine("vm")
    land.desk.driver.tell("vm", *[Failed("no such host")] * 5)
    job = await land.delete(key_of("vm"))
    await land.advance(10)
    state = await land.look(job)
    assert (state.state, state.message) == (FAILED, "vm: no such host")
    assert not await is_leaving(land, key_of("vm"))
    assert await land.scopes() == ["rg/vm"]


@in_a_loop
async def test_a_machine_deleted_past_the_control_plane_takes_its_resource_along() -> None:
    land = await Land.open()
    await land.machine("vm")
    await land.desk.engine.request(("rg/vm", "vm"), EventType.TERMINATE, ALICE)
    await land.work()
    assert (await land.keys(), await land.scopes()) == ([], [])


@in_a_loop
async def test_what_was_under_way_ends_with_the_scope_and_its_driver_may_still_report() -> None:
    land = await Land.open()
    await land.machine("vm")
    await land.enrol()
    (machine,) = await land.machines("rg/vm")
    struck = await land.ask(Verb.MAINTAIN, machine)
    (waits,) = await land.desk.engine.schedule([("rg/vm", "vm")], Maintenance(impact=EventType.FREEZE), ALICE)
    (maintaining,) = await land.lease()
    await land.delete(key_of("vm"))
    (deleting,) = await land.lease()
    await land.desk.engine.report(deleting, Done())
    assert await land.scopes() == []
    state = await land.look(struck)
    assert (state.state, state.message) == (FAILED, "rg/vm is gone")
    assert (await land.desk.operation(waits)).state is CANCELED
    assert await land.desk.store.read(lambda r: (r.list_events(), r.list_operations(), r.next_action())) == (
        [],
        [],
        None,
    )
    await land.desk.engine.report(maintaining, Done())
    await land.machine("vm")
    await land.desk.engine.report(maintaining, Done())
    scope = await land.scope("rg/vm")
    assert scope is not None
    assert (scope.events, scope.operations) == ((), ()), "nothing of its former life"


@in_a_loop
async def test_a_tick_or_a_report_that_comes_too_late_is_no_error() -> None:
    land = await Land.open()
    await land.machine("vm")
    await land.delete(key_of("vm"))
    (deleting,) = await land.lease()
    await land.work()
    await land.desk.engine.tick("rg/vm")
    await land.desk.engine.report(deleting, Done())
    assert await land.scopes() == []


# An availability set, a cloud service


@in_a_loop
async def test_an_availability_set_goes_only_when_it_is_empty() -> None:
    land = await Land.open()
    await land.availability_set("set")
    await land.machine("vm", into=SET, notice=minutes(5))
    await land.enrol()
    with pytest.raises(Conflict, match="set still has virtual machines in it: delete those first"):
        await land.delete(SET)
    await land.delete(key_of("vm"))
    await land.advance(5)
    assert (await land.keys(), await land.scopes()) == (["availabilitySets/set"], ["rg/set"])
    job = await land.delete(SET)
    assert (await land.state(job), await land.keys(), await land.scopes()) == (DONE, [], [])


@in_a_loop
async def test_an_emptied_availability_set_takes_new_machines_into_the_same_document() -> None:
    land = await Land.open()
    await land.availability_set("set")
    await land.machine("a", into=SET)
    await land.enrol()
    before = await land.scope("rg/set")
    await land.delete(key_of("a"))
    await land.work()
    await land.machine("b", into=SET)
    assert await land.scope("rg/set") == before


@in_a_loop
async def test_a_cloud_service_goes_with_its_role_instances() -> None:
    land = await Land.open()
    await land.cloud_service("svc", "Front_IN_0", "Front_IN_1")
    await land.cloud_service("svc", "Front_IN_0", "Front_IN_1", "Back_IN_0")
    roles = await land.machines("rg/svc")
    assert [(m.name, m.update_domain) for m in roles] == [("Back_IN_0", 2), ("Front_IN_0", 0), ("Front_IN_1", 1)]
    await land.delete(key_of("svc", CLOUD_SERVICE))
    assert await is_leaving(land, key_of("svc", CLOUD_SERVICE))
    await land.work()
    assert (await land.keys(), await land.scopes()) == ([], [])


# A scale set


@in_a_loop
async def test_a_scale_set_leaves_until_its_last_instance_has_gone() -> None:
    land = await Land.open()
    await land.scale_set("web", 3, notice=minutes(5))
    await land.enrol()
    job = await land.delete(WEB)
    assert await is_leaving(land, WEB)
    events = await land.events()
    assert [event.resources for event in events] == [("web_0",), ("web_1",), ("web_2",)]
    await land.approve(*events)
    first, *others = await land.lease()
    await land.desk.engine.report(first, Done())
    assert (len(await land.members("web")), await land.state(job)) == (2, WAITS)
    with pytest.raises(Conflict, match="web is being deleted"):
        await land.scale_set("web", 5)
    for action in others:
        await land.desk.engine.report(action, Done())
    assert (await land.state(job), await land.keys(), await land.scopes()) == (DONE, [], [])


@in_a_loop
async def test_a_scale_set_of_which_one_instance_stays_can_be_used_again() -> None:
    land = await Land.open()
    await land.scale_set("web", 3, notice=minutes(5))
    await land.enrol()
    job = await land.delete(WEB)
    _, spared, _ = await land.events()
    await land.desk.engine.cancel_event(spared.id, ALICE, "")
    assert not await is_leaving(land, WEB)
    await land.advance(5)
    assert await land.state(job) is CANCELED
    assert [machine.name for machine in await land.members("web")] == ["web_1"]
    await land.scale_set("web", 2, notice=minutes(5))
    assert [machine.name for machine in await land.members("web")] == ["web_1", "web_3"]
    await land.delete(WEB)
    await land.advance(5)
    assert (await land.keys(), await land.scopes()) == ([], [])


@in_a_loop
async def test_an_empty_scale_set_is_gone_at_once() -> None:
    land = await Land.open()
    await land.scale_set("web", 0, flexible=True)
    assert await land.scopes() == ["rg/web:0"]
    job = await land.delete(WEB)
    assert (await land.state(job), await land.keys(), await land.scopes()) == (DONE, [], [])


# A resource group


@in_a_loop
async def test_an_empty_group_is_gone_at_once() -> None:
    land = await Land.open()
    job = await land.delete(group_key())
    assert await land.state(job) is DONE
    assert await land.estate.resource(group_key()) is None


@in_a_loop
async def test_a_group_without_machines_is_gone_at_once_with_all_that_is_in_it() -> None:
    land = await Land.open()
    await land.network()
    await land.availability_set("set")
    await land.scale_set("web", 0)
    await land.delete(group_key())
    assert await land.estate.resource(group_key()) is None
    assert (await land.keys(), await land.scopes()) == ([], [])


@in_a_loop
async def test_a_group_leaves_until_the_last_machine_has_gone_and_then_goes_whole() -> None:
    land = await Land.open()
    await land.group("other")
    await land.machine("elsewhere", group="other")
    await land.network()
    await land.availability_set("set")
    await land.machine("a", into=SET, notice=minutes(5))
    await land.machine("b")
    await land.scale_set("web", 2, notice=minutes(10))
    await land.enrol()
    job = await land.delete(group_key())
    await land.advance(5)
    assert await is_leaving(land, group_key())
    assert await land.keys() == ["virtualMachineScaleSets/web", "virtualNetworks/net"]
    with pytest.raises(Conflict, match="The resource group 'rg' is being deleted"):
        await land.network("another")
    await land.advance(5)
    assert (await land.state(job), await land.keys(), await land.scopes()) == (DONE, [], ["other/elsewhere"])
    assert await land.estate.resource(group_key()) is None
    assert (await land.group()).version == 1


@in_a_loop
async def test_a_group_of_which_a_machine_stays_keeps_the_rest_too() -> None:
    land = await Land.open()
    await land.network()
    await land.machine("a", notice=minutes(5))
    await land.machine("b", notice=minutes(5))
    await land.enrol()
    job = await land.delete(group_key())
    spared, _ = await land.events()
    await land.desk.engine.cancel_event(spared.id, ALICE, "")
    assert not await is_leaving(land, group_key())
    await land.advance(5)
    assert await land.state(job) is CANCELED
    assert await land.keys() == ["virtualMachines/a", "virtualNetworks/net"]
    await land.network("another")


@in_a_loop
async def test_what_is_not_there_cannot_be_deleted() -> None:
    land = await Land.open()
    with pytest.raises(NotFound, match="There is no resource"):
        await land.delete(key_of("nothing"))
    assert not await land.estate.drop(key_of("nothing"))


@in_a_loop
async def test_what_has_no_machines_is_just_dropped() -> None:
    land = await Land.open()
    network = await land.network()
    assert await land.estate.drop(network.key)
    assert await land.keys() == []


@in_a_loop
async def test_the_documents_say_when_it_began_and_the_history_tells_it_all() -> None:
    land = await Land.open()
    await land.machine("vm", notice=minutes(5))
    await land.enrol()
    await land.delete(key_of("vm"))
    await land.advance(5)
    told = [entry.what.value for entry in await land.desk.store.read(lambda r: r.history(scope="rg/vm"))]
    assert told == ["enrolled", "scheduled", "started", "removed", "completed"]
    assert land.desk.driver.asked[0].started_at == NOON + minutes(5)
