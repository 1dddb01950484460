"""The fleet in memory: the newest document wins, in whatever order they come; who left is gone."""

import tracemalloc
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.domain.events import Document
from forewarn.imds import Fleet
from forewarn.imds.addresses import fold
from forewarn.imds.slots import Slot
from tests.imds.world import document, machine

pairs = st.tuples(st.integers(1, 4), st.integers(1, 4))


def held(fleet: Fleet, scope: str = "alpha", name: str = "vm1") -> Document | None:
    guest = fleet.known_as(scope, name)
    assert guest is not None
    return guest.slot.document


class Watcher:
    def __init__(self) -> None:
        self.machines = 0
        self.changed: list[str] = []

    def machines_changed(self) -> None:
        self.machines += 1

    def document_changed(self, slot: Slot, before: Document | None) -> None:
        self.changed.append(slot.scope)


@settings(deadline=None)
@given(st.lists(pairs, min_size=1, max_size=12))
def test_an_older_document_never_replaces_a_newer_one(history: list[tuple[int, int]]) -> None:
    fleet = Fleet()
    fleet.publish(machines=[machine()])
    newest = (0, 0)
    for epoch, incarnation in history:
        fleet.publish(documents=[document("alpha", incarnation, epoch=epoch)])
        newest = max(newest, (epoch, incarnation))
        document_held = held(fleet)
        assert document_held is not None
        assert (document_held.epoch, document_held.incarnation) == newest


def test_the_same_pair_brings_the_enrolment_but_is_no_change() -> None:
    fleet, watcher = Fleet(), Watcher()
    fleet.publish(machines=[machine()], documents=[document(enrolled=False)])
    fleet.watch(watcher)
    fleet.publish(documents=[document(enrolled=True)])
    assert held(fleet) == document(enrolled=True)
    assert watcher.changed == []


def test_machines_and_documents_may_come_in_any_order() -> None:
    steps = [{"machines": [machine()]}, {"documents": [document("alpha", 2)]}, {"documents": [document("alpha", 3)]}]
    for order in permutations(steps):
        fleet = Fleet()
        for step in order:
            fleet.publish(**step)  # type: ignore[arg-type]
        assert held(fleet) == document("alpha", 3)


def test_watchers_hear_of_changes_only() -> None:
    fleet, watcher = Fleet(), Watcher()
    fleet.watch(watcher)
    fleet.publish(machines=[machine()])
    assert (watcher.machines, watcher.changed) == (1, [])
    fleet.publish(documents=[document("alpha", 2), document("beta", 1)])
    fleet.publish(documents=[document("alpha", 2), document("alpha", 1)])
    fleet.publish(documents=[document("alpha", 3)])
    assert (watcher.machines, watcher.changed) == (1, ["alpha", "beta", "alpha"])


def test_a_machine_that_stays_who_it_is_is_no_change() -> None:
    fleet, watcher = Fleet(), Watcher()
    fleet.publish(machines=[machine(address="127.0.0.2")])
    fleet.watch(watcher)
    fleet.publish(machines=[machine(address="127.0.0.2")])
    assert watcher.machines == 0
    fleet.publish(machines=[machine(address="127.0.0.3")])
    assert watcher.machines == 1


def test_who_left_is_gone_and_so_is_a_scope_that_was_dissolved() -> None:
    fleet = Fleet()
    fleet.publish(machines=[machine("vm1", address="127.0.0.2"), machine("vm2")], documents=[document("alpha", 9)])
    fleet.publish(gone=[("alpha", "vm1"), ("alpha", "nobody"), ("nowhere", "vm1")])
    assert (fleet.at("127.0.0.2"), fleet.known_as("alpha", "vm1"), fleet.called("vm1")) == (None, None, None)
    assert held(fleet, name="vm2") == document("alpha", 9)
    fleet.publish(gone=[("alpha", "vm2")], documents=[document("alpha", 10)], dissolved=["alpha"])
    fleet.publish(machines=[machine("vm3")], documents=[document("alpha", 1)])
    assert held(fleet, name="vm3") == document("alpha", 1), "a scope made anew starts anew"


def test_an_empty_scope_still_has_its_document_for_whoever_comes_next() -> None:
    fleet = Fleet()
    fleet.publish(machines=[machine("vm1")], documents=[document("alpha", 9)])
    fleet.publish(gone=[("alpha", "vm1")])
    fleet.publish(machines=[machine("vm2")])
    assert held(fleet, name="vm2") == document("alpha", 9)


def test_an_address_belongs_to_who_had_it_last() -> None:
    fleet = Fleet()
    fleet.publish(machines=[machine("vm1", address="127.0.0.2"), machine("vm2", address="127.0.0.2")])
    fleet.publish(gone=[("alpha", "vm1")])
    assert fleet.at("127.0.0.2") is fleet.known_as("alpha", "vm2")


@pytest.mark.parametrize(
    ("address", "folded"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::FFFF:7f00:1", "127.0.0.1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("FD00::A", "fd00::a"),
    ],
)
def test_addresses_have_one_spelling(address: str, folded: str) -> None:
    assert fold(address) == folded


def test_a_large_fleet_is_small() -> None:
    """The index over machines costs less than 1 KiB for each; the machines themselves are their owner's."""
    machines = [machine(f"vm{n}", f"s{n // 100}", f"127.{n >> 16}.{n >> 8 & 255}.{n & 255}") for n in range(20_000)]
    tracemalloc.start()
    fleet = Fleet()
    fleet.publish(machines=machines, documents=[document(f"s{n}", 1) for n in range(200)])
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(machines) < 1024
    assert fleet.called("vm19999.s199") is fleet.at("127.0.78.31")
