"""Who listens: enrolled by the first request, forgotten after a day without one."""

from datetime import timedelta

import pytest

from forewarn.domain.events import EventType, OperationState, Phase
from forewarn.domain.history import What
from forewarn.domain.scopes import disenrol_at
from forewarn.domain.settings import Settings
from tests.domain.world import NOON, World, machines, minutes, scope

DAY = timedelta(hours=24)
INSTANT = timedelta(microseconds=1)


def new() -> World:
    return World([scope(enrolled=False)], machines(notice=minutes(5)))


def whats(world: World) -> list[What]:
    return [entry.what for entry in world.entries]


def test_the_first_request_enrols() -> None:
    world = new()
    assert not world.document().enrolled
    world.enrol("web")
    assert world.document().enrolled
    assert (world.document().epoch, world.document().incarnation) == (1, 1), "nothing visible has changed"
    assert whats(world) == [What.ENROLLED]


def test_the_second_request_changes_nothing() -> None:
    world = new()
    world.enrol("web")
    before = world.scopes["web"]
    world.now += minutes(5)
    world.enrol("web")
    assert world.scopes["web"] == before
    assert whats(world) == [What.ENROLLED]


def test_a_day_without_a_request_disenrols_and_not_an_instant_less() -> None:
    world = new()
    world.enrol("web")
    world.advance(DAY - INSTANT)
    assert world.document().enrolled
    world.advance(INSTANT)
    assert not world.document().enrolled
    assert whats(world) == [What.ENROLLED, What.DISENROLLED]


def test_every_request_begins_the_day_anew() -> None:
    world = new()
    world.enrol("web")
    for _ in range(3):
        world.advance(DAY - INSTANT)
        world.poll("web")
    world.advance(DAY - INSTANT)
    assert world.document().enrolled


def test_a_late_mark_of_an_early_request_does_not_count() -> None:
    world = new()
    world.enrol("web")
    seen = world.scopes["web"].last_seen
    world.now -= minutes(5)
    world.poll("web")
    assert world.scopes["web"].last_seen == seen


def test_a_mark_that_comes_after_the_end_does_not_enrol() -> None:
    world = new()
    world.enrol("web")
    world.advance(DAY)
    world.poll("web")
    assert not world.document().enrolled
    assert disenrol_at(world.scopes["web"], DAY) is None


def test_the_day_is_a_setting() -> None:
    world = World([scope(enrolled=False)], machines(), Settings(disenrol_after=minutes(10)))
    world.enrol("web")
    world.advance(minutes(10))
    assert not world.document().enrolled


def test_enrolled_again_the_epoch_has_moved_and_the_incarnation_starts_anew() -> None:
    world = new()
    world.enrol("web")
    operation = world.request("web_0", EventType.REBOOT)
    world.cancel(str(operation.event))
    assert (world.document().epoch, world.document().incarnation) == (1, 3)
    world.advance(DAY)
    world.enrol("web")
    assert (world.document().epoch, world.document().incarnation) == (2, 1)


def test_the_pair_of_epoch_and_incarnation_only_grows() -> None:
    world = new()
    for _ in range(3):
        world.enrol("web")
        world.request("web_0", EventType.REBOOT)
        world.advance(DAY)
        for operation in list(world.operations):
            world.done(operation)
    pairs = [(s.epoch, s.incarnation) for moment in world.moments for s in [moment.after["web"]]]
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("impact", [EventType.REBOOT, EventType.REDEPLOY, EventType.TERMINATE])
def test_forgotten_what_users_asked_for_waits_no_longer(impact: EventType) -> None:
    settings = Settings(notice_reboot=2 * DAY, notice_redeploy=2 * DAY)
    world = World([scope(enrolled=False)], machines(notice=2 * DAY), settings)
    world.enrol("web")
    operation = world.request("web_0", impact)
    world.advance(DAY)
    event = world.event(operation)
    assert (event.phase, event.started_at) == (Phase.STARTED, NOON + DAY)
    assert str(event.approvals[-1].by) == "system:nobody-listens"
    world.done(operation)
    assert world.operations[operation.id].state is OperationState.SUCCEEDED


def test_forgotten_what_the_platform_announced_still_waits_for_its_time() -> None:
    world = new()
    world.settings = Settings(notice_freeze=2 * DAY)
    world.enrol("web")
    (operation,) = world.schedule(["web_0"], EventType.FREEZE)
    world.advance(DAY)
    assert world.phase(operation) is Phase.SCHEDULED
    world.advance(DAY)
    assert world.phase(operation) is Phase.STARTED


def test_forgotten_and_asked_again_the_next_operation_runs_at_once() -> None:
    world = new()
    world.enrol("web")
    world.advance(DAY)
    assert world.request("web_0", EventType.REBOOT).event is None


def test_what_is_live_survives_the_change_of_epoch_with_its_id() -> None:
    world = new()
    world.settings = Settings(notice_freeze=2 * DAY)
    world.enrol("web")
    world.schedule(["web_0"], EventType.FREEZE)
    shown = world.document().announcements
    world.advance(DAY)
    assert world.document().announcements == shown
    assert world.document().epoch == 2
