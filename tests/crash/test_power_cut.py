"""A power cut loses nothing that was acknowledged and leaves nothing half. `python -m tests.crash` is the long form."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

from forewarn.domain.history import What, first_break
from forewarn.store.batch import Batches, Outcome, Work
from tests.crash.disk import SECTOR, Delete, Image, Platter, Sync, Truncate, Write
from tests.crash.power_cut import Verdict, try_seeds
from tests.crash.workload import SCOPES, batches, rehearse


def counted(*, length: int = 8, **how: Any) -> Counter[Verdict]:
    return Counter(finding.verdict for finding in try_seeds([1], length=length, **how))


def test_nothing_acknowledged_is_lost_and_nothing_is_half_applied() -> None:
    verdicts = counted(length=14)
    assert verdicts.total() > 400
    assert verdicts[Verdict.EXACT] > 0
    assert verdicts[Verdict.AHEAD] > 0
    assert all(verdict.is_good for verdict in verdicts), verdicts


def test_a_store_that_does_not_sync_each_commit_is_found_out() -> None:
    assert counted(synchronous="normal")[Verdict.LOST] > 0


def test_a_store_that_never_syncs_is_found_damaged() -> None:
    assert counted(synchronous="off")[Verdict.DAMAGED] > 0


class OneByOne(Batches):
    """A store that lets the power be cut between the works of a batch."""

    def commit(self, works: Sequence[Work]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for work in works:
            outcomes += super().commit([work])
        return outcomes


def test_a_store_that_commits_in_steps_is_found_half_way() -> None:
    assert counted(store=OneByOne)[Verdict.HALF] > 0


def test_the_same_seed_gives_the_same_findings() -> None:
    first, second = (list(try_seeds([5], length=3)) for _ in range(2))
    assert first == second


def test_the_script_does_a_bit_of_everything_and_incarnations_never_go_back() -> None:
    states: list[Any] = asyncio.run(rehearse(batches(2, 150)))
    scopes, *_, jobs, _ = states[-1]
    history = states[-1][6]
    assert {entry.what for entry in history} >= {
        *(What.SCHEDULED, What.APPROVED, What.STARTED, What.COMPLETED),
        *(What.CANCELED, What.POWER, What.REMOVED, What.ENROLLED),
    }
    assert [entry.seq for entry in history] == list(range(1, len(history) + 1))
    assert all(first_break(entry for entry in history if entry.scope == scope) is None for scope in SCOPES)
    assert {scope.id for scope in scopes} >= set(SCOPES)
    assert len(jobs) > 20
    newest: dict[str, tuple[int, int]] = {}
    for _, after in pairwise(states):
        for scope in after[0]:
            pair = (scope.epoch, scope.incarnation)
            assert pair >= newest.get(scope.id, pair)
            newest[scope.id] = pair


def found(image: Image, *asked: Write | Truncate | Sync | Delete) -> set[bytes | None]:
    """All the ways in which the file `f` is found after a cut."""
    platter = Platter(image)
    for request in asked:
        platter.do(request)
    return {platter.after_cut(Random(seed)).get("f") for seed in range(300)}


def test_the_disk_keeps_what_was_synced() -> None:
    assert found({}, Write("f", 0, b"abc"), Sync("f")) == {b"abc"}
    assert found({"f": b"abc"}, Truncate("f", 1), Sync("f")) == {b"a"}
    assert found({"f": b"abc"}, Delete("f", durable=True)) == {None}


def test_the_disk_may_keep_lose_or_tear_what_was_not() -> None:
    assert found({}, Write("f", 0, b"")) == {None, b""}
    assert found({"f": b"abc"}, Delete("f", durable=False)) == {None, b"abc"}
    assert found({"f": b"abc"}, Truncate("f", 1)) == {b"a", b"abc"}
    assert found({"f": b"abc"}, Write("f", 1, b"X")) == {b"abc", b"aXc"}


def test_the_disk_may_lose_one_sector_and_keep_the_next_or_tear_it() -> None:
    old, new = bytes(2 * SECTOR), b"N" * 2 * SECTOR
    ways = found({"f": old}, Write("f", 0, new))
    assert ways > {old, new, old[:SECTOR] + new[SECTOR:], new[:SECTOR] + old[SECTOR:]}
    assert any(way is not None and 0 < way[:SECTOR].count(b"N") < SECTOR for way in ways)


def test_making_a_file_durable_makes_deletions_durable() -> None:
    assert found({"f": b"abc"}, Delete("f", durable=False), Write("g", 0, b"x"), Sync("g")) == {None}
