"""One request for many machines: each verb's event and notice, the limit that counts it once, all of it or none."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Conflict, TooMany
from forewarn.domain.events import EventType, Operation, OperationState, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.machines import Machine, Priority
from forewarn.domain.outcomes import abandon
from forewarn.domain.requesting import Request, Verb, request_all
from forewarn.domain.scopes import EventsPolicy, Walk
from forewarn.domain.settings import Settings
from tests.domain.world import ALICE, NOON, World, machines, minutes, scope

ANNOUNCED = machines(count=3, notice=minutes(7))


def ask(world: World, verb: Verb, names: Sequence[str], request: str = "R") -> list[Operation]:
    members = [world.machines[name] for name in names]
    asked = Request(verb=verb, by=ALICE, id=request)
    return world.do(members[0].scope, lambda d: request_all(d, members, asked, world.settings, world.new_id))


@pytest.mark.parametrize(
    ("verb", "machine", "impact", "notice"),
    [
        pytest.param(Verb.RESTART, {}, EventType.REBOOT, 15, id="restart"),
        pytest.param(Verb.REDEPLOY, {}, EventType.REDEPLOY, 10, id="redeploy"),
        pytest.param(Verb.DELETE, {"terminate_notice": minutes(7)}, EventType.TERMINATE, 7, id="delete"),
        pytest.param(Verb.DELETE, {}, EventType.TERMINATE, None, id="delete-without-a-profile"),
        pytest.param(
            Verb.DELETE,
            {"terminate_notice": minutes(7), "priority": Priority.SPOT},
            EventType.TERMINATE,
            None,
            id="delete-of-spot",
        ),
        pytest.param(Verb.EVICT, {"priority": Priority.SPOT}, EventType.PREEMPT, 0.5, id="evict"),
        pytest.param(Verb.REIMAGE, {"os_image_notice": minutes(15)}, EventType.REBOOT, 15, id="reimage"),
        pytest.param(Verb.REIMAGE, {}, EventType.REBOOT, None, id="reimage-without-a-profile"),
        pytest.param(Verb.MAINTAIN, {}, EventType.REDEPLOY, 0, id="maintain-now"),
    ],
)
@pytest.mark.parametrize("enrolled", [True, False], ids=["enrolled", "nobody-listens"])
def test_what_a_verb_announces(
    enrolled: bool, verb: Verb, machine: dict[str, object], impact: EventType, notice: float | None
) -> None:
    world = World([scope(enrolled=enrolled)], [replace(machines(count=1)[0], **machine)])
    (operation,) = ask(world, verb, ["web_0"])
    assert (operation.impact, operation.request) == (impact, "R")
    assert operation.source is (Source.PLATFORM if verb is Verb.EVICT else Source.USER)
    if notice is None or not enrolled:
        assert operation.event is None
        assert len(world.actions) == 1
        return
    event = world.event(operation)
    assert event.not_before == NOON + minutes(notice)
    assert event.phase is (Phase.SCHEDULED if notice else Phase.STARTED)


@pytest.mark.parametrize("verb", [Verb.RESTART, Verb.REDEPLOY, Verb.REIMAGE, Verb.MAINTAIN])
def test_the_limit_counts_a_request_once_however_many_machines_it_is_for(verb: Verb) -> None:
    fleet = [replace(machine, os_image_notice=minutes(15)) for machine in machines(count=9)]
    world = World([scope()], fleet, Settings(user_operations=2))
    ask(world, verb, [f"web_{n}" for n in range(4)], "first")
    ask(world, verb, [f"web_{n}" for n in range(4, 8)], "second")
    with pytest.raises(TooMany, match="2 user-initiated operations are under way in web and no more than 2 may be"):
        ask(world, verb, ["web_8"], "third")
    assert len(world.live()) == 8


def test_the_limit_is_kept_in_every_scope_of_the_request() -> None:
    groups = [scope(name, scale_set="vmss") for name in ("a", "b")]
    world = World(groups, [*machines("a", 2), *machines("b", 2)], Settings(user_operations=1))
    ask(world, Verb.RESTART, ["b_0"], "first")
    with pytest.raises(TooMany, match="under way in b"):
        ask(world, Verb.RESTART, ["a_0", "b_1"], "second")
    assert world.live("a") == []


def test_deletes_are_not_counted() -> None:
    world = World([scope()], ANNOUNCED, Settings(user_operations=0))
    ask(world, Verb.DELETE, ["web_0", "web_1"])
    assert len(world.live()) == 2


def test_a_second_delete_waits_for_the_first_and_the_rest_of_it_goes_on() -> None:
    world = World([scope()], ANNOUNCED)
    (first,) = ask(world, Verb.DELETE, ["web_1"], "first")
    second = ask(world, Verb.DELETE, ["web_0", "web_1"], "second")
    assert second[1] == first
    assert [event.resources for event in world.live()] == [("web_1",), ("web_0",)]


def test_one_that_cannot_be_refuses_all() -> None:
    world = World([scope()], ANNOUNCED)
    ask(world, Verb.RESTART, ["web_2"], "first")
    with pytest.raises(Conflict, match="web_2 already has a Reboot under way"):
        ask(world, Verb.RESTART, ["web_0", "web_2"], "second")
    assert [event.resources for event in world.live()] == [("web_2",)]


def test_each_machine_has_an_event_of_its_own() -> None:
    """So no event is ever over two update domains."""
    world = World([scope()], machines(count=6, domains=2))
    operations = ask(world, Verb.RESTART, [f"web_{n}" for n in range(6)])
    assert [world.event(operation).resources for operation in operations] == [(f"web_{n}",) for n in range(6)]


def test_what_a_policy_waives_starts_at_once_and_nothing_else_does() -> None:
    waives = replace(scope(), policy=EventsPolicy(approve_user_reboot=True))
    world = World([waives], [replace(machine, os_image_notice=minutes(15)) for machine in ANNOUNCED])
    (restart,), (redeploy,) = ask(world, Verb.RESTART, ["web_0"]), ask(world, Verb.REDEPLOY, ["web_1"])
    (reimage,) = ask(world, Verb.REIMAGE, ["web_2"])
    assert [world.phase(o) for o in (restart, redeploy, reimage)] == [Phase.STARTED, Phase.SCHEDULED, Phase.SCHEDULED]


# The end of a scope


def test_what_is_under_way_ends_with_its_scope() -> None:
    walk = Walk(campaign="C", pause=minutes(1), remaining=(0,))
    world = World([replace(scope(), walk=walk)], ANNOUNCED)
    (waits,), (started,) = ask(world, Verb.RESTART, ["web_0"]), ask(world, Verb.MAINTAIN, ["web_1"])
    (ran,) = ask(world, Verb.REIMAGE, ["web_2"])
    world.do("web", lambda draft: abandon(draft, "web"))
    states = {o.id: (world.operations[o.id].state, world.operations[o.id].message) for o in (waits, started, ran)}
    assert states == {
        waits.id: (OperationState.CANCELED, "web is gone"),
        started.id: (OperationState.FAILED, "web is gone"),
        ran.id: (OperationState.FAILED, "web is gone"),
    }
    assert (world.phase(waits), world.phase(started)) == (Phase.CANCELED, Phase.FAILED)
    assert (world.actions, world.live(), world.scopes["web"].walk) == ({}, [], None)
    assert [e.after for e in world.entries if e.what is What.CAMPAIGN] == ["web is gone"]


def test_nothing_under_way_is_nothing_to_end() -> None:
    world = World([scope()], [Machine(scope="web", name="web_0")])
    world.do("web", lambda draft: abandon(draft, "web"))
    assert world.entries == []
