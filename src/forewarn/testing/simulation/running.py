"""One seed, from the first line to the last; and the laws asked of it."""

import asyncio
import random
from collections.abc import Iterable

from forewarn.engine.ports import Reader
from forewarn.testing.simulation import loop
from forewarn.testing.simulation.crowd import Crowd
from forewarn.testing.simulation.fleets import any_fleet
from forewarn.testing.simulation.laws import LAWS, Breach, Law
from forewarn.testing.simulation.ledger import Luck
from forewarn.testing.simulation.site import Parts, Site, Weather
from forewarn.testing.simulation.trace import Ended, Trace

STEPS = 800
ALL = 10**9
LATE = 30.0
"""Seconds after which nothing goes wrong any more that began in bad weather."""


class Violation(AssertionError):
    def __init__(self, trace: Trace, law: Law, breach: Breach) -> None:
        super().__init__(
            f"{law.text}\n  broken by seed {trace.seed} in step {breach.step}: {breach.text}\n\n"
            f"{trace.tail(breach.step)}\n\n"
            f"All of it: python -m forewarn.testing.simulation --seed {trace.seed} --trace"
        )
        self.trace = trace
        self.law = law
        self.breach = breach


def simulate(seed: int, *, steps: int = STEPS, parts: Parts | None = None, laws: Iterable[Law] = LAWS) -> Trace:
    """Play the seed and ask the laws, half-way and at the end."""
    trace = Trace(seed=seed)
    loop.run(lambda ours: _play(ours, trace, steps, parts or Parts(), tuple(laws)))
    return trace


def check(trace: Trace, laws: Iterable[Law] = LAWS) -> None:
    for law in laws:
        for breach in law.breaches(trace):
            raise Violation(trace, law, breach)


async def _play(ours: loop.VirtualLoop, trace: Trace, steps: int, parts: Parts, laws: tuple[Law, ...]) -> None:
    rng = random.Random(trace.seed)  # noqa: S311, the seed is the point
    site = Site(ours, rng, parts, trace, any_fleet(rng))
    crowd = Crowd(site)
    await site.start()
    site.weather = _weather(rng)
    for step in range(1, steps + 1):
        site.step = step
        await site.recover()
        await crowd.step()
        if step == steps // 2:
            check(trace, laws)
    await _calm(site, crowd)
    site.note(await _ended(site))
    site.cut_power()
    await site.store.close()
    check(trace, laws)


def _weather(rng: random.Random) -> Weather:
    """A third of the seeds are calm; in the others anything may be bad, and most things are not at once."""

    def sometimes(most: float) -> float:
        return rng.choice([0.0, 0.0, rng.random() * most])

    if rng.random() < 0.33:
        return Weather()
    luck = Luck(
        fails=sometimes(0.5),
        raises=sometimes(0.2),
        hangs=sometimes(0.3),
        dies_before=sometimes(0.05),
        dies_after=sometimes(0.05),
    )
    return Weather(luck=luck, cuts=sometimes(0.01), unavailable=sometimes(0.1), lag=rng.choice([0.0, 0.2, 1.0]))


async def _calm(site: Site, crowd: Crowd) -> None:
    """The accidents stop, the campaigns are called off, and time is played on until nothing happens any more."""
    site.step += 1
    site.weather = Weather()
    await asyncio.sleep(LATE)
    await site.recover()
    await crowd.end_campaigns()
    for _ in range(20):
        await crowd.play_on()
        if not await site.store.read(lambda reader: reader.list_operations(limit=1)):
            break
    await crowd.play_on()


async def _ended(site: Site) -> Ended:
    def look(reader: Reader) -> Ended:
        return Ended(
            history=tuple(reader.history(limit=ALL)),
            operations=tuple(reader.list_operations(live=False, limit=ALL)),
            events=tuple(reader.list_events(live=False, limit=ALL)),
            scopes=tuple(reader.list_scopes(limit=ALL)),
            resources=tuple(reader.list_resources(limit=ALL)),
            next_action=reader.next_action(),
        )

    return await site.store.read(look)
