"""The rules of the terminate notification (spec 4.6), as stories of one scale set."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from forewarn.domain.errors import Conflict
from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Power, Priority
from forewarn.domain.settings import Settings
from forewarn.domain.starting import held_up_by, starts_by
from tests.domain.world import NOON, World, machines, minutes, scope

DELETE = EventType.TERMINATE
WAITS, STARTED = Phase.SCHEDULED, Phase.STARTED
Step = Callable[["ScaleSet"], None]


class ScaleSet:
    """A scale set of two placement groups, a and b, and what has become of each machine."""

    def __init__(self) -> None:
        fleet = [*machines("a", 3, notice=minutes(5)), *machines("b", 2, notice=minutes(5))]
        self.world = World([scope("a", scale_set="vmss"), scope("b", scale_set="vmss")], fleet)

    def event(self, machine: str) -> str:
        return next(e.id for e in reversed(self.world.events.values()) if e.resources == (machine,))

    def state(self, machine: str) -> Phase | None:
        return self.world.events[self.event(machine)].phase


def delete(*names: str, notice: float = 5) -> Step:
    def step(story: ScaleSet) -> None:
        for name in names:
            machine = replace(story.world.machines[name], terminate_notice=minutes(notice))
            story.world.machines[name] = machine
            story.world.request(name, DELETE)

    return step


def approve(*names: str) -> Step:
    def step(story: ScaleSet) -> None:
        for name in names:
            assert story.world.approve(name[0], story.event(name)) == ()

    return step


def cancel(name: str) -> Step:
    return lambda story: story.world.cancel(story.event(name))


def wait(count: float) -> Step:
    return lambda story: story.world.advance(minutes(count))


def expect(**states: Phase) -> Step:
    def step(story: ScaleSet) -> None:
        assert {name: story.state(name) for name in states} == states

    return step


@dataclass(frozen=True, kw_only=True)
class Story:
    name: str
    steps: tuple[Step, ...]


STORIES = [
    Story(
        name="alone-and-approved-it-starts-at-once",
        steps=(delete("a_0"), approve("a_0"), expect(a_0=STARTED)),
    ),
    Story(
        name="unapproved-it-is-forced-at-the-timeout-and-not-before",
        steps=(delete("a_0"), wait(4.99), expect(a_0=WAITS), wait(0.01), expect(a_0=STARTED)),
    ),
    Story(
        name="an-approved-delete-waits-for-an-unapproved-pending-one",
        steps=(
            delete("a_0"),
            wait(1),
            delete("a_1"),
            approve("a_1"),
            expect(a_0=WAITS, a_1=WAITS),
            approve("a_0"),
            expect(a_0=STARTED, a_1=STARTED),
        ),
    ),
    Story(
        name="or-for-the-others-timeout-then-both-go",
        steps=(
            delete("a_0"),
            wait(1),
            delete("a_1"),
            approve("a_1"),
            wait(3.99),
            expect(a_0=WAITS, a_1=WAITS),
            wait(0.01),
            expect(a_0=STARTED, a_1=STARTED),
        ),
    ),
    Story(
        name="its-own-timeout-forces-it-though-others-still-wait",
        steps=(
            delete("a_0", notice=5),
            delete("a_1", notice=15),
            approve("a_0"),
            wait(5),
            expect(a_0=STARTED, a_1=WAITS),
        ),
    ),
    Story(
        name="equal-timeouts-all-but-one-approved-means-none",
        steps=(
            delete("a_0", "a_1", "a_2"),
            approve("a_0", "a_1"),
            wait(4.99),
            expect(a_0=WAITS, a_1=WAITS, a_2=WAITS),
            wait(0.01),
            expect(a_0=STARTED, a_1=STARTED, a_2=STARTED),
        ),
    ),
    Story(
        name="equal-timeouts-all-approved-means-all-in-one-step",
        steps=(
            delete("a_0", "a_1", "a_2"),
            approve("a_0", "a_1"),
            expect(a_0=WAITS, a_1=WAITS, a_2=WAITS),
            approve("a_2"),
            expect(a_0=STARTED, a_1=STARTED, a_2=STARTED),
        ),
    ),
    Story(
        name="the-rule-spans-the-placement-groups-of-the-set",
        steps=(
            delete("a_0", "b_0"),
            approve("a_0"),
            expect(a_0=WAITS, b_0=WAITS),
            approve("b_0"),
            expect(a_0=STARTED, b_0=STARTED),
        ),
    ),
    Story(
        name="a-timeout-in-one-group-frees-the-other",
        steps=(
            delete("a_0"),
            wait(2),
            delete("b_0"),
            approve("b_0"),
            expect(b_0=WAITS),
            wait(3),
            expect(a_0=STARTED, b_0=STARTED),
        ),
    ),
    Story(
        name="a-delete-called-off-holds-nobody-up",
        steps=(
            delete("a_0", "b_0"),
            approve("b_0"),
            cancel("a_0"),
            expect(a_0=Phase.CANCELED, b_0=STARTED),
        ),
    ),
    Story(
        name="a-later-delete-holds-up-an-approved-one-that-still-waits",
        steps=(
            delete("a_0", "a_1"),
            approve("a_0"),
            wait(1),
            delete("b_0"),
            approve("a_1"),
            expect(a_0=WAITS, a_1=WAITS, b_0=WAITS),
            wait(4),
            expect(a_0=STARTED, a_1=STARTED, b_0=WAITS),
        ),
    ),
    Story(
        name="approving-does-not-extend-anything",
        steps=(delete("a_0", "a_1"), wait(4), approve("a_0"), wait(1), expect(a_0=STARTED, a_1=STARTED)),
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_terminate(story: Story) -> None:
    scale_set = ScaleSet()
    for step in story.steps:
        step(scale_set)


def test_all_of_them_start_in_one_document_of_each_scope() -> None:
    story = ScaleSet()
    delete("a_0", "a_1", "b_0")(story)
    before = (story.world.document("a"), story.world.document("b"))
    approve("a_0", "a_1")(story)
    assert (story.world.document("a"), story.world.document("b")) == before, "approval alone is not seen"
    approve("b_0")(story)
    assert [a.phase for a in story.world.document("a").announcements] == [STARTED, STARTED]
    assert story.world.document("a").incarnation == before[0].incarnation + 2
    assert story.world.document("b").incarnation == before[1].incarnation + 1


def test_a_changed_timeout_is_for_deletes_to_come() -> None:
    story = ScaleSet()
    delete("a_0", notice=5)(story)
    story.world.machines["a_0"] = replace(story.world.machines["a_0"], terminate_notice=minutes(15))
    story.world.settings = Settings(terminate_max=minutes(60))
    assert story.world.request("a_0", DELETE).event == story.event("a_0")
    assert story.world.events[story.event("a_0")].not_before == NOON + minutes(5)


def test_the_platform_cannot_announce_a_second_end_either() -> None:
    story = ScaleSet()
    delete("a_0")(story)
    with pytest.raises(Conflict, match="a_0 is already being deleted"):
        story.world.schedule(["a_0"], DELETE)


def test_other_types_and_other_sets_do_not_hold_it_up() -> None:
    fleet = [*machines("a", 2, notice=minutes(5)), *machines("other", 1, notice=minutes(5))]
    world = World([scope("a", scale_set="vmss"), scope("other", scale_set="another")], fleet)
    world.request("a_1", EventType.REBOOT)
    world.request("other_0", DELETE)
    operation = world.request("a_0", DELETE)
    world.approve("a", str(operation.event))
    assert world.phase(operation) is STARTED


def test_outside_a_scale_set_each_delete_is_on_its_own() -> None:
    world = World([scope()], machines(notice=minutes(5)))
    first, second = world.request("web_0", DELETE), world.request("web_1", DELETE)
    world.approve("web", str(first.event))
    assert (world.phase(first), world.phase(second)) == (STARTED, WAITS)


def test_a_spot_machine_of_the_set_is_deleted_at_once_and_holds_nobody_up() -> None:
    spot = replace(machines("a", 2, notice=minutes(5))[1], priority=Priority.SPOT)
    world = World([scope("a", scale_set="vmss")], [machines("a", 1, notice=minutes(5))[0], spot])
    assert world.request("a_1", DELETE).event is None
    operation = world.request("a_0", DELETE)
    world.approve("a", str(operation.event))
    assert world.phase(operation) is STARTED


def test_a_placement_group_that_is_down_approves_its_own_deletes_not_those_of_the_others() -> None:
    story = ScaleSet()
    delete("a_0", "b_0")(story)
    for name in ("b_0", "b_1"):
        story.world.set_power(name, Power.STOPPED)
    expect(a_0=WAITS, b_0=WAITS)(story)
    approve("a_0")(story)
    expect(a_0=STARTED, b_0=STARTED)(story)


def test_a_machine_that_is_gone_takes_its_other_events_along() -> None:
    world = World([scope()], machines(notice=minutes(5)))
    restart = world.request("web_0", EventType.REBOOT)
    delete_it = world.request("web_0", DELETE)
    world.approve("web", str(delete_it.event))
    world.done(delete_it)
    assert world.phase(restart) is Phase.CANCELED
    assert world.document().announcements == ()


@pytest.mark.parametrize(
    ("steps", "holds", "by"),
    [
        pytest.param((delete("a_0"),), (), 5, id="it is the only one"),
        pytest.param((delete("a_0", "b_0"),), ("b_0",), 5, id="one of another placement group is not approved"),
        pytest.param((delete("a_0", "b_0"), approve("b_0")), (), 5, id="the other is approved"),
        pytest.param((delete("b_0"), wait(2), delete("a_0")), ("b_0",), 5, id="the other is due earlier"),
        pytest.param((delete("a_0"), wait(2), delete("b_0")), ("b_0",), 5, id="the other is due later"),
        pytest.param((delete("b_0"), wait(5), delete("a_0")), (), 10, id="the other has started"),
    ],
)
def test_what_holds_up_a_delete_and_until_when(steps: tuple[Step, ...], holds: tuple[str, ...], by: float) -> None:
    story = ScaleSet()
    for step in steps:
        step(story)
    world = story.world
    event = world.events[story.event("a_0")]
    others = held_up_by(event, list(world.scopes.values()), world.now)
    assert tuple(other.resources[0] for other in others) == holds
    assert starts_by(event, others) == NOON + minutes(by)
    approve("a_0")(story)
    assert story.state("a_0") is (WAITS if holds else STARTED)
    story.world.advance(starts_by(event, others) - world.now)
    assert story.state("a_0") is not WAITS
