"""What must stay true (docs/explanation/architecture.md), whatever happens in whatever order. Law 7 is the wire's."""

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import HealthCheck, given, settings

from forewarn.domain.consent import Rule
from forewarn.domain.events import ActorKind, Announcement, Document, Event, EventType, Phase
from forewarn.domain.scopes import Scope
from forewarn.domain.starting import ALL_DOWN
from tests.domain.stories import SCOPES, Step, debates, stories, told
from tests.domain.world import Moment, World

law = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

FOR_LIFE = ("id", "scope", "operation", "type", "source", "scheduled_at", "not_before", "description", "duration")
"""What an event never changes. Resources only get fewer, when a machine is gone."""

MOVES = {
    (Phase.SCHEDULED, Phase.STARTED),
    (Phase.SCHEDULED, Phase.CANCELED),
    (Phase.STARTED, Phase.COMPLETED),
    (Phase.STARTED, Phase.FAILED),
}
"""As the law says it, not as the table does."""


@law
@given(stories)
def test_law_1_an_event_has_one_id_for_life_and_only_moves_forward(story: list[Step]) -> None:
    world = told(story)
    for life in world.lives.values():
        assert life[0].phase in (Phase.SCHEDULED, Phase.STARTED)
        for before, after in pairwise(life):
            assert [getattr(before, name) for name in FOR_LIFE] == [getattr(after, name) for name in FOR_LIFE]
            assert set(after.resources) <= set(before.resources)
            assert after.phase is before.phase or (before.phase, after.phase) in MOVES
    for scope in SCOPES:
        gone: set[str] = set()
        for before_, after_ in _documents(world, scope):
            gone |= _ids(before_) - _ids(after_)
            assert not gone & _ids(after_), "what has left the document never comes back"


@law
@given(stories)
def test_law_2_the_incarnation_moves_exactly_when_something_visible_changes(story: list[Step]) -> None:
    world = told(story)
    for scope in SCOPES:
        for before, after in _documents(world, scope):
            if after.epoch == before.epoch:
                assert after.incarnation - before.incarnation == _changes(before, after)
            else:
                assert (after.epoch, after.incarnation) == (before.epoch + 1, 1)
                assert before.enrolled
                assert not after.enrolled


@law
@given(stories)
def test_law_3_no_machine_outside_the_scope_ever_sees_or_can_approve_an_event(story: list[Step]) -> None:
    world = told(story)
    for moment in world.moments:
        for scope in moment.after.values():
            shown = [name for announcement in scope.document.announcements for name in announcement.resources]
            assert all(name.startswith(f"{scope.id}_") for name in shown)
    state, entries = dict(world.scopes), list(world.entries)
    for event in list(world.events.values()):
        for stranger in set(SCOPES) - {event.scope}:
            assert world.approve(stranger, event.id) == (event.id,)
    assert (world.scopes, world.entries) == (state, entries)
    for life in world.lives.values():
        assert {said.machine for said in life[-1].readiness} <= set(life[0].resources), "each speaks for itself"


@law
@given(stories)
def test_law_4_nothing_starts_before_not_before_without_approval_and_at_not_before_it_starts_by_itself(
    story: list[Step],
) -> None:
    world = told(story, after_each=_nothing_is_overdue)
    _early_exactly_if_approved(world)
    for moment in world.moments:
        for before, after in _events(moment):
            home = moment.after[after.scope]
            if _approved_by_all_down(after) and not (before and _approved_by_all_down(before)):
                assert home.policy.approve_all_instances_down
                assert not home.any_running


@settings(law, max_examples=600)
@given(debates)
def test_law_4_whose_word_counts_under_each_approval_policy(story: list[Step]) -> None:
    _early_exactly_if_approved(told(story))


@law
@given(stories)
def test_law_5_within_one_event_the_machines_are_of_at_most_one_update_domain(story: list[Step]) -> None:
    domains = {machine.name: machine.update_domain for machine in told([]).machines.values()}
    world = told(story)
    for life in world.lives.values():
        for event in life:
            assert len({domains[name] for name in event.resources}) == 1
    for moment in world.moments:
        for scope in moment.after.values():
            rolled = [event for event in scope.events if event.campaign is not None]
            assert len({domains[name] for event in rolled for name in event.resources}) <= 1


@law
@given(stories)
def test_law_6_an_approved_delete_waits_for_the_scale_sets_others_and_equal_not_before_means_all_or_none(
    story: list[Step],
) -> None:
    world = told(story)
    for moment in world.moments:
        pending = [e for e in _deletes(moment.before) if e.phase is Phase.SCHEDULED]
        after = {event.id: event for event in _deletes(moment.after)}
        early = [e for e in pending if e.not_before > moment.at and _phase(after, e) is Phase.STARTED]
        waiting = [e for e in after.values() if e.phase is Phase.SCHEDULED and e.not_before > moment.at]
        approved = [_may_start(event, moment.after[event.scope]) for event in waiting]
        if early:
            assert all(approved)
        assert not waiting or not all(approved), "nobody is left to wait for"
        for event in early:
            same = [e for e in pending if e.not_before == event.not_before and e.id in after]
            assert all(_phase(after, e) is Phase.STARTED for e in same)


@law
@given(stories)
def test_an_operation_has_at_most_one_event_and_they_come_and_end_together(story: list[Step]) -> None:
    """So a store may keep the two as one."""
    world = told(story)
    for moment in world.moments:
        for scope in moment.after.values():
            announced = [(o.id, o.event) for o in scope.operations if o.event is not None]
            assert [(event.operation, event.id) for event in scope.events] == announced, "in the same order, too"
    for event in world.events.values():
        assert world.operations[event.operation].event == event.id
        assert world.operations[event.operation].is_live is event.phase.is_live


def _documents(world: World, scope: str) -> Iterator[tuple[Document, Document]]:
    return ((moment.before[scope].document, moment.after[scope].document) for moment in world.moments)


def _ids(document: Document) -> set[str]:
    return {announcement.id for announcement in document.announcements}


def _changes(before: Document, after: Document) -> int:
    def looks(document: Document) -> dict[str, Announcement]:
        return {announcement.id: announcement for announcement in document.announcements}

    old, new = looks(before), looks(after)
    return sum(old.get(event) != new.get(event) for event in {*old, *new})


def _nothing_is_overdue(world: World) -> None:
    for scope in world.scopes.values():
        assert not [e for e in scope.events if e.phase is Phase.SCHEDULED and e.not_before <= world.now]


def _events(moment: Moment) -> Iterator[tuple[Event | None, Event]]:
    known = {event.id: event for scope in moment.before.values() for event in scope.events}
    for scope in moment.after.values():
        for event in scope.events:
            yield known.get(event.id), event


def _early_exactly_if_approved(world: World) -> None:
    """Deletes also wait for each other, which is another law."""
    for moment in world.moments:
        for before, after in _events(moment):
            approved = _may_start(after, moment.after[after.scope])
            alone = after.type is not EventType.TERMINATE or moment.after[after.scope].scale_set is None
            if before is not None and before.phase is Phase.SCHEDULED and after.phase is Phase.STARTED:
                assert approved or moment.at >= after.not_before
            assert not (approved and alone and after.phase is Phase.SCHEDULED), "nobody is left to wait for"


def _may_start(event: Event, scope: Scope) -> bool:
    """Whether the approvals are there that the scope's rule needs: as the documentation says it."""
    policy, named = scope.approval_policy, set(event.resources)
    users = [approval for approval in event.approvals if approval.by.kind is ActorKind.USER]
    delegates = [approval for approval in event.approvals if approval.acknowledged]
    rules = [approval for approval in event.approvals if approval.by.kind is ActorKind.SYSTEM]
    own = {a.by.name for a in event.approvals if a.by.kind is ActorKind.MACHINE and not a.acknowledged}
    agreed = named & (own | {said.machine for said in event.readiness if said.ready})
    match policy.rule:
        case Rule.FIRST:
            return bool(event.approvals)
        case Rule.HUMAN:
            return bool(users)
        case Rule.ALL_NAMED:
            return bool(users or delegates or rules) or agreed == named
        case Rule.K_OF_N:
            return bool(users or delegates or rules) or len(agreed) >= policy.count or agreed == named


def _approved_by_all_down(event: Event) -> bool:
    return any(approval.by == ALL_DOWN for approval in event.approvals)


def _deletes(scopes: dict[str, Scope]) -> list[Event]:
    ours = [scope for scope in scopes.values() if scope.scale_set is not None]
    return [event for scope in ours for event in scope.events if event.type is EventType.TERMINATE]


def _phase(now: dict[str, Event], event: Event) -> Phase | None:
    return now[event.id].phase if event.id in now else None
