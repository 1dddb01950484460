"""The power is cut at every write, sync, truncate and delete that the store asks of the disk.

After each cut the disk is opened again, by the same code that runs in production: everything acknowledged must be
there, and nothing half. Some of those that come back are used on, and cut again.
"""

import asyncio
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

import apsw

from forewarn.store.batch import Batches
from forewarn.store.connecting import Connection
from forewarn.store.migrating import migrate
from forewarn.store.reader import SqlReader
from tests.crash.disk import Disk, Image, Platter
from tests.crash.owning import Refused
from tests.crash.vfs import DATABASE, connected
from tests.crash.workload import Batch, batches, rehearse, state

AGAIN = 0.05
"""How many of the disks that came back are used on and cut again."""


class Verdict(Enum):
    EXACT = "what was acknowledged, and no more"
    AHEAD = "also the batch that was under way, whole"
    LOST = "something acknowledged is lost"
    HALF = "something is half there"
    DAMAGED = "the database is damaged"

    @property
    def is_good(self) -> bool:
        return self in (Verdict.EXACT, Verdict.AHEAD)


@dataclass(frozen=True, slots=True)
class Run:
    """What was asked of the disk, and after how much of it each batch was acknowledged."""

    start: Image
    disk: Disk
    first: int  # how many batches the disk held at the start
    acknowledged: Sequence[int]

    def held(self, position: int) -> int:
        """How many batches were acknowledged when the power went."""
        return self.first + bisect_right(self.acknowledged, position)


@dataclass(frozen=True, slots=True)
class Finding:
    seed: int
    position: int  # how many operations the disk was asked for before the cut
    verdict: Verdict

    def __str__(self) -> str:
        return f"seed {self.seed}, cut after operation {self.position}: {self.verdict.value}"


@dataclass(slots=True)
class Trial:
    """One seed: a script, and the ways the disk may fail."""

    seed: int
    length: int = 20
    synchronous: str = "full"
    store: Callable[[Connection], Batches] = Batches
    script: Sequence[Batch] = field(init=False)
    states: Sequence[object] = field(init=False)
    chance: Random = field(init=False)

    def __post_init__(self) -> None:
        self.script = batches(self.seed, self.length)
        self.states = asyncio.run(rehearse(self.script))
        self.chance = Random(self.seed)

    def cut_everywhere(self, image: Image, times: int = 1) -> Iterator[Finding]:
        """Cut after each operation, `times` in each place, and cut some of the survivors once more."""
        run = self._perform(image, 0)
        platter = Platter(run.start)
        for position, asked in enumerate([None, *run.disk.record]):
            if asked is not None:
                platter.do(asked)
            for _ in range(times):
                yield from (Finding(self.seed, position, verdict) for verdict in self._cut(platter, run, position))

    def _cut(self, platter: Platter, run: Run, position: int) -> Iterator[Verdict]:
        image = platter.after_cut(self.chance)
        verdict, held = self._examine(image, run.held(position))
        yield verdict
        if verdict.is_good and self.chance.random() < AGAIN:
            again = self._perform(image, held)
            platter = Platter(again.start)
            position = self.chance.randrange(len(again.disk.record) + 1)
            for asked in again.disk.record[:position]:
                platter.do(asked)
            yield self._examine(platter.after_cut(self.chance), again.held(position))[0]

    def _perform(self, image: Image, first: int) -> Run:
        disk = Disk.holding(image)
        acknowledged = []
        with connected(disk, synchronous=self.synchronous) as connection:
            store = self.store(connection)
            for batch in self.script[first:]:
                failures = [o.error for o in store.commit(batch) if not isinstance(o.error, Refused | None)]
                assert not failures, failures
                acknowledged.append(len(disk.record))
        return Run(image, disk, first, acknowledged)

    def _examine(self, image: Image, held: int) -> tuple[Verdict, int]:
        """What is found on the disk, and how many batches it holds."""
        try:
            with connected(Disk.holding(image)) as connection:
                if connection.execute("pragma integrity_check").fetchall() != [("ok",)]:
                    return Verdict.DAMAGED, 0
                found = state(SqlReader(connection))
        except apsw.Error:
            return Verdict.DAMAGED, 0
        if found == self.states[held]:
            return Verdict.EXACT, held
        if found in self.states[held + 1 : held + 2]:
            return Verdict.AHEAD, held + 1
        return (Verdict.LOST if found in self.states[:held] else Verdict.HALF), 0


def new_disk() -> Image:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / DATABASE
        migrate(database)
        return {DATABASE: database.read_bytes()}


def try_seeds(seeds: Sequence[int], *, times: int = 1, **how: Any) -> Iterator[Finding]:
    image = new_disk()
    for seed in seeds:
        yield from Trial(seed, **how).cut_everywhere(image, times)


def long_form(seeds: int) -> bool:
    """Every cut, on many scripts. Says whether all was well."""
    counts: Counter[Verdict] = Counter()
    for finding in try_seeds(range(seeds), times=2, length=24):
        counts[finding.verdict] += 1
        if not finding.verdict.is_good:
            print(f"\r{finding}")
        if counts.total() % 500 == 0:
            print(f"\r{counts.total():,} cuts, seed {finding.seed + 1} of {seeds}", end="", flush=True)
    print(f"\r{counts.total():,} power cuts, {seeds} seeds:")
    for verdict in Verdict:
        print(f"{counts[verdict]:>10,}  {verdict.value}")
    return all(verdict.is_good for verdict in counts)
