"""The simulation: it holds for two hundred seeds, it is the same each time, and it can fail."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

import pytest

from forewarn.domain import approving
from forewarn.domain.draft import Change, Draft
from forewarn.domain.events import Action, Actor, EventType, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Clock, Done, Failed, Feed, News, Running, Transaction
from forewarn.store.memory import MemoryStore
from forewarn.testing.simulation import LAWS, Parts, Violation, simulate
from forewarn.testing.simulation.__main__ import main
from forewarn.testing.simulation.ledger import Ledger, UnluckyDriver
from forewarn.testing.simulation.loop import VirtualLoop, run
from forewarn.testing.simulation.trace import Committed, Happened, Impact

T = TypeVar("T")
SEEDS, AT_A_TIME = 200, 20


@pytest.mark.parametrize("first", range(0, SEEDS, AT_A_TIME))
def test_no_law_is_broken(first: int) -> None:
    for seed in range(first, first + AT_A_TIME):
        simulate(seed)


def test_it_is_worth_the_name() -> None:
    """Much happens, and all that can go wrong does."""
    traces = [simulate(seed, laws=()) for seed in range(12)]
    assert sum(len(list(trace.of(Impact))) for trace in traces) > 500
    assert sum("the power is cut" in record.what for trace in traces for _, record in trace.of(Happened)) > 20
    told = {entry.what for trace in traces for _, record in trace.of(Committed) for entry in record.entries}
    assert len(told) == 15, "every word of the history"


# The same seed, the same trace


@pytest.mark.parametrize("seed", [3, 17, 101])
def test_the_same_seed_gives_the_same_trace(seed: int) -> None:
    assert simulate(seed).digest() == simulate(seed).digest()


def test_and_another_seed_another_one() -> None:
    assert simulate(1, steps=50).digest() != simulate(2, steps=50).digest()


def test_the_order_of_sets_has_no_say_in_it() -> None:
    program = "from forewarn.testing.simulation import simulate; print([simulate(s).digest() for s in (3, 17)])"
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("0", "1", "4242")
    }
    assert digests == {f"{[simulate(seed).digest() for seed in (3, 17)]}\n"}


# It can fail: one broken part, and the law that sees it


class Fenceless(Ledger):
    """Acts for whoever asks."""

    def is_stale(self, action: Action) -> bool:
        return False


class Boaster(UnluckyDriver):
    """Says that it is done, and has done nothing."""

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        return Done()


class Dawdler(UnluckyDriver):
    """Is always about to be done."""

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        return Running(now + timedelta(minutes=1))


class Swapping:
    """Tells every other piece of news after the next one."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._kept: News | None = None

    def publish(self, news: News) -> None:
        if self._kept is None:
            self._kept = news
        else:
            self._feed.publish(news)
            self._feed.publish(self._kept)
            self._kept = None


class Gossip:
    """Shows a scope's events to all others."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def publish(self, news: News) -> None:
        shown = next((d.announcements for d in news.documents if d.announcements), ())
        self._feed.publish(replace(news, documents=[replace(d, announcements=shown) for d in news.documents]))
        self._feed.publish(News(documents=[replace(d, scope="elsewhere", announcements=shown) for d in news.documents]))


class Forgetful(MemoryStore):
    """Says that it is saved, and now and then it is not."""

    works = 0

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        self.works += 1
        if self.works % 100:
            return await super().run(work, then)
        answers: list[T] = []

        def lost(tx: Transaction) -> None:
            answers.append(work(tx))
            raise LostError

        try:
            await super().run(lost)
        except LostError:
            if then is not None:
                then(answers[0])
        return answers[0]


class LostError(Exception):
    pass


class AheadOfTime:
    """A clock that is a minute fast."""

    def __init__(self, clock: FleetClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now() + timedelta(minutes=1)

    async def wait_until(self, moment: datetime | None) -> None:
        await self._clock.wait_until(None if moment is None else moment - timedelta(minutes=1))


class Hasty(Engine):
    def __init__(self, *, clock: Clock, **rest: object) -> None:
        assert isinstance(clock, FleetClock)
        super().__init__(clock=AheadOfTime(clock), **rest)  # type: ignore[arg-type]


class Ruthless(Engine):
    """Deletes what is approved without waiting for the others."""

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        def decide(tx: Transaction, draft: Draft) -> tuple[str, ...]:
            unknown = approving.approve(draft, scope, ids, by)
            for event in draft.live_events():
                if event.is_approved and event.type is EventType.TERMINATE and event.phase is Phase.SCHEDULED:
                    draft.start(event, by)
            return tuple(i for i in unknown if not self._ended_lately(tx.event(i), scope, draft.now))

        return await self._command([scope], decide)


class Trusting(Engine):
    """Lets any machine approve any event."""

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        for event_id in ids:
            event = await self.store.read(lambda r, i=event_id: r.event(i))  # type: ignore[misc]
            if event is not None:
                await super().approve(event.scope, [event_id], by)
        return ()


class Careless(Engine):
    """Takes all machines to be of one update domain."""

    async def schedule(
        self, targets: Sequence[tuple[str, str]], work: Maintenance, by: Actor, key: str | None = None
    ) -> list[object]:  # type: ignore[override]
        return list(await super().schedule(targets, work, by, key))

    async def _operations(self, scopes, decide, key):  # type: ignore[no-untyped-def]
        def same(tx: Transaction, draft: Draft):  # type: ignore[no-untyped-def]
            return decide(OneDomain(tx), draft)

        return await super()._operations(scopes, same, key)


class OneDomain:
    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def __getattr__(self, name: str) -> object:
        return getattr(self._tx, name)

    def machines(self, scope: str, names: Sequence[str] | None = None) -> list[Machine]:
        return [replace(machine, update_domain=0) for machine in self._tx.machines(scope, names)]


class Restless(Engine):
    """Moves the incarnation even where nothing visible has changed."""

    async def _command(self, scopes, decide):  # type: ignore[no-untyped-def]
        def restless(tx: Transaction, draft: Draft):  # type: ignore[no-untyped-def]
            seal = draft.seal
            draft.seal = lambda settings: _moved(seal(settings))  # type: ignore[method-assign]
            return decide(tx, draft)

        return await super()._command(scopes, restless)


def _moved(change: Change) -> Change:
    return replace(
        change,
        revisions=tuple(
            replace(r, after=replace(r.after, incarnation=r.after.incarnation + 1)) for r in change.revisions
        ),
    )


class Crashing(Engine):
    """Has a bug."""

    async def request(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        raise KeyError("a bug")


BROKEN = [
    pytest.param(Parts(ledger=Fenceless), {"never_twice"}, id="a-driver-without-a-fence"),
    pytest.param(Parts(driver=Boaster), {"order_then_act"}, id="a-driver-that-only-says-so"),
    pytest.param(Parts(driver=Dawdler), {"all_ends"}, id="a-driver-that-never-ends"),
    pytest.param(Parts(feed=Swapping), {"never_back", "gone_is_gone", "nothing_invented"}, id="a-feed-that-reorders"),
    pytest.param(Parts(feed=Gossip), {"among_ourselves", "gone_is_gone"}, id="a-feed-that-tells-others"),
    pytest.param(Parts(store=Forgetful), {"incarnation_tells", "history_holds", "one_life"}, id="a-store-that-forgets"),
    pytest.param(Parts(engine=Hasty), {"not_before", "deletes_go_together"}, id="a-clock-that-is-fast"),
    pytest.param(Parts(engine=Ruthless), {"deletes_go_together"}, id="deletes-that-do-not-wait"),
    pytest.param(Parts(engine=Trusting), {"among_ourselves"}, id="anybody-may-approve"),
    pytest.param(Parts(engine=Careless), {"one_update_domain"}, id="two-update-domains-in-an-event"),
    pytest.param(Parts(engine=Restless), {"incarnation_tells"}, id="an-incarnation-that-moves-for-nothing"),
    pytest.param(Parts(engine=Crashing), {"answers_make_sense"}, id="a-command-with-a-bug"),
]


@pytest.mark.parametrize(("parts", "laws"), BROKEN)
def test_it_finds(parts: Parts, laws: set[str]) -> None:
    with pytest.raises(Violation) as found:
        for seed in range(60):
            simulate(seed, parts=parts)
    assert found.value.law.name in laws
    assert f"--seed {found.value.trace.seed} --trace" in str(found.value)
    assert str(found.value).startswith(found.value.law.text)


def test_every_law_has_a_name_of_its_own_and_a_sentence() -> None:
    assert len({law.name for law in LAWS}) == len(LAWS)
    assert all(law.text.endswith(".") for law in LAWS)


# The command and the loop


def test_the_command_tells_how_far_it_is_and_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "2", "--start", "5", "--steps", "50"]) == 0
    assert "2 of 2 seeds" in capsys.readouterr().err


def test_the_command_prints_the_whole_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "5", "--steps", "50", "--trace"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert "process 1 starts" in out[0]
    assert "ended with" in out[-2]


def test_the_command_fails_with_the_violation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "60"], parts=Parts(driver=Boaster)) == 1
    assert "broken by seed" in capsys.readouterr().err


def test_it_runs_on_the_store_on_disk_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "2", "--steps", "60", "--store", "sqlite"]) == 0


def test_time_passes_only_when_nobody_has_anything_to_do() -> None:
    order: list[str] = []

    async def later(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        order.append(name)

    async def story(loop: VirtualLoop) -> float:
        await asyncio.gather(later("a day", 86_400), later("an hour", 3_600), later("now", 0))
        return loop.time()

    assert run(story) == pytest.approx(86_400)
    assert order == ["now", "an hour", "a day"]


def test_everybody_waiting_for_somebody_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forewarn.testing.simulation.loop.DEADLOCK", 0.01)

    async def story(loop: VirtualLoop) -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="never end"):
        run(story)
