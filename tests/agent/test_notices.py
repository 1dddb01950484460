"""The outbox: what is told is sent, in order, until it is taken, and outlives the agent."""

import json
import random
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from forewarn.agent import sender
from forewarn.agent.journal import Notice
from forewarn.agent.moments import Moment
from forewarn.agent.notices import identity
from forewarn.agent.sender import DAY, LONGEST, backoff
from tests.agent.building import a_record, a_spec
from tests.agent.outbox import Wall, a_hook, an_outbox, begun
from tests.agent.receivers import Got, Receiver, dripping, receiving, silent


def moments(receiver: Receiver, count: int) -> list[str]:
    return [json.loads(receiver.next().body)["moment"] for _ in range(count)]


def test_every_moment_is_told_in_order_and_then_forgotten(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        record = begun(outbox, a_spec("log"), a_hook(receiver.port))
        for moment in Moment:
            outbox.tell(record, moment, note="why")
        assert moments(receiver, 5) == ["seen", "ready", "started", "over", "failed"]
        outbox.lines.until("is failed: localhost")
        assert outbox.journal.notices() == []


def test_a_step_is_told_of_its_own_moments_alone(tmp_path: Path) -> None:
    with an_outbox(tmp_path, started=False) as outbox:
        record = begun(outbox, a_hook(1, "all"), a_hook(1, "end", at=["over"]))
        outbox.tell(record, Moment.SEEN)
        outbox.tell(record, Moment.OVER)
        told = [(notice.step, notice.moment) for notice in outbox.journal.notices()]
    assert told == [("all", "seen"), ("all", "over"), ("end", "over")]


def test_a_later_notice_waits_for_the_earlier(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        receiver.answers = [(503, {}), (503, {})]
        record = begun(outbox, a_hook(receiver.port))
        outbox.tell(record, Moment.SEEN)
        outbox.lines.until("not delivered: localhost")
        outbox.tell(record, Moment.READY)
        other = begun(outbox, a_hook(receiver.port, "other"), id="E2")
        outbox.later()
        outbox.lines.until("try 3")
        outbox.tell(other, Moment.OVER)
        outbox.lines.until("E2 is over: localhost")
        outbox.later()
        assert moments(receiver, 5) == ["seen", "seen", "over", "seen", "ready"]


def test_what_was_not_taken_is_sent_after_a_restart_under_the_same_id(tmp_path: Path) -> None:
    def brief(got: Got) -> tuple[str, str]:
        return json.loads(got.body)["moment"], got.headers["idempotency-key"]

    with receiving() as receiver:
        receiver.answers = [(500, {})]
        with an_outbox(tmp_path) as outbox:
            record = begun(outbox, a_hook(receiver.port))
            outbox.tell(record, Moment.SEEN)
            outbox.tell(record, Moment.READY)
            outbox.lines.until("not delivered")
        first = receiver.next()
        with an_outbox(tmp_path, Wall(outbox.wall() + 600)) as outbox:
            outbox.lines.until("is ready: localhost")
        second, third = receiver.next(), receiver.next()
    assert brief(first) == brief(second)
    assert brief(second)[1] != brief(third)[1]
    assert json.loads(third.body)["text"].endswith("(This is of 12:00 UTC; it could not be told earlier.)")


def test_a_retry_comes_by_itself_when_its_time_has_come(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path, time.monotonic) as outbox:
        receiver.answers = [(500, {})]
        outbox.tell(begun(outbox, a_hook(receiver.port)))
        assert moments(receiver, 2) == ["seen", "seen"]


def test_what_is_refused_is_dropped_and_the_next_goes_out(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        receiver.answers = [(404, {})]
        record = begun(outbox, a_hook(receiver.port))
        outbox.tell(record, Moment.SEEN)
        outbox.tell(record, Moment.OVER)
        line = outbox.lines.until("dropped")
        assert line.startswith(f"ops: the notice that E1 is seen: dropped: localhost:{receiver.port} answered 404 Not")
        assert moments(receiver, 2) == ["seen", "over"]


def test_a_receiver_that_hangs_is_cut_off_and_delays_nobody_else(tmp_path: Path) -> None:
    with silent() as mute, dripping() as (slow, hung_up), receiving() as receiver, an_outbox(tmp_path) as outbox:
        chain = [
            a_hook(mute, "mute", timeout="1s"),
            a_hook(slow, "slow", timeout="1s"),
            a_hook(receiver.port, timeout="1m"),
        ]
        outbox.tell(begun(outbox, *chain))
        ends = [outbox.lines.until("E1") for _ in range(3)]
        assert "ops: the notice that E1 is seen: localhost" in ends[0]
        assert {end.split(":")[0] for end in ends[1:] if "no answer within 1 s" in end} == {"mute", "slow"}
        assert hung_up.wait(10)


def test_a_receiver_is_given_the_time_it_asks_for(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        receiver.answers = [(429, {"Retry-After": "120"}), (503, {"Retry-After": "86400"})]
        outbox.tell(begun(outbox, a_hook(receiver.port)))
        outbox.lines.until("try 2 in 120 s")
        assert [notice.due for notice in outbox.journal.notices()] == [outbox.wall() + 120]
        outbox.later(121)
        outbox.lines.until("try 3 in 300 s")


def test_after_a_day_nobody_is_told(tmp_path: Path) -> None:
    with receiving() as receiver:
        with an_outbox(tmp_path, started=False) as outbox:
            record = begun(outbox, a_hook(receiver.port))
            outbox.tell(record, Moment.SEEN)
            outbox.later(DAY)
            outbox.tell(record, Moment.OVER)
        with an_outbox(tmp_path, Wall(outbox.wall() + 1)) as outbox:
            assert "is seen: dropped: it is more than a day old" in outbox.lines.until("dropped")
            assert moments(receiver, 1) == ["over"]


def test_a_clock_that_was_set_back_holds_nothing_up(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        receiver.answers = [(500, {})]
        outbox.tell(begun(outbox, a_hook(receiver.port)))
        outbox.lines.until("not delivered")
        outbox.later(-DAY)
        assert moments(receiver, 2) == ["seen", "seen"]


def test_each_event_step_moment_and_machine_has_an_id_of_its_own() -> None:
    notice = Notice(event="E", step="s", moment="seen", facts={"me": "vm", "note": ""})
    others = [
        replace(notice, event="F"),
        replace(notice, step="t"),
        replace(notice, moment="over"),
        replace(notice, facts={"me": "wm", "note": ""}),
        replace(notice, event="Es", step=""),
    ]
    assert len({identity(each) for each in [notice, *others]}) == 6
    assert identity(notice) == identity(replace(notice, id=7, attempts=3, due=9.0, facts={"me": "vm", "note": "n"}))


def test_what_is_due_is_still_sent_when_the_agent_stops(tmp_path: Path) -> None:
    with receiving() as receiver:
        with an_outbox(tmp_path) as outbox:
            record = begun(outbox, a_hook(receiver.port))
            for moment in Moment:
                outbox.tell(record, moment)
        assert moments(receiver, receiver.inbox.qsize()) == [moment.value for moment in Moment]


def test_stopping_does_not_wait_for_who_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "GRACE", 0.1)
    with dripping() as (port, hung_up):
        with an_outbox(tmp_path) as outbox:
            outbox.tell(begun(outbox, a_hook(port, timeout="1m")))
        assert hung_up.wait(10)
        with an_outbox(tmp_path, started=False) as outbox:
            assert [notice.attempts for notice in outbox.journal.notices()] == [0]


def test_no_secret_is_in_the_log_or_the_journal(tmp_path: Path) -> None:
    (tmp_path / "url").touch()
    (tmp_path / "headers").write_text("Authorization: Bearer s3cret")
    state = tmp_path / "state"
    state.mkdir()
    hidden = {"url_file": str(tmp_path / "url"), "headers_file": str(tmp_path / "headers")}
    with receiving() as receiver, an_outbox(state) as outbox:
        (tmp_path / "url").write_text(receiver.url)
        receiver.answers = [(500, {"X": "s3cret"}), (404, {})]
        record = begun(outbox, a_hook(0, **hidden))
        outbox.tell(record, Moment.SEEN)
        for end in ("try 2", "dropped"):
            outbox.lines.until(end)
            outbox.later()
        outbox.tell(record, Moment.OVER)
        outbox.lines.until("took it")
        for event, wrong in {"E2": "http://s3cret:s3cret/", "E3": "http://u:s3cret@localhost/", "E4": "s3cret"}.items():
            (tmp_path / "url").write_text(wrong)
            outbox.tell(begun(outbox, a_hook(0, **hidden), id=event))
            outbox.lines.until(f"{event} is seen: not delivered")
        kept = b"".join(file.read_bytes() for file in state.iterdir())
    assert receiver.next().headers["authorization"] == "Bearer s3cret"
    assert "s3cret" not in "\n".join(outbox.lines.all)
    assert b"s3cret" not in kept


def test_a_notice_whose_step_is_gone_is_dropped(tmp_path: Path) -> None:
    with an_outbox(tmp_path) as outbox:
        gone = Notice(event="E1", step="ops", moment="seen", facts={"me": "vm", "at": "0"})
        outbox.journal.begin(a_record(), [gone])
        outbox.notices.wake()
        assert "its step is not known any more" in outbox.lines.until("dropped")


def test_a_step_of_another_version_tells_nobody_and_breaks_nothing(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        outbox.tell(begun(outbox, a_hook(1, "old", colour="red"), a_hook(receiver.port)))
        assert "there is no option 'colour'" in outbox.lines.until("nobody is told")
        assert moments(receiver, 1) == ["seen"]


def test_a_journal_that_fails_makes_it_rest_instead_of_sending_without_end(tmp_path: Path) -> None:
    with receiving() as receiver, an_outbox(tmp_path) as outbox:
        outbox.journal.close()
        outbox.notices.wake()
        outbox.lines.until("No notices for 60 s")
        outbox.notices.wake()
        outbox.notices.stop()
        assert receiver.inbox.empty()
        assert len(outbox.lines.all) == 1


def test_the_pauses_grow_to_a_limit_and_differ() -> None:
    rng = random.Random(1)
    pauses = [backoff(attempts, rng) for attempts in range(6)]
    assert all(later > earlier for earlier, later in pairwise(pauses[::2]))
    assert 0.5 <= pauses[0] <= 1.0
    assert LONGEST / 2 <= backoff(5000, rng) <= LONGEST
    assert backoff(5000, rng) != backoff(5000, rng)
