"""One machine, as a value."""

from datetime import timedelta

from forewarn.domain.events import EventType, OperationState, Phase
from forewarn.domain.history import What
from forewarn.portal.views.lately import LATELY, lately_of
from forewarn.portal.views.machines import machine_view
from forewarn.testing.builders import NOON, a_machine, a_scope, a_scope_with, an_entry, an_event, an_operation

MINUTE = timedelta(minutes=1)


def test_what_is_under_way_comes_first_and_what_is_about_others_not_at_all() -> None:
    events = [
        an_event("SOON"),
        an_event("NOW", phase=Phase.STARTED, not_before=NOON + 99 * MINUTE),
        an_event("OTHER", resources=("other",)),
        an_event("OVER", phase=Phase.COMPLETED),
    ]
    view = machine_view(a_machine(), a_scope_with(events), metadata_url="")
    assert [event.id for event in view.events] == ["NOW", "SOON"]


def test_what_runs_without_an_event_is_shown_too() -> None:
    running = an_operation("R", impact=EventType.REDEPLOY)
    others = (an_operation("O", machines=("other",)), an_operation("D", state=OperationState.SUCCEEDED))
    announced = an_operation("A", event="E")
    view = machine_view(a_machine(), a_scope(operations=(running, *others, announced)), metadata_url="")
    assert view.operations == (running,)


def test_the_last_poll_is_the_later_of_what_is_written_down_and_what_was_heard() -> None:
    scope = a_scope(enrolled_at=NOON, last_seen=NOON + MINUTE)
    for heard, expected in ((None, NOON + MINUTE), (NOON, NOON + MINUTE), (NOON + 2 * MINUTE, NOON + 2 * MINUTE)):
        assert machine_view(a_machine(), scope, metadata_url="", heard=heard).last_poll == expected
    assert machine_view(a_machine(), a_scope(), metadata_url="").last_poll is None


def test_lately_tells_once_of_each_event_and_operation_the_newest_first() -> None:
    mine, other, ran = an_event("M", resources=("vm", "x")), an_event("O", resources=("x",)), an_operation("R")
    entries = [
        an_entry("M", at=NOON),
        an_entry("M", what=What.STARTED),
        an_entry("O"),
        an_entry("R", what=What.RAN, at=NOON + MINUTE),
        an_entry("vm", what=What.POWER, before="running", after="stopped", at=NOON + 2 * MINUTE),
        an_entry("x", what=What.POWER),
        an_entry("forgotten"),
    ]
    told = lately_of("vm", entries, {"M": mine, "O": other}, {"R": ran})
    assert [(late.entry.what, late.event, late.operation) for late in told] == [
        (What.POWER, None, None),
        (What.RAN, None, ran),
        (What.SCHEDULED, mine, None),
    ]
    assert (told[0].entry.before, told[0].entry.after) == ("running", "stopped")


def test_lately_has_an_end() -> None:
    entries = [an_entry("vm", what=What.POWER) for _ in range(LATELY + 5)]
    assert len(lately_of("vm", entries, {}, {})) == LATELY
