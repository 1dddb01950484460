"""Nothing is approved that was not prepared, nor for others unless that was agreed."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.agent.config import Approval
from forewarn.agent.consent import Question, consent
from forewarn.agent.records import Stage
from forewarn.client.documents import Status
from tests.agent.building import NOON, a_record, an_event

TAKEOVER = timedelta(seconds=30)
READY: dict[str, Any] = {"stage": Stage.READY, "ready_at": NOON}
PAIR = an_event(resources=("other", "VM"))


def asked(after: float = 0, ready: frozenset[str] = frozenset(), **record: Any) -> Question:
    event = record.pop("event", None)
    return Question(
        record=a_record(event, **{**READY, **record}),
        now=NOON + timedelta(seconds=after),
        takeover=TAKEOVER,
        ready=ready,
    )


@pytest.mark.parametrize(
    ("question", "approves"),
    [
        pytest.param(asked(), True, id="own: mine alone"),
        pytest.param(asked(event=PAIR), False, id="own: also another's"),
        pytest.param(
            asked(approval=Approval.LEADER, event=an_event(resources=("vm", "other"))), True, id="leader: first"
        ),
        pytest.param(asked(approval=Approval.LEADER, event=PAIR), False, id="leader: second, at once"),
        pytest.param(asked(29, approval=Approval.LEADER, event=PAIR), False, id="leader: second, a little early"),
        pytest.param(asked(30, approval=Approval.LEADER, event=PAIR), True, id="leader: second, the first is silent"),
        pytest.param(
            asked(59, approval=Approval.LEADER, event=an_event(resources=("a", "b", "vm"))), False, id="leader: third"
        ),
        pytest.param(asked(approval=Approval.ALL_READY), False, id="all-ready: nobody"),
        pytest.param(
            asked(approval=Approval.ALL_READY, event=PAIR, ready=frozenset({"vm"})), False, id="all-ready: half"
        ),
        pytest.param(
            asked(approval=Approval.ALL_READY, event=PAIR, ready=frozenset({"vm", "other"})), True, id="all-ready: all"
        ),
        pytest.param(asked(approval=Approval.NEVER), False, id="never"),
        pytest.param(asked(approval=Approval.ASK), False, id="ask: not answered"),
        pytest.param(asked(approval=Approval.ASK, asked=True), True, id="ask: yes"),
        pytest.param(asked(approval=Approval.ASK, asked=False), False, id="ask: no"),
        pytest.param(asked(stage=Stage.PREPARING), False, id="still preparing"),
        pytest.param(asked(stage=Stage.BLOCKED), False, id="a step failed"),
        pytest.param(asked(stage=Stage.BLOCKED, approve_after_failure=True), True, id="a step failed, and was told to"),
        pytest.param(asked(stage=Stage.RESTORING), False, id="over"),
        pytest.param(asked(approved=True), False, id="approved already"),
        pytest.param(asked(event=an_event(status=Status.STARTED)), False, id="started already"),
    ],
)
def test_who_approves_when(question: Question, approves: bool) -> None:
    said = consent(question)
    assert said.approve is approves
    assert said.why


def test_those_in_line_speak_one_after_another() -> None:
    names = ("a", "b", "c", "d")
    event = an_event(resources=names)
    for after in range(0, 91, 30):
        speaking = [n for n in names if consent(asked(after, approval=Approval.LEADER, event=event, me=n)).approve]
        assert speaking == list(names[: after // 30 + 1])
