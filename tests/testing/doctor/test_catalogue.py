"""The right handler passes, and each wrong one is caught by the check that is for it."""

from collections.abc import Sequence
from typing import Any

import pytest

from forewarn.domain.faults import FaultKind
from forewarn.testing.doctor import CATALOGUE, Orders, Report, Verdict, examine
from forewarn.testing.doctor.probes import Ended
from tests.testing.doctor.patients import handler


def verdicts(report: Report) -> dict[str, str]:
    return {finding.id: finding.verdict.value for finding in report.findings}


def failed(report: Report) -> set[str]:
    return {finding.id for finding in report.failed}


def test_the_right_handler_passes_everything() -> None:
    report = examine(handler("right", interval=0.25, jobs=8, patience=20))
    assert {f.id: (f.verdict, f.reason) for f in report.findings if f.verdict is not Verdict.PASSED} == {}
    assert len(report.findings) == len(CATALOGUE)


WRONG: list[tuple[str, Sequence[str], Sequence[str], dict[str, Any]]] = [
    ("ApprovesEverything", ["others-approval"], ["others-preparation", "prepares-first"], {}),
    ("IgnoresResources", ["others-approval", "others-preparation"], ["prepares-first"], {}),
    ("LooksForItsNameInNames", ["whole-name"], ["others-approval"], {}),
    ("ApprovesFirst", ["prepares-first"], ["others-approval"], {}),
    ("ApprovesOnce", ["approval-repeated"], ["approval-taken"], {}),
    ("ApprovesWithoutVersion", ["approval-taken"], ["api-version"], {}),
    ("ApprovesWithoutHeader", ["metadata-header"], ["approval-taken"], {}),
    ("ApprovesAgainAndAgain", ["waits-after-approval"], ["cancelled"], {}),
    ("ApprovesNothing", ["own-event"], ["next-event"], {"approves": True, "types": ["Reboot"], "reaction": 1}),
    ("StopsAfterAnEvent", ["next-event"], ["own-event"], {}),
    ("UndoesOnlyWhatHasStarted", ["cancelled"], ["own-event"], {}),
    ("TrustsTheIncarnation", ["restarted"], ["repeated"], {}),
    ("LooksAtTheFirstEvent", ["several-events"], ["own-event"], {}),
    ("ReadsIsoDates", ["reads-an-event"], ["often-enough"], {}),
    ("NeedsEveryDate", ["empty-not-before"], ["started-at-once"], {}),
    ("DiesOf500", ["status-500"], ["status-503"], {}),
    ("DiesOfAnythingButJson", ["empty", "not-json"], ["truncated"], {}),
    ("WaitsForEver", ["hang"], ["reset"], {}),
    ("GivesUpSoon", ["first-answer"], ["own-event"], {}),
    ("HurriesWhenRefused", ["calm-when-refused"], ["not-too-often"], {"interval": 0.25}),
    ("AsksForAnOldVersion", ["api-version"], ["own-event"], {}),
]


@pytest.mark.parametrize(("name", "wrong", "fine", "how"), WRONG, ids=[row[0] for row in WRONG])
def test_each_wrong_handler_is_caught_by_the_check_that_is_for_it(
    name: str, wrong: Sequence[str], fine: Sequence[str], how: dict[str, Any]
) -> None:
    report = examine(handler("wrong", name, only=[*wrong, *fine], jobs=3, **how))
    assert verdicts(report) == {**dict.fromkeys(fine, "passed"), **dict.fromkeys(wrong, "failed")}
    for finding in report.failed:
        assert finding.reason
        assert any(moment.text.startswith("client: ") for moment in finding.evidence)


@pytest.mark.parametrize(
    ("interval", "wrong"),
    [pytest.param(0.05, "not-too-often", id="too often"), pytest.param(1, "often-enough", id="too rarely")],
)
def test_a_handler_that_asks_at_the_wrong_pace_is_caught(interval: float, wrong: str) -> None:
    pace = ["not-too-often", "often-enough"]
    assert failed(examine(handler("right", interval=interval, only=pace, slowest=0.5))) == {wrong}


# Fairness.


def test_an_observer_is_judged_by_what_it_sets_out_to_do() -> None:
    only = ["own-event", "others-approval", "prepares-first", "not-json", "cancelled", "metadata-header"]
    report = examine(handler("wrong", "ApprovesNothing", only=only, probe=None, types=["Reboot"], reaction=0.5))
    assert not report.habits.reacts
    assert verdicts(report) == {
        "metadata-header": "passed",
        "own-event": "does not apply",
        "others-approval": "does not apply",
        "prepares-first": "does not apply",
        "cancelled": "does not apply",
        "not-json": "passed",
    }
    assert all(finding.reason for finding in report.findings if finding.verdict is Verdict.DOES_NOT_APPLY)


def test_a_client_may_act_on_one_type_of_event_only_and_prepare_by_ending() -> None:
    leaves = handler("wrong", "EndsBeforeAnEviction", probe=Ended(), types=["Freeze", "Preempt"], reaction=0.5)
    report = examine(Orders(**{**_fields(leaves), "only": ["own-event", "next-event", "status-503", "preempt"]}))
    assert (report.habits.type, report.habits.approves, report.habits.prepares) == ("Preempt", False, True)
    assert verdicts(report) == {
        "own-event": "passed",
        "next-event": "does not apply",
        "preempt": "passed",
        "status-503": "passed",
    }


def _fields(orders: Orders) -> dict[str, Any]:
    return {name: getattr(orders, name) for name in Orders.__dataclass_fields__}


def test_a_client_that_cannot_run_twice_at_a_time_is_examined_alone() -> None:
    report = examine(handler("wrong", "WantsToBeAlone", only=["own-event", "reset", "empty"], jobs=3, settling=2))
    assert set(verdicts(report).values()) == {"passed"}


# The catalogue.


def test_there_is_a_check_for_every_kind_of_fault() -> None:
    known = {check.id.partition("-")[0] if check.id.startswith("status-") else check.id for check in CATALOGUE}
    assert {kind.value for kind in FaultKind} <= known


def test_every_check_has_a_name_of_its_own_and_tells_its_reason() -> None:
    assert len({check.id for check in CATALOGUE}) == len(CATALOGUE)
    for check in CATALOGUE:
        assert check.why.endswith(".")
        assert check.how.endswith(".")
        assert not check.title.endswith(".")
