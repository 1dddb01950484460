"""Steps prepare in order and are restored in reverse, once, wherever the chain was broken off."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from forewarn.agent import chains
from forewarn.agent.chains import Chain
from forewarn.agent.config import OnFailure, StepSpec
from forewarn.agent.errors import JournalError, StepFailed, Stopped
from forewarn.agent.journal import Journal
from forewarn.agent.records import Happened, Progress, Stage
from forewarn.agent.turning import StepLocks
from forewarn.agent.turns import Turn
from forewarn.client.documents import Event
from tests.agent.building import a_record, a_spec, an_event

Act = Callable[[Turn], None]


def nothing(turn: Turn) -> None:
    pass


@dataclass
class Scripted:
    """A step that notes what it did, and does what the test says."""

    name: str
    did: list[str]
    on_prepare: Act = nothing
    on_restore: Act = nothing

    def prepare(self, turn: Turn) -> None:
        self.did.append(f"prepare {self.name}")
        self.on_prepare(turn)

    def restore(self, turn: Turn) -> None:
        self.did.append(f"restore {self.name}")
        self.on_restore(turn)

    def told(self) -> tuple[str, str]:
        return "", ""


@dataclass
class Theatre:
    """A journal, and chains over it."""

    folder: Path
    left: timedelta | None = timedelta(minutes=10)
    acts: dict[str, dict[str, Act]] = field(default_factory=dict)
    did: list[str] = field(default_factory=list)
    locks: StepLocks = field(default_factory=StepLocks)

    def __post_init__(self) -> None:
        self.journal = Journal(self.folder / "journal.db")

    def begin(self, *chain: StepSpec, id: str = "E1", **changes: Any) -> Chain:
        record = a_record(an_event(id=id), chain=chain, **changes)
        self.journal.begin(record)
        return self.chain(id)

    def chain(self, id: str = "E1") -> Chain:
        return Chain(
            journal=self.journal,
            key=id,
            spool=self.folder / "spool",
            build=lambda spec: Scripted(spec.name, self.did, **self.acts.get(spec.name, {})),
            locks=self.locks,
            available=self._available,
            log=logging.LoggerAdapter(logging.getLogger("test"), {}),
        )

    def over(self, id: str = "E1") -> None:
        self.journal.change(id, lambda r: replace(r, stage=Stage.RESTORING))

    def progress(self, id: str = "E1") -> list[Progress]:
        return [step.progress for step in self.journal.known(id).steps]

    def _available(self, event: Event) -> timedelta | None:
        return self.left


@pytest.fixture
def stage(tmp_path: Path) -> Theatre:
    return Theatre(tmp_path)


def fail(turn: Turn) -> None:
    raise StepFailed("the socket is not there")


def test_steps_prepare_in_order_and_restore_in_reverse(stage: Theatre) -> None:
    chain = stage.begin(a_spec("a"), a_spec("b"), a_spec("c"))
    assert chain.prepare() is Happened.PREPARED
    stage.over()
    assert chain.restore() is Happened.RESTORED
    assert stage.did == ["prepare a", "prepare b", "prepare c", "restore c", "restore b", "restore a"]
    assert stage.progress() == [Progress.RESTORED] * 3


def test_a_step_that_fails_ends_the_chain_and_is_restored_too(stage: Theatre) -> None:
    stage.acts["b"] = {"on_prepare": fail}
    chain = stage.begin(a_spec("a"), a_spec("b"), a_spec("c"))
    assert chain.prepare() is Happened.FAILED
    assert stage.journal.known("E1").steps[1].note == "the socket is not there"
    assert stage.chain().prepare() is Happened.FAILED  # after a restart it is not tried again
    stage.over()
    chain.restore()
    assert stage.did == ["prepare a", "prepare b", "restore b", "restore a"]


def test_a_step_that_may_fail_does_not_end_the_chain(stage: Theatre) -> None:
    stage.acts["a"] = {"on_prepare": fail}
    assert stage.begin(a_spec("a", on_failure=OnFailure.GO_ON), a_spec("b")).prepare() is Happened.PREPARED
    assert stage.progress() == [Progress.FAILED, Progress.PREPARED]


def test_a_step_that_raises_what_it_should_not_has_failed(stage: Theatre) -> None:
    stage.acts["a"] = {"on_prepare": lambda turn: print(1 // 0)}
    assert stage.begin(a_spec("a")).prepare() is Happened.FAILED
    assert "ZeroDivisionError" in stage.journal.known("E1").steps[0].note


def test_a_step_has_no_more_time_than_its_limit(stage: Theatre) -> None:
    stage.acts["a"] = {"on_prepare": lambda turn: turn.pause(60)}
    assert stage.begin(a_spec("a", limit=timedelta(milliseconds=20), least=timedelta())).prepare() is Happened.FAILED
    assert "did not end within" in stage.journal.known("E1").steps[0].note


def test_what_does_not_fit_is_not_begun_and_not_restored(stage: Theatre) -> None:
    stage.left = timedelta(seconds=15)
    limits: Mapping[str, Any] = {"limit": timedelta(minutes=1), "least": timedelta(seconds=10)}
    chain = stage.begin(a_spec("a", **limits), a_spec("b", **limits))
    assert chain.prepare() is Happened.PREPARED  # `a` was done at once, so `b` had the time after all
    stage.left = timedelta(seconds=5)
    late = stage.begin(a_spec("x", **limits), a_spec("y", **limits), id="E2")
    assert late.prepare() is Happened.FAILED
    assert stage.progress("E2") == [Progress.SKIPPED, Progress.WAITING]
    stage.over("E2")
    late.restore()
    assert stage.did == ["prepare a", "prepare b"]


def test_the_short_path_leaves_out_what_it_is_told_to_and_is_still_prepared(stage: Theatre) -> None:
    stage.left = timedelta(seconds=20)
    chain = stage.begin(a_spec("slow", urgent=timedelta()), a_spec("quick"), urgent=True)
    assert chain.prepare() is Happened.PREPARED
    assert stage.did == ["prepare quick"]


def test_a_chain_that_is_called_off_stops_at_once_and_goes_on_where_it_was(stage: Theatre) -> None:
    inside = threading.Event()

    def wait(turn: Turn) -> None:
        inside.set()
        if turn.attempt == 1:
            turn.pause(60)

    stage.acts["b"] = {"on_prepare": wait}
    chain = stage.begin(a_spec("a"), a_spec("b"), a_spec("c"))
    ended: list[BaseException] = []

    def run() -> None:
        try:
            chain.prepare()
        except Stopped as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert inside.wait(10)
    chain.call_off()
    thread.join(10)
    assert len(ended) == 1
    assert stage.progress() == [Progress.PREPARED, Progress.PREPARING, Progress.WAITING]
    assert stage.chain().prepare() is Happened.PREPARED
    assert stage.did == ["prepare a", "prepare b", "prepare b", "prepare c"]
    assert stage.journal.known("E1").steps[1].attempts == 2


def test_what_was_half_prepared_is_restored(stage: Theatre) -> None:
    chain = stage.begin(a_spec("a"), a_spec("b"), a_spec("c"))
    stage.journal.step("E1", 0, Progress.PREPARED)
    stage.journal.step("E1", 1, Progress.PREPARING)
    stage.over()
    chain.restore()
    assert stage.did == ["restore b", "restore a"]


def test_a_restore_goes_on_where_it_was_broken_off(stage: Theatre) -> None:
    stage.begin(a_spec("a"), a_spec("b"), a_spec("c"))
    for position, progress in enumerate((Progress.PREPARED, Progress.RESTORING, Progress.RESTORED)):
        stage.journal.step("E1", position, progress)
    stage.over()
    stage.chain().restore()
    assert stage.did == ["restore b", "restore a"]


def test_what_a_step_kept_while_preparing_is_there_to_restore(stage: Theatre) -> None:
    seen: list[Mapping[str, Any]] = []
    stage.acts["a"] = {
        "on_prepare": lambda turn: turn.keep(was="up"),
        "on_restore": lambda turn: seen.append(turn.kept),
    }
    chain = stage.begin(a_spec("a"))
    chain.prepare()
    stage.over()
    stage.chain().restore()
    assert seen == [{"was": "up"}]


def test_a_restore_that_fails_is_tried_again_and_does_not_keep_the_others_from_theirs(
    stage: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "RESTORE_PAUSES", (0.0, 0.0))
    stage.acts["b"] = {"on_restore": fail}
    chain = stage.begin(a_spec("a"), a_spec("b"))
    chain.prepare()
    stage.over()
    assert chain.restore() is Happened.RESTORED
    assert stage.did[2:] == ["restore b"] * 3 + ["restore a"]
    assert stage.progress() == [Progress.RESTORED, Progress.UNRESTORED]


def test_a_step_that_two_events_need_is_prepared_once_and_restored_by_the_last(stage: Theatre) -> None:
    stage.acts["pool"] = {"on_prepare": lambda turn: turn.keep(was="ready")}
    first, second = stage.begin(a_spec("pool")), stage.begin(a_spec("pool"), a_spec("stop"), id="E2")
    first.prepare()
    second.prepare()
    stage.over("E1")
    first.restore()
    assert stage.did == ["prepare pool", "prepare stop"]
    assert stage.progress("E1") == [Progress.HANDED_ON]
    stage.over("E2")
    second.restore()
    assert stage.did[2:] == ["restore stop", "restore pool"]
    assert stage.journal.known("E2").steps[0].kept == {"was": "ready"}


def test_a_step_of_the_same_name_that_does_something_else_is_not_shared(stage: Theatre) -> None:
    stage.begin(a_spec("pool", options={"server": "a"})).prepare()
    stage.begin(a_spec("pool", options={"server": "b"}), id="E2").prepare()
    stage.over("E1")
    stage.chain("E1").restore()
    assert stage.did == ["prepare pool", "prepare pool", "restore pool"]


def test_a_step_that_only_has_another_limit_is_the_same_step(stage: Theatre) -> None:
    """The configuration may be read anew between two events."""
    stage.begin(a_spec("pool", limit=timedelta(minutes=1))).prepare()
    stage.begin(a_spec("pool", limit=timedelta(minutes=2)), id="E2").prepare()
    stage.over("E1")
    stage.chain("E1").restore()
    assert stage.did == ["prepare pool"]


@pytest.mark.parametrize(
    "left_by_the_first", [pytest.param(nothing, id="prepared"), pytest.param(fail, id="failed half-way")]
)
def test_what_the_first_event_kept_of_a_shared_step_is_not_lost(stage: Theatre, left_by_the_first: Act) -> None:
    """Only the first saw how things were before; the last must know it, or it leaves them as they are."""
    seen: list[Mapping[str, Any]] = []

    def cordon(turn: Turn) -> None:
        if "was" not in turn.kept:
            turn.keep(was="up" if turn.event.id == "E1" else "down")
        if turn.event.id == "E1":
            left_by_the_first(turn)

    stage.acts["pool"] = {"on_prepare": cordon, "on_restore": lambda turn: seen.append(turn.kept)}
    first = stage.begin(a_spec("pool"))
    first.prepare()
    stage.over("E1")  # it is being restored already, though not this step
    second = stage.begin(a_spec("pool"), id="E2")
    assert second.prepare() is Happened.PREPARED
    first.restore()
    assert (seen, stage.progress("E1")) == ([], [Progress.HANDED_ON])
    stage.over("E2")
    second.restore()
    assert seen == [{"was": "up"}]


@pytest.mark.parametrize("direction", ["prepare", "restore"])
def test_without_a_journal_nothing_goes_on(stage: Theatre, direction: str) -> None:
    chain = stage.begin(a_spec("a"), a_spec("b"))
    if direction == "restore":
        chain.prepare()
        stage.over()
    stage.acts["a"] = stage.acts["b"] = {f"on_{direction}": lambda turn: stage.journal.close()}
    before = len(stage.did)
    with pytest.raises(JournalError):
        getattr(chain, direction)()
    assert len(stage.did) == before + 1


def test_a_spool_that_cannot_be_made_is_a_failure_of_the_step(stage: Theatre) -> None:
    (stage.folder / "spool").write_text("a file stands in its way")
    assert stage.begin(a_spec("a")).prepare() is Happened.FAILED
    assert stage.did == []
