"""Growing and shrinking a scale set: balanced, protected ones spared, numbers given once."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from forewarn.domain.errors import Conflict
from forewarn.domain.machines import Machine
from forewarn.domain.resources import SCALE_SET, Resource
from forewarn.domain.scalesets import GROUP_SIZE, ScaleIn, SetSpec
from forewarn.domain.scaling import ScaleSet, choose, grow, placement_group, seated
from forewarn.domain.scopes import Scope, ScopeKind
from tests.domain.world import NOON, minutes

ZONES = st.sampled_from([(), ("1",), ("1", "2"), ("1", "2", "3")])
RULES = st.sampled_from(list(ScaleIn))


def ids() -> Callable[[], str]:
    numbers = count()
    return lambda: f"0000-{next(numbers):08X}"


def a_set(members: list[Machine] | None = None, counter: int = 0, **facts: object) -> ScaleSet:
    spec = SetSpec(name="rg/web", title="web", instance=Machine(scope="", name="", terminate_notice=minutes(5)))
    resource = Resource(id="/Web", type=SCALE_SET, name="web", counter=counter, model=4)
    there = members or []
    return ScaleSet(resource=resource, spec=replace(spec, **facts), members=there, staying=there)


def grown(size: int, **facts: object) -> list[Machine]:
    return grow(a_set(**facts), size, NOON, ids())  # type: ignore[arg-type]


@st.composite
def instances(draw: st.DrawFn) -> list[Machine]:
    """Any instances: unbalanced, some protected, some as old as others."""
    numbers = draw(st.lists(st.integers(0, 99), unique=True, max_size=25))
    return [
        Machine(
            scope="rg/web:0",
            name=f"web_{number}",
            instance=str(number),
            zone=draw(st.sampled_from("123")),
            fault_domain=draw(st.integers(0, 4)),
            created_at=NOON + timedelta(minutes=draw(st.integers(0, 3))),
            keep_on_scale_in=draw(st.integers(0, 5)) == 0,
            keep_as_it_is=draw(st.integers(0, 9)) == 0,
        )
        for number in numbers
    ]


def spread(counter: "Counter[object]", places: int) -> int:
    """How far the fullest place is from the emptiest."""
    return max(counter.values(), default=0) - (min(counter.values()) if len(counter) == places else 0)


# Growing


@given(st.integers(0, 60), st.integers(0, 60), ZONES, st.integers(1, 5))
def test_zones_are_balanced_and_fault_domains_within_each(
    first: int, more: int, zones: tuple[str, ...], domains: int
) -> None:
    start = grown(first, zones=zones, fault_domains=domains)
    born = grow(a_set(start, counter=first, zones=zones, fault_domains=domains), more, NOON, ids())
    everybody = [*start, *born]
    assert spread(Counter(m.zone for m in everybody), len(zones) or 1) <= 1
    for zone in zones or ("",):
        assert spread(Counter(m.fault_domain for m in everybody if m.zone == zone), domains) <= 1


@given(st.lists(st.integers(0, 150), max_size=4), ZONES, st.booleans())
def test_no_name_number_or_seat_is_given_twice(steps: list[int], zones: tuple[str, ...], flexible: bool) -> None:
    members: list[Machine] = []
    counter, new_id = 0, ids()
    for step in steps:
        members += grow(a_set(members, counter=counter, zones=zones, flexible=flexible), step, NOON, new_id)
        counter += step
    assert len({machine.name for machine in members}) == len(members)
    assert len({machine.instance for machine in members}) == len(members)
    assert len({machine.computer_name for machine in members}) == len(members)
    assert len({machine.profile.vm_id for machine in members}) == len(members)
    sizes = Counter(machine.scope for machine in members)
    assert flexible or max(sizes.values(), default=0) <= GROUP_SIZE
    assert not flexible or set(sizes) <= {"rg/web:0"}


@given(st.integers(1, 250), ZONES)
def test_a_placement_group_never_spans_zones_and_is_filled_before_the_next(size: int, zones: tuple[str, ...]) -> None:
    by_group: dict[str, list[Machine]] = {}
    for machine in grown(size, zones=zones):
        by_group.setdefault(machine.scope, []).append(machine)
    assert all(len({machine.zone for machine in group}) == 1 for group in by_group.values())
    for scope, group in by_group.items():
        number = int(scope[-1])
        if f"{scope[:-1]}{number + 1}" in by_group:
            assert len(group) == GROUP_SIZE


def test_those_who_leave_hold_their_seat_but_not_the_balance() -> None:
    members = grown(100, zones=())
    members = [replace(machine, fault_domain=0 if n < 90 else 1) for n, machine in enumerate(members)]
    leaving_soon = replace(a_set(members, counter=100, fault_domains=2), staying=members[90:])
    (born,) = grow(leaving_soon, 1, NOON, ids())
    assert (born.scope, born.fault_domain, born.name) == ("rg/web:1", 0, "web_100")


def test_an_instance_is_made_from_the_model() -> None:
    (machine,) = grown(1, computer_prefix="Web")
    assert (machine.model, machine.terminate_notice, machine.created_at) == (4, minutes(5), NOON)
    assert (machine.computer_name, machine.declared, machine.profile.vm_id) == ("Web000000", False, "0000-00000000")


def test_a_flexible_instance_never_takes_a_name_that_is_taken() -> None:
    numbers = iter(["aaaaaaaa", "vm-1", "AAAAAAAA", "bbbbbbbb", "vm-2"])
    first, second = grow(a_set(flexible=True), 2, NOON, lambda: next(numbers))
    assert (first.name, second.name) == ("web_aaaaaaaa", "web_bbbbbbbb")


def test_a_placement_group_is_its_set_s() -> None:
    group = placement_group("rg/web:0", a_set(flexible=True, fault_domains=0), epoch=9)
    assert (group.kind, group.scale_set, group.owner) == (ScopeKind.PLACEMENT_GROUP, "rg/web", "/web")
    assert (group.epoch, group.declared, group.flexible, group.fault_domains) == (9, False, True, 1)


@given(st.integers(1, 20), st.integers(1, 3), st.integers(0, 40))
def test_machines_that_join_one_by_one_are_balanced_too(updates: int, faults: int, size: int) -> None:
    scope = Scope(id="s", kind=ScopeKind.AVAILABILITY_SET, update_domains=updates, fault_domains=faults)
    members: list[Machine] = []
    for number in range(size):
        members.append(seated(Machine(scope="", name=str(number)), scope, members))
    assert spread(Counter(m.update_domain for m in members), updates) <= 1
    assert spread(Counter(m.fault_domain for m in members), faults) <= 1
    assert {machine.scope for machine in members} <= {"s"}


# Shrinking


@given(instances(), st.integers(0, 25), RULES)
def test_a_scale_in_takes_as_many_as_asked_and_never_a_protected_one(
    members: list[Machine], wanted: int, rule: ScaleIn
) -> None:
    free = [m for m in members if not (m.keep_on_scale_in or m.keep_as_it_is)]
    if wanted > len(free):
        with pytest.raises(Conflict, match="protected from scale-in"):
            choose(members, wanted, rule)
        return
    chosen = choose(members, wanted, rule)
    assert len({machine.name for machine in chosen}) == wanted
    assert all(machine in free for machine in chosen)


@given(instances(), st.data(), RULES)
def test_each_one_is_taken_from_the_fullest_zone_that_can_give(
    members: list[Machine], data: st.DataObject, rule: ScaleIn
) -> None:
    free = [m for m in members if not (m.keep_on_scale_in or m.keep_as_it_is)]
    left, giving = list(members), list(free)
    for machine in choose(members, data.draw(st.integers(0, len(free))), rule):
        zones = Counter(m.zone for m in left)
        assert zones[machine.zone] == max(zones[m.zone] for m in giving)
        if rule is ScaleIn.DEFAULT:
            places = Counter(m.fault_domain for m in left if m.zone == machine.zone)
            here = [m for m in giving if m.zone == machine.zone]
            assert places[machine.fault_domain] == max(places[m.fault_domain] for m in here)
        left.remove(machine)
        giving.remove(machine)


AGES = [3, 1, 2, 0]  # minutes after noon, by number


@pytest.mark.parametrize(
    ("rule", "order"),
    [
        pytest.param(ScaleIn.DEFAULT, "3210", id="default-is-the-highest-number"),
        pytest.param(ScaleIn.NEWEST, "0213", id="newest"),
        pytest.param(ScaleIn.OLDEST, "3120", id="oldest"),
    ],
)
def test_where_all_is_balanced_the_rule_decides(rule: ScaleIn, order: str) -> None:
    members = [
        Machine(scope="s", name=f"web_{n}", instance=str(n), created_at=NOON + minutes(age))
        for n, age in enumerate(AGES)
    ]
    assert "".join(machine.instance for machine in choose(members, 4, rule)) == order


def test_numbers_are_compared_as_numbers() -> None:
    members = [Machine(scope="s", name=f"web_{n}", instance=str(n)) for n in (9, 10)]
    assert [machine.instance for machine in choose(members, 1, ScaleIn.DEFAULT)] == ["10"]


def test_the_newest_of_a_flexible_set_goes_first() -> None:
    old = Machine(scope="s", name="web_zz", instance="web_zz", created_at=NOON)
    new = replace(old, name="web_aa", instance="web_aa", created_at=NOON + minutes(1))
    assert choose([old, new], 1, ScaleIn.DEFAULT) == [new]
