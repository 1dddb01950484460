"""What is in the journal is there again when the agent comes back."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from forewarn.agent.config import Approval, OnFailure
from forewarn.agent.errors import JournalError
from forewarn.agent.journal import KEPT, Journal, Notice
from forewarn.agent.records import Progress, Stage, StepRecord
from tests.agent.building import NOON, a_record, a_spec, an_event


def opened(folder: Path) -> Journal:
    return Journal(folder / "journal.db")


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    spec = a_spec(
        "pool",
        limit=timedelta(minutes=5),
        urgent=timedelta(),
        on_failure=OnFailure.GO_ON,
        options={"sockets": ["a", "b"], "wait": True},
    )
    record = a_record(
        an_event(duration=timedelta(seconds=9), type="Levitate", status="Unheard", resources=("vm", "other")),
        chain=[spec, a_spec("b")],
        approval=Approval.ALL_READY,
        asked=False,
        ready_at=NOON,
        urgent=True,
    )
    journal = opened(tmp_path)
    journal.begin(record)
    journal.close()
    assert opened(tmp_path).records() == [record]


def test_what_a_step_did_and_kept_is_durable_and_of_that_step_alone(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    record = a_record(chain=[a_spec("a"), a_spec("b")])
    journal.begin(record)
    journal.step(record.key, 0, Progress.PREPARING, again=True)
    journal.keep(record.key, 0, {"state": "ready", "n": 1})
    journal.keep(record.key, 0, {"n": 2})
    journal.step(record.key, 0, Progress.PREPARED, "drained")
    (found,) = opened(tmp_path).records()
    assert found.steps == (
        StepRecord(
            position=0,
            spec=a_spec("a"),
            progress=Progress.PREPARED,
            attempts=1,
            kept={"state": "ready", "n": 2},
            note="drained",
        ),
        StepRecord(position=1, spec=a_spec("b")),
    )


def test_changing_an_event_leaves_its_steps_alone(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    record = a_record(chain=[a_spec("a")])
    journal.begin(record)
    journal.step(record.key, 0, Progress.PREPARED)
    changed = journal.change(record.key, lambda r: replace(r, stage=Stage.READY))
    assert changed.stage is Stage.READY
    assert journal.records()[0].steps[0].progress is Progress.PREPARED


def test_what_is_over_is_told_apart_and_forgotten_in_the_end(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    old = a_record(an_event(id="OLD"), stage=Stage.OVER, seen_at=NOON - KEPT - timedelta(days=1))
    late = a_record(an_event(id="LATE"), stage=Stage.OVER, seen_at=NOON)
    journal.begin(old)
    assert journal.past() == [old]
    journal.begin(late)
    assert journal.past() == [late]
    assert journal.records() == []


def test_notices_wait_until_they_are_taken(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    record = a_record(an_event(id="E"))
    journal.begin(record, [Notice(event="E", step="ops", moment="seen", facts={"type": "Reboot"})])
    journal.change("E", lambda r: r, [Notice(event="E", step="ops", moment="ready", facts={})])
    first, second = opened(tmp_path).notices()
    assert (first.moment, first.facts, second.moment) == ("seen", {"type": "Reboot"}, "ready")
    journal.postpone_notice(first, due=5.0)
    journal.drop_notice(second)
    (left,) = journal.notices()
    assert (left.moment, left.attempts, left.due) == ("seen", 1, 5.0)


def test_a_journal_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"this is no database, but it is long enough to be taken for one" * 100)
    with pytest.raises(JournalError, match=r"journal\.db cannot be opened"):
        opened(tmp_path)


def test_an_event_that_was_never_begun_is_not_changed(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="knows nothing of E"):
        opened(tmp_path).change("E", lambda record: record)


def test_a_journal_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    Journal(file).close()
    pages = bytearray(file.read_bytes())
    pages[4096:] = b"\xff" * (len(pages) - 4096)
    file.write_bytes(pages)
    journal = Journal(file)
    for read in (journal.records, journal.notices):
        with pytest.raises(JournalError, match=r"journal\.db cannot be read: .*malformed"):
            read()
    journal.close()
