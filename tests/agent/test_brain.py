"""What is decided about a document, from what is in the journal."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.agent.brain import Action, Approve, Begin, Finish, Hold, LeaveAlone, Renew, Start, View, plan
from forewarn.agent.config import Approval, Config, Rule
from forewarn.agent.records import Record, Stage
from forewarn.client.documents import Event, EventType, Status
from tests.agent.building import NOON, a_document, a_record, an_event

CONFIG = Config(
    rules=(
        Rule(name="short freeze", types=(EventType.FREEZE,), shorter_than=timedelta(seconds=10), ignore=True),
        Rule(),
    )
)


def decided(*events: Event, records: tuple[Record, ...] = (), **changes: Any) -> list[Action]:
    view = {
        "config": CONFIG,
        "document": a_document(*events),
        "records": records,
        "past": frozenset(),
        "mine": lambda event: "vm" if "vm" in event.resources else "",
        "now": NOON,
        **changes,
    }
    return plan(View(**view))


def test_an_event_about_this_machine_begins() -> None:
    (begin,) = decided(an_event())
    assert isinstance(begin, Begin)
    assert (begin.me, begin.urgent, begin.left) == ("vm", False, timedelta(minutes=15))


@pytest.mark.parametrize(
    ("event", "why"),
    [
        pytest.param(an_event(resources=("other",)), "it is about other", id="somebody else's"),
        pytest.param(
            an_event(type=EventType.FREEZE, duration=timedelta(seconds=5)),
            "short freeze says to ignore it",
            id="ignored",
        ),
    ],
)
def test_what_is_not_ours_to_act_on_is_left_alone(event: Event, why: str) -> None:
    assert decided(event) == [LeaveAlone(event=event, why=why)]


def test_unsure_whether_it_is_about_this_machine_means_doing_nothing() -> None:
    (left,) = decided(an_event(), mine=lambda event: None)
    assert isinstance(left, LeaveAlone)
    assert "cannot be said" in left.why


def test_without_a_rule_nothing_is_done() -> None:
    assert decided(an_event(), config=Config()) == [LeaveAlone(event=an_event(), why="no rule fits it")]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(an_event(type=EventType.PREEMPT, not_before=NOON + timedelta(seconds=30)), id="half a minute"),
        pytest.param(an_event(status=Status.STARTED, not_before=None), id="started at once"),
        pytest.param(an_event(not_before=NOON - timedelta(seconds=1)), id="late"),
    ],
)
def test_little_notice_takes_the_short_path(event: Event) -> None:
    (begin,) = decided(event)
    assert isinstance(begin, Begin)
    assert begin.urgent


def test_an_unreadable_date_is_unknown_and_not_due() -> None:
    (begin,) = decided(an_event(not_before=None))
    assert isinstance(begin, Begin)
    assert (begin.urgent, begin.left) == (False, None)


def test_an_event_that_is_over_does_not_begin_again() -> None:
    assert decided(an_event(), past=frozenset({"E1"})) == []


def test_an_event_under_way_is_not_begun_twice_whatever_the_case_of_its_id() -> None:
    assert decided(an_event(id="e1"), records=(a_record(an_event(id="e1")),)) == []


def test_another_start_is_taken_over() -> None:
    later = an_event(not_before=NOON + timedelta(hours=1))
    assert decided(later, records=(a_record(),)) == [Renew(key="E1", event=later)]


def test_it_has_started() -> None:
    started = an_event(status=Status.STARTED, not_before=None)
    assert decided(started, records=(a_record(),)) == [Start(key="E1", event=started)]
    assert decided(started, records=(a_record(started, started=True),)) == []


@pytest.mark.parametrize("stage", [Stage.PREPARING, Stage.READY, Stage.BLOCKED])
def test_what_is_gone_from_the_document_is_finished(stage: Stage) -> None:
    assert decided(records=(a_record(stage=stage),)) == [Finish(key="E1")]


def test_what_is_being_restored_is_left_to_it() -> None:
    assert decided(records=(a_record(stage=Stage.RESTORING),)) == []
    assert decided(an_event(), records=(a_record(stage=Stage.RESTORING),)) == []


def test_what_is_ready_is_approved_or_held_with_the_reason() -> None:
    ready = a_record(stage=Stage.READY, ready_at=NOON)
    assert decided(an_event(), records=(ready,)) == [Approve(key="E1", why="it is about this machine alone")]
    never = a_record(stage=Stage.READY, ready_at=NOON, approval=Approval.NEVER)
    (hold,) = decided(an_event(), records=(never,))
    assert isinstance(hold, Hold)


def test_readiness_of_others_reaches_the_policy() -> None:
    pair = an_event(resources=("vm", "other"))
    record = a_record(pair, stage=Stage.READY, ready_at=NOON, approval=Approval.ALL_READY)
    (hold,) = decided(pair, records=(record,), ready={"E1": frozenset({"vm"})})
    assert hold == Hold(key="E1", why="waits until other is ready")
    (approve,) = decided(pair, records=(record,), ready={"E1": frozenset({"vm", "other"})})
    assert isinstance(approve, Approve)


def test_what_is_gone_from_a_doubtful_document_is_not_over() -> None:
    record = a_record(stage=Stage.READY)
    assert decided(records=(record,), doubted=True) == []
    assert decided(records=(record,)) == [Finish(key="E1")]
