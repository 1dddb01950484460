"""The simulation: it holds for two hundred seeds, it is the same each time, and it can fail."""

import asyncio
import logging
import os
import subprocess
import sys

import pytest

from forewarn.testing.simulation import LAWS, Parts, Violation, simulate
from forewarn.testing.simulation.__main__ import main
from forewarn.testing.simulation.loop import VirtualLoop, run
from forewarn.testing.simulation.trace import Committed, Happened, Impact
from tests.testing.broken_parts import (
    Boaster,
    Careless,
    Crashing,
    Dawdler,
    Deaf,
    Fenceless,
    Forgetful,
    Forsaking,
    Generous,
    Gentle,
    Gossip,
    Greedy,
    Hasty,
    Haunted,
    Late,
    Recycling,
    Restless,
    Ruthless,
    Stubborn,
    Swapping,
    Trusting,
)

SEEDS, AT_A_TIME, STEPS = 200, 20, 400
"""Stories half as long as those of `make simulate`."""


@pytest.mark.parametrize("first", range(0, SEEDS, AT_A_TIME))
def test_no_law_is_broken(first: int) -> None:
    for seed in range(first, first + AT_A_TIME):
        simulate(seed, steps=STEPS)


def test_it_is_worth_the_name() -> None:
    """Much happens, and all that can go wrong does."""
    traces = [simulate(seed, laws=()) for seed in range(12)]
    assert sum(len(list(trace.of(Impact))) for trace in traces) > 500
    assert sum("the power is cut" in record.what for trace in traces for _, record in trace.of(Happened)) > 20
    told = {entry.what for trace in traces for _, record in trace.of(Committed) for entry in record.entries}
    assert len(told) == 19, "every word of the history"


@pytest.fixture(autouse=True)
def _in_silence(caplog: pytest.LogCaptureFixture) -> None:
    """Drivers fail here by the thousand, and say so."""
    caplog.set_level(logging.CRITICAL, logger="forewarn")


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


BROKEN = [
    pytest.param(Parts(ledger=Fenceless), "never_twice", id="a-driver-without-a-fence"),
    pytest.param(Parts(driver=Boaster), "order_then_act", id="a-driver-that-only-says-so"),
    pytest.param(Parts(driver=Dawdler), "all_ends", id="a-driver-that-never-ends"),
    pytest.param(Parts(feed=Swapping), "never_back", id="a-feed-that-reorders"),
    pytest.param(Parts(feed=Gossip), "seen_by_its_own", id="a-feed-that-tells-others"),
    pytest.param(Parts(store=Forgetful), "incarnation_tells", id="a-store-that-loses-an-update"),
    pytest.param(Parts(store=Forgetful), "promises_are_kept", id="a-store-that-forgets-a-promise"),
    pytest.param(Parts(store=Forgetful), "history_holds", id="a-store-that-forgets-what-happened"),
    pytest.param(Parts(store=Late), "starts_by_itself", id="a-ticker-that-comes-late"),
    pytest.param(Parts(engine=Hasty), "not_before", id="a-clock-that-is-fast"),
    pytest.param(Parts(engine=Ruthless), "deletes_go_together", id="deletes-that-do-not-wait"),
    pytest.param(Parts(engine=Trusting), "approved_by_its_own", id="anybody-may-approve"),
    pytest.param(Parts(engine=Generous), "each_for_itself", id="a-machine-that-speaks-for-all"),
    pytest.param(Parts(engine=Stubborn), "approved_starts", id="a-policy-that-comes-too-late"),
    pytest.param(Parts(engine=Careless), "one_update_domain", id="two-update-domains-in-an-event"),
    pytest.param(Parts(engine=Restless), "incarnation_tells", id="an-incarnation-that-moves-for-nothing"),
    pytest.param(Parts(engine=Deaf), "wishes_are_kept", id="a-campaign-that-does-not-listen"),
    pytest.param(Parts(engine=Gentle), "gone_when_terminated", id="a-machine-that-does-not-go"),
    pytest.param(Parts(store=Haunted), "gone_with_the_last", id="a-set-that-outlives-its-machines"),
    pytest.param(Parts(store=Haunted), "nothing_leaves_for_ever", id="a-set-that-leaves-for-ever"),
    pytest.param(Parts(estate=Greedy), "as_many_as_asked", id="a-scale-in-that-takes-too-many"),
    pytest.param(Parts(estate=Recycling), "numbers_are_given_once", id="a-number-given-twice"),
    pytest.param(Parts(engine=Forsaking), "replaced_one_for_one", id="a-replacement-that-does-not-come"),
    pytest.param(Parts(engine=Crashing), "answers_make_sense", id="a-command-with-a-bug"),
]


@pytest.mark.parametrize(("parts", "name"), BROKEN)
def test_it_finds(parts: Parts, name: str) -> None:
    (law,) = [law for law in LAWS if law.name == name]

    def search() -> None:
        for seed in range(60):
            simulate(seed, parts=parts, laws=[law])

    with pytest.raises(Violation) as found:
        search()
    assert str(found.value).startswith(law.text)
    assert f"--seed {found.value.trace.seed} --trace" in str(found.value)


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
    assert "the power is cut" in out[-1]


def test_the_command_fails_with_the_violation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "0", "--trace"], parts=Parts(driver=Boaster)) == 1
    printed = capsys.readouterr()
    assert "broken by seed 0" in printed.err
    assert "process 1 starts" in printed.out


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
