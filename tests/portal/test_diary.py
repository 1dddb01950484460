"""The diary knows what ended lately: from before it was opened, and from then on."""

from datetime import timedelta

import pytest

from forewarn.domain.access import Role
from forewarn.domain.events import EventType, Phase
from forewarn.domain.maintenance import Maintenance
from forewarn.portal import diary
from forewarn.portal.diary import Diary
from forewarn.testing.builders import SOMEBODY
from forewarn.wire.fleetfile import parse
from tests.portal.sets import Portal

REBOOT = Maintenance(impact=EventType.REBOOT)


@pytest.fixture
def portal() -> Portal:
    portal = Portal()
    portal.run(portal.engine.load_fleet(parse("[machine.solo]\n[machine.other]", "t.toml").fleet, "first"))
    return portal


def scheduled(portal: Portal, machine: str = "solo") -> str:
    (operation,) = portal.run(portal.engine.schedule([(machine, machine)], REBOOT, SOMEBODY))
    assert operation.event is not None
    return operation.event


def opened(portal: Portal) -> list[tuple[str, Phase]]:
    return told(portal.run(Diary(portal.engine).fill()))


def told(filled: Diary) -> list[tuple[str, Phase]]:
    return [(event.id, event.phase) for event in filled.ended]


def test_what_ended_before_it_was_opened_is_there_in_order_and_what_is_live_is_not(portal: Portal) -> None:
    done, cancelled, live = scheduled(portal), scheduled(portal, "other"), scheduled(portal)
    portal.run(portal.engine.cancel_event(cancelled, SOMEBODY))
    portal.run(portal.engine.approve_event(done, SOMEBODY))
    portal.advance(seconds=1)
    assert opened(portal) == [(cancelled, Phase.CANCELED), (done, Phase.COMPLETED)]
    assert live not in dict(opened(portal))


def test_what_ends_later_is_added(portal: Portal) -> None:
    filled = portal.run(Diary(portal.engine).fill())
    event = scheduled(portal)
    portal.run(portal.engine.cancel_event(event, SOMEBODY))
    assert told(filled) == [(event, Phase.CANCELED)]


def test_what_ended_long_ago_is_forgotten(portal: Portal) -> None:
    old = scheduled(portal)
    portal.run(portal.engine.cancel_event(old, SOMEBODY))
    portal.advance(days=8)
    late = scheduled(portal)
    portal.run(portal.engine.cancel_event(late, SOMEBODY))
    assert opened(portal) == [(late, Phase.CANCELED)]


def test_it_looks_back_page_by_page_and_no_further_than_it_must(
    portal: Portal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diary, "PAGE", 2)
    events = [scheduled(portal) for _ in range(5)]
    for event in events:
        portal.run(portal.engine.cancel_event(event, SOMEBODY))
    portal.admit("somebody", Role.READER)  # an entry about no scope, by another clock
    assert [event for event, _ in opened(portal)] == events
    monkeypatch.setattr(diary, "MOST_PAGES", 2)
    assert [event for event, _ in opened(portal)] == events[-3:]


def test_it_remembers_so_many_and_of_more_the_latest(portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diary, "MOST", 2)
    events = [scheduled(portal) for _ in range(3)]
    for event in events:
        portal.run(portal.engine.cancel_event(event, SOMEBODY))
    filled = portal.run(Diary(portal.engine).fill())
    assert [event for event, _ in told(filled)] == events[-2:]
    another = scheduled(portal)
    portal.run(portal.engine.cancel_event(another, SOMEBODY))
    assert [event for event, _ in told(filled)] == [events[-1], another]


def test_an_operation_without_an_event_is_no_event_that_ended(portal: Portal) -> None:
    portal.run(portal.engine.request(("solo", "solo"), EventType.REBOOT, SOMEBODY))  # nobody polls: it is done at once
    portal.advance(seconds=1)
    assert opened(portal) == []


def test_it_reaches_as_far_as_the_timeline_shows() -> None:
    assert timedelta(days=3.5) < diary.REACH
