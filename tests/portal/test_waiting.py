"""What an event waits for, in every state it can be in."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.events import Actor, Approval, Event, EventType, Phase, Readiness
from forewarn.domain.scopes import Scope
from forewarn.portal.views.waiting import Wait, wait_view
from forewarn.testing.builders import NOON, a_scope_with, an_event, an_operation

MINUTES = timedelta(minutes=1)
BY_A = Approval(by=Actor.machine("a"), at=NOON)
BY_B = Approval(by=Actor.machine("b"), at=NOON)
BY_ALICE = Approval(by=Actor.user("alice"), at=NOON, acknowledged=True)
READY_B = Readiness(machine="b", ready=True, at=NOON, times=1)
ALL = ApprovalPolicy(rule=Rule.ALL_NAMED)
TWO = ApprovalPolicy(rule=Rule.K_OF_N, count=2)
HUMAN = ApprovalPolicy(rule=Rule.HUMAN)


def a_delete(name: str, scope: str = "web:0", minutes: float = 15, **changes: Any) -> Event:
    not_before = NOON + minutes * MINUTES
    return an_event(f"E-{name}", scope, type=EventType.TERMINATE, resources=(name,), not_before=not_before, **changes)


def a_group(*events: Event, name: str = "web:0") -> Scope:
    return a_scope_with(events, name, scale_set="web")


@pytest.mark.parametrize(
    ("approvals", "readiness", "policy", "wait", "missing", "needed"),
    [
        pytest.param((), (), None, Wait.FIRST, ("a", "b"), 0, id="nobody said anything"),
        pytest.param((), (READY_B,), None, Wait.FIRST, ("a",), 0, id="being ready lets nothing start in Azure"),
        pytest.param((BY_A,), (), None, Wait.MOMENT, ("b",), 0, id="the first approval is enough"),
        pytest.param((), (), ALL, Wait.ALL_NAMED, ("a", "b"), 2, id="all have to"),
        pytest.param((BY_A,), (), ALL, Wait.ALL_NAMED, ("b",), 1, id="one of all is missing"),
        pytest.param((BY_A,), (READY_B,), ALL, Wait.MOMENT, (), 0, id="all did, one by being ready"),
        pytest.param((BY_B,), (), TWO, Wait.K_OF_N, ("a",), 1, id="one of two"),
        pytest.param((BY_A, BY_B), (), HUMAN, Wait.HUMAN, (), 0, id="machines cannot, a person has to"),
        pytest.param((BY_ALICE,), (), HUMAN, Wait.MOMENT, ("a", "b"), 0, id="a person did"),
        pytest.param((BY_ALICE,), (), TWO, Wait.MOMENT, ("a", "b"), 0, id="a person speaks for all machines"),
    ],
)
def test_a_scheduled_event(
    approvals: tuple[Approval, ...],
    readiness: tuple[Readiness, ...],
    policy: ApprovalPolicy | None,
    wait: Wait,
    missing: tuple[str, ...],
    needed: int,
) -> None:
    event = an_event(resources=("a", "b"), approvals=approvals, readiness=readiness)
    view = wait_view(event, [a_scope_with([event], approval=policy)], None, NOON)
    assert (view.wait, view.machines, view.needed) == (wait, missing, needed)
    assert (view.scope, view.until) == ("s", event.not_before)


def test_an_approved_delete_waits_for_the_other_placement_group_and_no_longer_than_that_needs() -> None:
    mine, other = a_delete("web_1", approvals=(BY_A,)), a_delete("web_9", "web:1", minutes=4)
    view = wait_view(mine, [a_group(mine), a_group(other, name="web:1")], None, NOON)
    assert (view.wait, view.others, view.until) == (Wait.OTHERS, (other,), other.not_before)


def test_a_delete_that_is_not_approved_also_tells_what_would_hold_it_up() -> None:
    mine, other = a_delete("web_1"), a_delete("web_2", minutes=4)
    view = wait_view(mine, [a_group(mine, other)], None, NOON)
    assert (view.wait, view.others, view.until) == (Wait.FIRST, (other,), mine.not_before)


def test_what_is_due_starts_in_a_moment() -> None:
    event = an_event()
    assert wait_view(event, [a_scope_with([event])], None, event.not_before).wait is Wait.MOMENT


def test_what_has_started_waits_for_the_drivers() -> None:
    event = an_event(resources=("a", "b"), phase=Phase.STARTED)
    view = wait_view(event, [a_scope_with([event])], an_operation(pending=("b",)), NOON)
    assert (view.wait, view.machines) == (Wait.DRIVERS, ("b",))


@pytest.mark.parametrize("phase", [phase for phase in Phase if not phase.is_live])
def test_what_is_over_waits_for_nothing_even_if_its_scope_is_gone(phase: Phase) -> None:
    assert wait_view(an_event(phase=phase), [], None, NOON).wait is Wait.NOTHING
