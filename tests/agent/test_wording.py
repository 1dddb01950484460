"""What people read."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from forewarn.agent.moments import Moment
from forewarn.agent.records import Progress, Stage
from forewarn.agent.wording import belated, short, span, words
from forewarn.client.documents import Event, Status
from tests.agent.building import NOON, a_record, a_spec, an_event

SOON = an_event(not_before=NOON + timedelta(minutes=14, seconds=20))
RUNNING = an_event(status=Status.STARTED, not_before=None, duration=timedelta(seconds=9))


@pytest.mark.parametrize(
    ("event", "moment", "changes", "text"),
    [
        pytest.param(
            replace(SOON, description="Host maintenance"),
            Moment.SEEN,
            {},
            "vm: Reboot in 14 min 20 s (not before 12:14 UTC), requested by the platform. Host maintenance.",
            id="seen",
        ),
        pytest.param(
            replace(SOON, source="User", duration=timedelta(seconds=9)),
            Moment.READY,
            {"stage": Stage.READY, "approved": True},
            "vm: ready for Reboot in 14 min 20 s (not before 12:14 UTC), requested by a user, for about 9 s; "
            "prepared, approved.",
            id="ready",
        ),
        pytest.param(
            RUNNING,
            Moment.STARTED,
            {"stage": Stage.BLOCKED, "started": True},
            "vm: Reboot has started, for about 9 s; not prepared, not approved.",
            id="started-unprepared",
        ),
        pytest.param(
            RUNNING, Moment.OVER, {"stage": Stage.OVER, "started": True}, "vm: Reboot is over; restored.", id="over"
        ),
        pytest.param(
            SOON,
            Moment.OVER,
            {"stage": Stage.OVER},
            "vm: Reboot is no longer announced: over or called off; restored.",
            id="called-off",
        ),
        pytest.param(
            SOON,
            Moment.FAILED,
            {"stage": Stage.BLOCKED},
            "vm: a step failed for Reboot in 14 min 20 s (not before 12:14 UTC); not prepared, not approved.",
            id="failed",
        ),
        pytest.param(
            an_event(type="Levitate", not_before=None, source="", resources=("a", "vm", "b", "c", "d", "e", "f")),
            Moment.SEEN,
            {},
            "vm: Levitate at a time unknown; together with a, b, c, d, e and 1 more.",
            id="strange-and-shared",
        ),
        pytest.param(
            replace(SOON, not_before=NOON),
            Moment.SEEN,
            {},
            "vm: Reboot now (not before 12:00 UTC), requested by the platform.",
            id="no-notice",
        ),
    ],
)
def test_a_moment_is_told_in_plain_words(event: Event, moment: Moment, changes: dict[str, Any], text: str) -> None:
    assert words(a_record(event, **changes), moment, "vm", "", NOON) == text


def test_what_could_not_be_restored_is_named_with_the_reason() -> None:
    record = a_record(SOON, chain=[a_spec("pool"), a_spec("app")], stage=Stage.RESTORING)
    record = replace(record, steps=(replace(record.steps[0], progress=Progress.UNRESTORED), record.steps[1]))
    told = words(record, Moment.FAILED, "vm", "pool: the socket is gone", NOON)
    assert told == "vm: a step failed for Reboot; not restored: pool. pool: the socket is gone."


def test_what_others_wrote_is_one_line_and_not_endless() -> None:
    told = words(a_record(an_event(description="a\r\nb" * 9999)), Moment.SEEN, "vm", "", NOON)
    assert "\n" not in told
    assert len(told) < 700
    assert short("x" * 10, 4) == "xxx…"


def test_what_comes_late_says_so() -> None:
    assert belated("vm: Reboot.", NOON, NOON + timedelta(seconds=59)) == "vm: Reboot."
    late = belated("vm: Reboot.", NOON, NOON + timedelta(days=1))
    assert late == "vm: Reboot. (This is of 2026-01-01 12:00 UTC; it could not be told earlier.)"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (860, "14 min 20 s"),
        (3600, "1 h"),
        (7501, "2 h 5 min"),
        (90061, "1 d 1 h"),
    ],
)
def test_a_span_of_time_has_two_units_at_most(seconds: int, said: str) -> None:
    assert span(timedelta(seconds=seconds)) == said
