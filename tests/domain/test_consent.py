"""Whose yes lets an event start: every cell of the table of policies, and what readiness does to it."""

import pytest
from msgspec.structs import replace

from forewarn.domain.approving import MOST_TURNS
from forewarn.domain.consent import ApprovalPolicy, Rule, Waiting, is_approved, let_by, policy_of, waits_for
from forewarn.domain.errors import Conflict, Forbidden, Invalid
from forewarn.domain.events import Actor, Approval, Event, EventType, Phase, Readiness
from forewarn.domain.history import What
from forewarn.domain.machines import Power
from forewarn.domain.starting import ALL_DOWN
from forewarn.testing.builders import NOON, an_event
from tests.domain.world import ALICE, World, machines, minutes, scope

FIRST = ApprovalPolicy()
ALL_NAMED = ApprovalPolicy(rule=Rule.ALL_NAMED)
HUMAN = ApprovalPolicy(rule=Rule.HUMAN)
REBOOT = EventType.REBOOT
A, B, C, STRANGER = (Actor.machine(name) for name in ("a", "b", "c", "d"))


def k_of_n(count: int) -> ApprovalPolicy:
    return ApprovalPolicy(rule=Rule.K_OF_N, count=count)


def an_event_of_three(*said: Actor | str, acknowledged: Actor | None = None) -> Event:
    """Approved by actors, with machines that are ready by name; an acknowledgement comes last."""
    approvals = [Approval(by=who, at=NOON + minutes(i)) for i, who in enumerate(said) if isinstance(who, Actor)]
    if acknowledged is not None:
        approvals.append(Approval(by=acknowledged, at=NOON + minutes(9), acknowledged=True))
    ready = [
        Readiness(machine=who, ready=True, at=NOON + minutes(i), times=1)
        for i, who in enumerate(said)
        if isinstance(who, str)
    ]
    return an_event(resources=("a", "b", "c"), approvals=tuple(approvals), readiness=tuple(ready))


@pytest.mark.parametrize(
    ("event", "let"),
    [  # under first, all-named, 2-of-n, 9-of-n, human
        pytest.param(an_event_of_three(), "", id="nobody"),
        pytest.param(an_event_of_three("a"), "", id="one-ready"),
        pytest.param(an_event_of_three("a", "b"), "2", id="two-ready"),
        pytest.param(an_event_of_three("a", "b", "c"), "a29", id="all-ready"),
        pytest.param(an_event_of_three(A), "f", id="one-approval"),
        pytest.param(an_event_of_three(A, "a"), "f", id="one-machine-both-ways-is-one"),
        pytest.param(an_event_of_three(A, "b"), "f2", id="approved-and-ready"),
        pytest.param(an_event_of_three(A, B, "c"), "fa29", id="two-approved-one-ready"),
        pytest.param(an_event_of_three(STRANGER), "f", id="a-machine-that-is-not-named"),
        pytest.param(an_event_of_three(STRANGER, "a"), "f", id="a-stranger-counts-for-nobody"),
        pytest.param(an_event_of_three(ALICE), "fa29h", id="a-user"),
        pytest.param(an_event_of_three(acknowledged=ALICE), "fa29h", id="a-user-acknowledges"),
        pytest.param(an_event_of_three(acknowledged=A), "fa29", id="a-machine-with-a-role-acknowledges"),
        pytest.param(an_event_of_three(acknowledged=STRANGER), "fa29", id="also-one-that-is-not-named"),
        pytest.param(an_event_of_three(ALL_DOWN), "fa29", id="a-rule"),
    ],
)
def test_the_table(event: Event, let: str) -> None:
    policies = {"f": FIRST, "a": ALL_NAMED, "2": k_of_n(2), "9": k_of_n(9), "h": HUMAN}
    assert "".join(key for key, policy in policies.items() if is_approved(event, policy)) == let


def test_an_acknowledgement_does_not_count_as_the_word_of_a_machine_of_that_name() -> None:
    """A machine of another scope may be called the same."""
    event = an_event_of_three("b", "c", acknowledged=A)
    assert waits_for(event, HUMAN) == Waiting(approved=False, machines=("a",), needed=0)


@pytest.mark.parametrize(
    ("event", "policy", "last"),
    [
        pytest.param(an_event_of_three("a", C, "b"), ALL_NAMED, B, id="the-last-to-say-yes"),
        pytest.param(an_event_of_three("a", "b", ALICE), ALL_NAMED, ALICE, id="a-user"),
        pytest.param(an_event_of_three(A, STRANGER), FIRST, STRANGER, id="the-last-to-approve"),
        pytest.param(an_event_of_three(A, "b"), HUMAN, None, id="nobody-yet"),
    ],
)
def test_who_let_it_start(event: Event, policy: ApprovalPolicy, last: Actor | None) -> None:
    assert let_by(event, policy) == last


@pytest.mark.parametrize(
    ("policy", "waiting"),
    [
        pytest.param(FIRST, Waiting(approved=False, machines=("a", "c"), needed=0), id="first"),
        pytest.param(ALL_NAMED, Waiting(approved=False, machines=("a", "c"), needed=2), id="all-named"),
        pytest.param(k_of_n(2), Waiting(approved=False, machines=("a", "c"), needed=1), id="2-of-n"),
        pytest.param(k_of_n(9), Waiting(approved=False, machines=("a", "c"), needed=2), id="9-of-n"),
        pytest.param(k_of_n(1), Waiting(approved=True, machines=("a", "c"), needed=0), id="1-of-n"),
        pytest.param(HUMAN, Waiting(approved=False, machines=("a", "c"), needed=0), id="human"),
    ],
)
def test_what_it_waits_for(policy: ApprovalPolicy, waiting: Waiting) -> None:
    assert waits_for(an_event_of_three("b"), policy) == waiting


@pytest.mark.parametrize(
    ("rule", "count", "text"),
    [
        (Rule.FIRST, None, "first"),
        (Rule.ALL_NAMED, None, "all-named"),
        (Rule.K_OF_N, 3, "3-of-n"),
        (Rule.HUMAN, None, "human"),
    ],
)
def test_a_policy_in_words(rule: Rule, count: int | None, text: str) -> None:
    assert str(policy_of(rule, count)) == text


@pytest.mark.parametrize(
    ("rule", "count"), [(Rule.K_OF_N, None), (Rule.K_OF_N, 0), (Rule.K_OF_N, 100_001), (Rule.FIRST, 1), (Rule.HUMAN, 0)]
)
def test_a_policy_that_makes_no_sense(rule: Rule, count: int | None) -> None:
    with pytest.raises(Invalid):
        policy_of(rule, count)


# In a world


def a_world(policy: ApprovalPolicy | None = None) -> tuple[World, str]:
    """A reboot of three machines of one host, in one event."""
    fleet = [replace(machine, host="h") for machine in machines()]
    world = World([replace(scope(), approval=policy)], fleet)
    (operation,) = world.schedule(["web_0", "web_1", "web_2"], REBOOT)
    return world, str(operation.event)


def test_readiness_that_starts_nothing_changes_nothing_visible() -> None:
    world, event = a_world()
    before = world.document()
    for name in ("web_0", "web_1", "web_2"):
        world.say_ready(event, name)
    assert world.document() == before, "under Azure's rule, not even when all are ready"
    assert [(e.what, str(e.who), e.before, e.after) for e in world.entries[-2:]] == [
        (What.READY, "machine:web_1", "1 of 3", "2 of 3"),
        (What.READY, "machine:web_2", "2 of 3", "3 of 3"),
    ]


def test_the_last_one_to_be_ready_starts_it() -> None:
    world, event = a_world(ALL_NAMED)
    for name in ("web_2", "web_0"):
        assert world.say_ready(event, name).phase is Phase.SCHEDULED
    assert world.say_ready(event, "web_1").phase is Phase.STARTED
    assert (world.entries[-1].what, str(world.entries[-1].who)) == (What.STARTED, "machine:web_1")


def test_readiness_can_be_taken_back_and_an_approval_cannot() -> None:
    world, event = a_world(ALL_NAMED)
    world.say_ready(event, "web_0")
    world.approve("web", event, by=Actor.machine("web_1"))
    world.say_ready(event, "web_1", ready=False)
    world.say_ready(event, "web_0", ready=False)
    assert (world.entries[-1].what, world.entries[-1].after) == (What.NOT_READY, "1 of 3")
    assert world.say_ready(event, "web_2").phase is Phase.SCHEDULED
    assert world.say_ready(event, "web_0").phase is Phase.STARTED, "web_1 has approved"


def test_to_say_the_same_again_changes_nothing() -> None:
    world, event = a_world()
    world.say_ready(event, "web_0", ready=False)
    assert world.entries[-1].what is What.SCHEDULED, "nobody is ready before saying so"
    first = world.say_ready(event, "web_0")
    count = len(world.entries)
    assert world.say_ready(event, "web_0") == first
    assert len(world.entries) == count


def test_a_machine_speaks_for_itself_only() -> None:
    world, event = a_world()
    world.machines["web_3"] = replace(world.machines["web_0"], name="web_3")
    with pytest.raises(Forbidden, match="web_3 is not among the machines of event"):
        world.say_ready(event, "web_3")


def test_it_is_too_late_once_it_has_started_but_not_to_say_again_what_was_said() -> None:
    world, event = a_world(k_of_n(1))
    world.say_ready(event, "web_0")
    assert world.say_ready(event, "web_0").phase is Phase.STARTED
    for name, ready in (("web_1", True), ("web_0", False)):
        with pytest.raises(Conflict, match="is Started: it is too late"):
            world.say_ready(event, name, ready)


def test_who_cannot_decide_is_heard_so_many_times() -> None:
    world, event = a_world()
    for _ in range(MOST_TURNS):
        world.say_ready(event, "web_0")
        world.say_ready(event, "web_0", ready=False)
    count = len(world.entries)
    with pytest.raises(Conflict, match="has become ready"):
        world.say_ready(event, "web_0")
    assert len(world.entries) == count
    assert world.say_ready(event, "web_1").readiness[-1].ready, "which is nobody else's trouble"


def test_a_machine_that_is_gone_is_not_waited_for() -> None:
    world, event = a_world(ALL_NAMED)
    world.say_ready(event, "web_0")
    world.say_ready(event, "web_1")
    world.remove("web_2")
    assert world.events[event].phase is Phase.STARTED


@pytest.mark.parametrize("policy", [ALL_NAMED, k_of_n(2), HUMAN], ids=str)
def test_at_not_before_it_starts_whatever_the_policy(policy: ApprovalPolicy) -> None:
    world, event = a_world(policy)
    world.approve("web", event, by=Actor.machine("web_0"))
    world.advance(minutes(15))
    assert world.events[event].phase is Phase.STARTED


def test_with_all_machines_down_it_waits_for_a_human_only() -> None:
    for policy, phase in ((ALL_NAMED, Phase.STARTED), (HUMAN, Phase.SCHEDULED)):
        world, event = a_world(policy)
        for name in ("web_0", "web_1", "web_2"):
            world.set_power(name, Power.STOPPED)
        assert world.events[event].phase is phase
        assert [approval.by for approval in world.events[event].approvals] == [ALL_DOWN]


def test_another_policy_holds_for_what_is_announced_already() -> None:
    world, event = a_world(HUMAN)
    world.say_ready(event, "web_0")
    world.approve("web", event, by=Actor.machine("web_1"))
    before = world.document()
    world.set_policy("web", k_of_n(3))
    assert world.document() == before
    world.set_policy("web", k_of_n(2))
    assert world.events[event].phase is Phase.STARTED
    told = [(entry.before, entry.after) for entry in world.entries if entry.what is What.POLICY]
    assert told == [("human", "3-of-n"), ("3-of-n", "2-of-n")]


def test_to_choose_what_holds_already_is_not_told() -> None:
    world, _ = a_world()
    world.set_policy("web", FIRST)
    assert world.scopes["web"].approval == FIRST
    assert What.POLICY not in {entry.what for entry in world.entries}


def test_deletes_that_are_decided_together_count_as_approved_by_their_own_policies() -> None:
    fleet = [*machines("a", 1, notice=minutes(5)), *machines("b", 1, notice=minutes(5))]
    groups = [scope("a", scale_set="vmss"), replace(scope("b", scale_set="vmss"), approval=ALL_NAMED)]
    world = World(groups, fleet)
    first, second = (world.request(name, EventType.TERMINATE) for name in ("a_0", "b_0"))
    world.say_ready(str(second.event), "b_0")
    world.say_ready(str(first.event), "a_0")
    assert {world.phase(first), world.phase(second)} == {Phase.SCHEDULED}, "in a, Azure's rule wants an approval"
    world.approve("a", str(first.event), by=Actor.machine("a_0"))
    assert {world.phase(first), world.phase(second)} == {Phase.STARTED}
