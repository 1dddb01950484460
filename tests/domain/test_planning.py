"""Which machines share an event: those that one host takes down together, never of two update domains."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from forewarn.domain.events import EventType
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance, plan
from tests.domain.world import World, machines, minutes, scope

places = st.tuples(st.integers(0, 3), st.sampled_from(["", "h1", "h2", "h3"]))
fleets = st.lists(places, max_size=20).map(
    lambda found: [
        Machine(scope="web", name=f"web_{i}", update_domain=domain, host=host) for i, (domain, host) in enumerate(found)
    ]
)


@given(fleets)
def test_every_machine_is_in_exactly_one_event(fleet: list[Machine]) -> None:
    planned = Counter(machine.name for group in plan(fleet) for machine in group)
    assert planned == Counter(machine.name for machine in fleet)


@given(fleets)
def test_an_event_has_one_update_domain_and_one_host(fleet: list[Machine]) -> None:
    for group in plan(fleet):
        assert len({machine.update_domain for machine in group}) == 1
        assert len({machine.host for machine in group}) == 1


@given(fleets)
def test_machines_of_one_known_host_and_update_domain_go_down_together(fleet: list[Machine]) -> None:
    known = [group for group in plan(fleet) if group[0].host]
    places = [(group[0].update_domain, group[0].host) for group in known]
    assert len(places) == len(set(places))


@given(fleets)
def test_a_machine_on_an_unknown_host_is_alone(fleet: list[Machine]) -> None:
    assert all(len(group) == 1 for group in plan(fleet) if not group[0].host)


@given(fleets.flatmap(lambda fleet: st.tuples(st.just(fleet), st.permutations(fleet))))
def test_the_plan_does_not_depend_on_the_order_of_asking(fleets: tuple[list[Machine], list[Machine]]) -> None:
    plans = [[{machine.name for machine in group} for group in plan(fleet)] for fleet in fleets]
    assert plans[0] == plans[1]


def test_three_machines_on_three_hosts_are_three_events_and_on_one_host_one() -> None:
    apart = machines(count=3)
    together = [replace(machine, host="h") for machine in apart]
    assert [len(group) for group in plan(apart)] == [1, 1, 1]
    assert [len(group) for group in plan(together)] == [3]


def test_a_host_with_two_update_domains_is_two_events() -> None:
    fleet = [replace(machine, host="h") for machine in machines(count=4, domains=2)]
    world = World([scope()], fleet)
    world.schedule([machine.name for machine in fleet], EventType.FREEZE)
    assert [event.resources for event in world.live()] == [("web_0", "web_2"), ("web_1", "web_3")]


def test_terminate_is_one_event_for_each_machine_whatever_they_share() -> None:
    world = World([scope()], [replace(machine, host="h") for machine in machines(count=3)])
    world.schedule(["web_0", "web_1", "web_2"], Maintenance(impact=EventType.TERMINATE, notice=minutes(5)))
    assert [event.resources for event in world.live()] == [("web_0",), ("web_1",), ("web_2",)]
