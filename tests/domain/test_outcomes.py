"""What the drivers report, and what becomes of machines, events and operations by it."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict
from forewarn.domain.events import Action, EventType, Operation, OperationState, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.machines import Power, Priority
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.outcomes import leaves_mark, retry_at
from forewarn.domain.settings import Settings
from tests.domain.world import ALICE, NOON, World, machines, minutes, scope


def shared_host(count: int = 3) -> tuple[World, Operation]:
    """One event over machines of one host, started."""
    world = World([scope()], [replace(machine, host="h") for machine in machines(count=count)])
    (operation,) = world.schedule(list(world.machines), EventType.REBOOT)
    return world, operation


def started(count: int = 3) -> tuple[World, Operation]:
    world, operation = shared_host(count)
    world.approve("web", str(operation.event))
    return world, operation


def test_the_commit_that_says_started_orders_one_action_for_each_machine() -> None:
    world, operation = started()
    assert {(a.operation, a.machine) for a in world.actions.values()} == {(operation.id, f"web_{i}") for i in range(3)}
    assert {(a.due, a.started_at, a.attempts, a.fence) for a in world.actions.values()} == {(NOON, NOON, 0, 0)}


def test_it_is_over_when_the_last_machine_is_done() -> None:
    world, operation = started(2)
    world.done(operation, "web_0")
    assert world.phase(operation) is Phase.STARTED
    world.done(operation, "web_1")
    assert world.phase(operation) is Phase.COMPLETED
    assert world.operations[operation.id].state is OperationState.SUCCEEDED


def test_one_failure_fails_the_whole_and_the_event_is_gone_all_the_same() -> None:
    world, operation = started(2)
    world.fail(operation, "no power", "web_0")
    assert world.phase(operation) is Phase.STARTED, "the other machine is still at it"
    world.done(operation, "web_1")
    ended = world.operations[operation.id]
    assert (ended.state, ended.message) == (OperationState.FAILED, "web_0: no power")
    assert world.phase(operation) is Phase.FAILED
    assert world.document().announcements == ()


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 2), (2, 4), (3, 8), (4, 16), (5, None), (6, None)], ids=lambda v: str(v)
)
def test_a_failed_action_is_tried_again_ever_later_and_then_given_up(attempts: int, seconds: int | None) -> None:
    again = retry_at(_action(attempts), NOON, Settings())
    assert again == (None if seconds is None else NOON + timedelta(seconds=seconds))


def test_many_attempts_do_not_run_off_the_calendar() -> None:
    patient = Settings(driver_attempts=1000)
    waits = [retry_at(_action(attempts), NOON, patient) for attempts in range(1, 1000)]
    assert waits == sorted(waits)  # type: ignore[type-var]
    assert max(wait - NOON for wait in waits if wait) <= timedelta(hours=1)


def test_approving_what_has_started_changes_nothing() -> None:
    world, operation = started()
    before, told = world.document(), len(world.entries)
    assert world.approve("web", str(operation.event)) == ()
    assert (world.document(), len(world.entries)) == (before, told)


def test_approving_twice_in_one_breath_is_told_once() -> None:
    world, operation = shared_host()
    world.approve("web", str(operation.event), str(operation.event))
    assert [entry.what for entry in world.entries].count(What.APPROVED) == 1


def test_an_unknown_id_comes_back_and_the_others_take_effect() -> None:
    world, operation = shared_host()
    assert world.approve("web", "NOBODY", str(operation.event)) == ("NOBODY",)
    assert world.phase(operation) is Phase.STARTED


def test_what_has_started_cannot_be_called_off() -> None:
    world, operation = started()
    with pytest.raises(Conflict, match="not the time to cancel"):
        world.cancel(str(operation.event))


def test_called_off_the_operation_ends_and_nothing_is_ordered() -> None:
    world, operation = shared_host()
    world.cancel(str(operation.event))
    assert world.operations[operation.id].state is OperationState.CANCELED
    assert (world.phase(operation), world.actions) == (Phase.CANCELED, {})


def test_a_failed_host_strikes_at_once() -> None:
    world = World([scope()], machines())
    (operation,) = world.schedule(["web_0"], Maintenance(impact=EventType.REDEPLOY, at_once=True))
    event = world.event(operation)
    assert (event.phase, event.started_at, event.not_before) == (Phase.STARTED, NOON, NOON)
    assert world.document().incarnation == 2
    assert [entry.what for entry in world.entries] == [What.STRUCK]
    assert len(world.actions) == 1


def test_a_machine_that_leaves_leaves_its_events_and_the_others_stay() -> None:
    world, operation = shared_host(3)
    world.remove("web_1")
    assert world.event(operation).resources == ("web_0", "web_2")
    assert world.document().incarnation == 3
    world.approve("web", str(operation.event))
    assert [machine for _, machine in world.actions] == ["web_0", "web_2"]
    world.done(operation)
    assert world.phase(operation) is Phase.COMPLETED


def test_when_the_last_of_them_leaves_the_event_is_called_off() -> None:
    world, operation = shared_host(2)
    world.remove("web_0")
    world.remove("web_1")
    assert world.phase(operation) is Phase.CANCELED
    assert world.operations[operation.id].message == "web_1 is gone"


def test_a_machine_that_leaves_in_the_middle_of_its_impact_does_not_stop_it() -> None:
    world, operation = started(2)
    world.remove("web_0")
    assert world.event(operation).resources == ("web_0", "web_1")
    world.done(operation)
    assert world.phase(operation) is Phase.COMPLETED


def test_when_the_last_running_machine_is_evicted_the_rest_need_not_wait() -> None:
    world = World([scope()], machines(count=2, priority=Priority.SPOT))
    world.set_power("web_1", Power.STOPPED)
    restart = world.request("web_1", EventType.REBOOT)
    eviction = world.request("web_0", EventType.PREEMPT)
    world.approve("web", str(eviction.event))
    world.done(eviction)
    assert world.machines["web_0"].power is Power.DEALLOCATED
    assert world.phase(restart) is Phase.STARTED


@pytest.mark.parametrize(
    ("impact", "alone", "in_a_set"),
    [
        pytest.param(EventType.FREEZE, False, False, id="freeze"),
        pytest.param(EventType.REBOOT, False, True, id="reboot"),
        pytest.param(EventType.REDEPLOY, False, True, id="redeploy"),
        pytest.param(EventType.PREEMPT, True, True, id="preempt"),
        pytest.param(EventType.TERMINATE, True, True, id="terminate"),
    ],
)
def test_which_impacts_make_another_machine_of_it(impact: EventType, alone: bool, in_a_set: bool) -> None:
    done = replace(_action(1), impact=impact)
    assert leaves_mark(Draft([scope()], NOON), done) is alone
    assert leaves_mark(Draft([scope(scale_set="web")], NOON), done) is in_a_set


def test_it_is_known_since_when_a_machine_is_as_it_is() -> None:
    world = World([scope(scale_set="web")], machines())
    operation = world.request("web_0", EventType.REBOOT)
    world.advance(minutes(20))
    world.done(operation)
    world.set_power("web_1", Power.STOPPED)
    assert [world.machines[f"web_{n}"].changed_at for n in range(3)] == [NOON + minutes(20), NOON + minutes(20), None]


def test_power_that_does_not_change_is_not_told() -> None:
    world = World([scope()], machines())
    world.set_power("web_0", Power.RUNNING)
    assert world.entries == []
    world.set_power("web_0", Power.STOPPED)
    (entry,) = world.entries
    assert (entry.what, entry.before, entry.after, entry.who) == (What.POWER, "running", "stopped", ALICE)


def _action(attempts: int) -> Action:
    return Action(
        operation="OP",
        machine="web_0",
        scope="web",
        event="EV",
        impact=EventType.REBOOT,
        source=Source.USER,
        started_at=NOON,
        due=NOON + minutes(0),
        attempts=attempts,
    )
