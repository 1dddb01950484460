"""What users ask for: with notice where somebody listens, at once where nobody does."""

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Conflict, Invalid, TooMany
from forewarn.domain.events import Event, EventType, Operation, OperationState, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.machines import EvictionPolicy, Power, Priority
from forewarn.domain.scopes import EventsPolicy
from forewarn.domain.settings import Settings
from tests.domain.world import NOON, World, machines, minutes, scope

RESTART, REDEPLOY, DELETE, EVICT = EventType.REBOOT, EventType.REDEPLOY, EventType.TERMINATE, EventType.PREEMPT
MAINTENANCE = pytest.mark.parametrize("impact", [RESTART, REDEPLOY])


def enrolled(count: int = 3, policy: EventsPolicy | None = None, settings: Settings | None = None) -> World:
    return World([replace(scope(), policy=policy or EventsPolicy())], machines(count=count), settings)


@MAINTENANCE
def test_where_somebody_listens_it_is_announced_and_waits(impact: EventType) -> None:
    world = enrolled()
    operation = world.request("web_0", impact)
    event = world.event(operation)
    assert (event.phase, event.source, event.resources) == (Phase.SCHEDULED, Source.USER, ("web_0",))
    assert world.document().incarnation == 2
    assert world.actions == {}
    assert operation.state is OperationState.IN_PROGRESS


@pytest.mark.parametrize("impact", [RESTART, REDEPLOY, DELETE])
def test_where_nobody_listens_it_runs_at_once_without_an_event(impact: EventType) -> None:
    world = World([scope(enrolled=False)], machines(notice=minutes(5)))
    operation = world.request("web_0", impact)
    assert operation.event is None
    assert world.document() == World([scope(enrolled=False)], []).document()
    (action,) = world.actions.values()
    assert (action.machine, action.impact, action.due) == ("web_0", impact, NOON)
    world.done(operation)
    assert world.operations[operation.id].state is OperationState.SUCCEEDED
    assert [entry.what for entry in world.entries if entry.subject == operation.id] == [What.RAN, What.DONE]


def test_an_operation_without_an_event_can_fail_too() -> None:
    world = World([scope(enrolled=False)], machines())
    operation = world.request("web_0", RESTART)
    world.fail(operation, "no such host")
    ended = world.operations[operation.id]
    assert (ended.state, ended.message) == (OperationState.FAILED, "web_0: no such host")
    assert world.actions == {}


def test_nobody_asks_for_a_freeze() -> None:
    with pytest.raises(Invalid, match="Freeze"):
        enrolled().request("web_0", EventType.FREEZE)


def test_the_eleventh_operation_at_once_is_refused_with_a_clear_text() -> None:
    world = enrolled(count=11)
    for i in range(10):
        world.request(f"web_{i}", RESTART if i % 2 else REDEPLOY)
    with pytest.raises(TooMany, match="10 user-initiated operations are under way in web and no more than 10 may be"):
        world.request("web_10", RESTART)
    assert len(world.live()) == 10


def test_when_one_has_ended_the_next_may_come() -> None:
    world = enrolled(count=3, settings=Settings(user_operations=2))
    first = world.request("web_0", RESTART)
    world.request("web_1", RESTART)
    with pytest.raises(TooMany):
        world.request("web_2", RESTART)
    world.cancel(str(first.event))
    world.request("web_2", RESTART)


def test_operations_that_run_at_once_count_as_well() -> None:
    world = World([scope(enrolled=False)], machines(count=3), Settings(user_operations=2))
    first = world.request("web_0", RESTART)
    world.request("web_1", RESTART)
    with pytest.raises(TooMany):
        world.request("web_2", RESTART)
    world.done(first)
    world.request("web_2", RESTART)


def test_the_limit_counts_neither_deletes_nor_evictions_nor_the_platform() -> None:
    spot = [replace(machine, priority=Priority.SPOT) for machine in machines("spot", 2)]
    world = World([scope(), scope("spot")], machines(count=4, notice=minutes(5)) + spot, Settings(user_operations=1))
    world.schedule(["web_0", "web_1"], EventType.REBOOT)
    for name in ("web_0", "web_1", "web_2"):
        world.request(name, DELETE)
    world.request("spot_0", EVICT)
    world.request("spot_1", EVICT)
    world.request("web_3", RESTART)
    world.request("spot_0", RESTART)
    with pytest.raises(TooMany):
        world.request("web_3", REDEPLOY)


def test_the_limit_is_per_scope() -> None:
    world = World([scope(), scope("db")], machines(count=2) + machines("db", 1), Settings(user_operations=1))
    world.request("web_0", RESTART)
    world.request("db_0", RESTART)


@MAINTENANCE
def test_the_same_operation_twice_on_one_machine_is_refused(impact: EventType) -> None:
    world = enrolled()
    first = world.request("web_0", impact)
    with pytest.raises(Conflict, match=f"web_0 already has a {impact.value} under way \\(operation {first.id}\\)"):
        world.request("web_0", impact)
    assert world.live() == [world.event(first)]


def test_another_operation_on_the_same_machine_is_not() -> None:
    world = enrolled()
    world.request("web_0", RESTART)
    world.request("web_0", REDEPLOY)
    assert len(world.live()) == 2


def test_a_second_delete_waits_for_the_first() -> None:
    world = World([scope()], machines(notice=minutes(5)))
    first = world.request("web_0", DELETE)
    assert world.request("web_0", DELETE) == first
    assert len(world.live()) == 1


def test_a_delete_with_a_terminate_profile_is_announced_and_removes_the_machine() -> None:
    world = World([scope()], machines(notice=minutes(7)))
    operation = world.request("web_0", DELETE)
    event = world.event(operation)
    assert (event.type, event.source, event.not_before) == (DELETE, Source.USER, NOON + minutes(7))
    world.advance(minutes(7))
    assert world.phase(operation) is Phase.STARTED
    world.done(operation)
    assert "web_0" not in world.machines
    assert world.live() == []


def test_a_delete_without_a_profile_runs_at_once() -> None:
    world = enrolled()
    operation = world.request("web_0", DELETE)
    assert (operation.event, world.live()) == (None, [])
    world.done(operation)
    assert "web_0" not in world.machines


@pytest.mark.parametrize(
    ("policy", "impact", "waived"),
    [
        pytest.param(EventsPolicy(approve_user_reboot=True), RESTART, True, id="reboot-approved-restart"),
        pytest.param(EventsPolicy(approve_user_reboot=True), REDEPLOY, False, id="reboot-approved-redeploy"),
        pytest.param(EventsPolicy(approve_user_redeploy=True), REDEPLOY, True, id="redeploy-approved-redeploy"),
        pytest.param(EventsPolicy(approve_user_redeploy=True), RESTART, False, id="redeploy-approved-restart"),
        pytest.param(EventsPolicy(approve_user_reboot=True, approve_user_redeploy=True), DELETE, False, id="delete"),
        pytest.param(EventsPolicy(), RESTART, False, id="no-policy"),
    ],
)
def test_automatically_approve_goes_straight_to_started(policy: EventsPolicy, impact: EventType, waived: bool) -> None:
    world = World([replace(scope(), policy=policy)], machines(notice=minutes(5)))
    operation = world.request("web_0", impact)
    assert (world.phase(operation) is Phase.STARTED) is waived
    assert world.document().incarnation == 2, "one step, whichever way it came"
    assert len(world.actions) == waived


def test_automatically_approve_is_for_users_not_for_the_platform() -> None:
    world = enrolled(policy=EventsPolicy(approve_user_reboot=True, approve_user_redeploy=True))
    world.schedule(["web_0"], EventType.REBOOT)
    assert [event.phase for event in world.live()] == [Phase.SCHEDULED]


def test_an_event_born_started_has_a_life_of_two_documents() -> None:
    world = enrolled(policy=EventsPolicy(approve_user_reboot=True))
    operation = world.request("web_0", RESTART)
    assert [a.not_before for a in world.document().announcements] == [None]
    world.done(operation)
    assert (world.document().incarnation, world.document().announcements) == (3, ())


# allInstancesDown


def all_down(policy: EventsPolicy | None = None) -> World:
    world = enrolled(policy=policy)
    for machine in list(world.machines):
        world.set_power(machine, Power.DEALLOCATED)
    return world


def test_with_all_instances_down_nothing_waits() -> None:
    world = all_down()
    operation = world.request("web_0", RESTART)
    assert world.phase(operation) is Phase.STARTED
    assert world.document().incarnation == 2
    (approval,) = world.event(operation).approvals
    assert str(approval.by) == "system:all-instances-down"


def test_unless_the_policy_says_otherwise() -> None:
    world = all_down(EventsPolicy(approve_all_instances_down=False))
    assert world.phase(world.request("web_0", RESTART)) is Phase.SCHEDULED


def test_one_running_machine_is_reason_enough_to_wait_and_its_end_is_the_end_of_waiting() -> None:
    world = enrolled(count=2)
    operation = world.request("web_0", RESTART)
    world.set_power("web_0", Power.STOPPED)
    assert world.phase(operation) is Phase.SCHEDULED
    world.set_power("web_1", Power.DEALLOCATED)
    assert world.phase(operation) is Phase.STARTED


def test_a_scope_without_machines_is_not_down() -> None:
    world = World([scope()], machines(count=1))
    world.remove("web_0")
    assert world.scopes["web"].any_running


# Eviction


@pytest.mark.parametrize(
    ("policy", "stays"), [(EvictionPolicy.DEALLOCATE, True), (EvictionPolicy.DELETE, False)], ids=lambda v: str(v)
)
def test_an_evicted_machine_is_deallocated_or_gone(policy: EvictionPolicy, stays: bool) -> None:
    fleet = [replace(m, eviction_policy=policy) for m in machines(count=2, priority=Priority.SPOT)]
    world = World([scope()], fleet)
    operation = world.request("web_0", EVICT)
    assert world.event(operation).source is Source.PLATFORM
    world.advance(minutes(0.5))
    world.done(operation)
    assert ("web_0" in world.machines) is stays
    assert not stays or world.machines["web_0"].power is Power.DEALLOCATED


def test_what_users_ask_for_is_known_by_who_asked() -> None:
    world = enrolled()
    operation: Operation = world.request("web_0", RESTART)
    event: Event = world.event(operation)
    (entry,) = world.entries
    assert (str(entry.who), entry.what, entry.subject) == ("user:alice", What.SCHEDULED, event.id)
