"""Maintenance that somebody is about to schedule: what would come of it, or what is wrong with it."""

from datetime import timedelta

import pytest

from forewarn.domain.errors import Invalid
from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Machine, Priority
from forewarn.domain.settings import Settings
from forewarn.portal.views.maintenance import MaintenanceView, Order, maintenance_view, work_of
from forewarn.portal.views.rehearsing import Stage
from forewarn.testing.builders import NOON, SOMEBODY, a_machine, a_scope, an_operation

MINUTE = timedelta(minutes=1)
TOGETHER = [a_machine(f"t{n}", host="h1") for n in range(2)]
ALONE = [a_machine("a", host="h2"), a_machine("b"), a_machine("c", "other", update_domain=1)]
SPOT = a_machine("spot", priority=Priority.SPOT)


def view(order: Order, *machines: Machine) -> MaintenanceView:
    leaving = an_operation(impact=EventType.TERMINATE, machines=("going",))
    scopes = [a_scope(operations=(leaving,)), a_scope("other")]
    return maintenance_view(order, machines, Stage(scopes=scopes, settings=Settings(), now=NOON), SOMEBODY)


def test_machines_of_one_host_share_an_event_and_the_others_do_not() -> None:
    told = view(Order(type=EventType.REBOOT), *TOGETHER, *ALONE)
    assert sorted(event.resources for event in told.events) == [("a",), ("b",), ("c",), ("t0", "t1")]
    assert {event.not_before for event in told.events} == {NOON + 15 * MINUTE}
    assert (told.is_possible, told.refusal, told.least) == (True, None, "15m")


@pytest.mark.parametrize(
    ("order", "machine", "minutes", "phase"),
    [
        pytest.param(Order(notice="1h"), ALONE[0], 60, Phase.SCHEDULED, id="more notice"),
        pytest.param(Order(at_once=True), ALONE[0], 0, Phase.STARTED, id="hardware has failed"),
        pytest.param(Order(type=EventType.PREEMPT), SPOT, 0.5, Phase.SCHEDULED, id="a Spot machine"),
        pytest.param(Order(type=EventType.TERMINATE), ALONE[0], 5, Phase.SCHEDULED, id="Terminate"),
    ],
)
def test_when_it_would_be(order: Order, machine: Machine, minutes: float, phase: Phase) -> None:
    (event,) = view(order, machine).events
    assert (event.not_before, event.phase) == (NOON + minutes * MINUTE, phase)


@pytest.mark.parametrize(
    ("order", "machine", "says", "about_notice"),
    [
        pytest.param(Order(notice="1m"), ALONE[0], "at least 15m", True, id="too little notice"),
        pytest.param(Order(notice="soon"), ALONE[0], "“soon” is not a length of time", True, id="no notice at all"),
        pytest.param(Order(notice="400d"), ALONE[0], "more than 366 days", True, id="too much notice"),
        pytest.param(Order(notice="20m", at_once=True), ALONE[0], "no notice", True, id="notice of what is at once"),
        pytest.param(Order(type=EventType.PREEMPT), ALONE[0], "not a Spot machine", False, id="only Spot is preempted"),
        pytest.param(
            Order(type=EventType.TERMINATE), a_machine("going"), "already being deleted", False, id="it goes already"
        ),
    ],
)
def test_what_is_wrong_is_said_where_it_belongs(order: Order, machine: Machine, says: str, about_notice: bool) -> None:
    told = view(order, machine)
    assert says in str(told.refusal)
    assert (told.is_about_notice, told.is_possible, told.events) == (about_notice, False, ())


def test_a_description_has_an_end() -> None:
    with pytest.raises(Invalid, match="1000 characters"):
        work_of(Order(description="x" * 1001))
    assert work_of(Order(description="")).description is None
