"""What would come of an action is told before it is done; and it is what comes of it."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.events import Event, EventType, Phase
from forewarn.domain.machines import EvictionPolicy, Machine, Priority
from forewarn.domain.requesting import Request, Verb, request_all
from forewarn.domain.resources import SCALE_SET
from forewarn.domain.scalesets import RepairAction, Repairs, SetSpec
from forewarn.domain.scopes import EventsPolicy, Scope
from forewarn.domain.settings import Settings
from forewarn.portal.views.machines import Deed, offers_for
from forewarn.portal.views.rehearsing import (
    Outlook,
    Owner,
    Preview,
    Stage,
    repair_preview,
    request_preview,
    started_by_cancel,
    starts_if_approved,
)
from forewarn.testing.builders import (
    NOON,
    SOMEBODY,
    a_machine,
    a_resource,
    a_scope,
    a_scope_with,
    an_event,
    an_operation,
)
from tests.portal.test_waiting import BY_A, a_delete, a_group

MINUTE = timedelta(minutes=1)
PLAIN = a_machine("vm", created_at=NOON - 60 * MINUTE)
NOTED = replace(PLAIN, terminate_notice=7 * MINUTE)
SPOT = replace(NOTED, priority=Priority.SPOT, eviction_policy=EvictionPolicy.DELETE)
ENROLLED = a_scope(enrolled_at=NOON)
WAIVING = EventsPolicy(approve_user_reboot=True)


def busy(count: int, impact: EventType = EventType.REBOOT) -> Scope:
    """With so many operations of other machines under way."""
    others = [an_operation(f"O{n}", impact=impact, machines=(f"other-{n}",)) for n in range(count)]
    return replace(ENROLLED, operations=tuple(others))


def under(verb: Verb, scope: Scope = ENROLLED) -> Scope:
    """With that asked of the machine already."""
    draft = Draft([scope], NOON)
    request_all(draft, [NOTED], Request(verb=verb, by=SOMEBODY), Settings(), lambda: f"made-{len(draft.entries)}")
    return draft.scopes[scope.id]


@pytest.mark.parametrize(
    ("verb", "machine", "scope", "outlook", "notice"),
    [
        pytest.param(Verb.RESTART, PLAIN, ENROLLED, Outlook.ANNOUNCED, 15, id="a restart is announced"),
        pytest.param(Verb.REDEPLOY, PLAIN, ENROLLED, Outlook.ANNOUNCED, 10, id="a redeploy is announced"),
        pytest.param(Verb.DELETE, NOTED, ENROLLED, Outlook.ANNOUNCED, 7, id="a delete is, with the machine's notice"),
        pytest.param(Verb.EVICT, SPOT, ENROLLED, Outlook.ANNOUNCED, 0.5, id="an eviction is, for half a minute"),
        pytest.param(Verb.RESTART, PLAIN, a_scope(), Outlook.UNENROLLED, None, id="nobody would hear of a restart"),
        pytest.param(Verb.DELETE, NOTED, a_scope(), Outlook.UNENROLLED, None, id="nobody would hear of a delete"),
        pytest.param(Verb.DELETE, PLAIN, ENROLLED, Outlook.UNANNOUNCED, None, id="no terminate notification"),
        pytest.param(Verb.DELETE, PLAIN, a_scope(), Outlook.UNANNOUNCED, None, id="neither enrolled nor notified"),
        pytest.param(Verb.DELETE, SPOT, ENROLLED, Outlook.UNANNOUNCED, None, id="Spot gets no Terminate"),
        pytest.param(Verb.EVICT, NOTED, ENROLLED, Outlook.REFUSED, None, id="only Spot is evicted"),
        pytest.param(Verb.RESTART, PLAIN, busy(9), Outlook.ANNOUNCED, 15, id="nine operations are under way"),
        pytest.param(Verb.RESTART, PLAIN, busy(10), Outlook.REFUSED, None, id="ten are, and no more may be"),
        pytest.param(Verb.DELETE, NOTED, busy(10), Outlook.ANNOUNCED, 7, id="the limit does not count deletes"),
        pytest.param(Verb.RESTART, PLAIN, under(Verb.RESTART), Outlook.UNDER_WAY, None, id="it restarts already"),
        pytest.param(Verb.REDEPLOY, PLAIN, under(Verb.RESTART), Outlook.ANNOUNCED, 10, id="restarting is no redeploy"),
        pytest.param(Verb.DELETE, NOTED, under(Verb.DELETE), Outlook.UNDER_WAY, None, id="it goes already"),
        pytest.param(Verb.RESTART, PLAIN, replace(ENROLLED, policy=WAIVING), Outlook.STARTS, 0, id="a policy waives"),
        pytest.param(
            Verb.RESTART, PLAIN, replace(ENROLLED, any_running=False), Outlook.STARTS, 15, id="nothing runs there"
        ),
    ],
)
def test_what_a_request_would_do(
    verb: Verb, machine: Machine, scope: Scope, outlook: Outlook, notice: float | None
) -> None:
    stage = Stage(scopes=[scope], settings=Settings(), now=NOON)
    preview = request_preview(verb, machine, stage, SOMEBODY)
    length = None if notice is None else notice * MINUTE
    assert (preview.outlook, preview.notice) == (outlook, length)
    assert preview.not_before == (None if length is None else NOON + length)
    assert preview.is_possible is (outlook not in (Outlook.REFUSED, Outlook.UNDER_WAY))
    assert bool(preview.refusal) is (outlook is Outlook.REFUSED)


def test_what_is_under_way_is_told_with_its_event() -> None:
    stage = Stage(scopes=[under(Verb.RESTART)], settings=Settings(), now=NOON)
    preview = request_preview(Verb.RESTART, PLAIN, stage, SOMEBODY)
    assert preview.event == stage.scopes[0].events[0].id


def test_a_limit_that_is_reached_is_told_in_words() -> None:
    stage = Stage(scopes=[busy(10)], settings=Settings(), now=NOON)
    assert "no more than 10" in str(request_preview(Verb.RESTART, PLAIN, stage, SOMEBODY).refusal)


# Repairs

SICK = a_machine("web_1", "web:0", model=1, created_at=NOON - 60 * MINUTE, terminate_notice=8 * MINUTE)


def repair(action: RepairAction = RepairAction.REPLACE, machine: Machine = SICK, home: Scope | None = None) -> Preview:
    stage = Stage(scopes=[home or a_group_that_polls()], settings=Settings(), now=NOON)
    return repair_preview(machine, stage, an_owner(action))


def a_group_that_polls(*events: Event) -> Scope:
    return replace(a_group(*events), enrolled_at=NOON)


def an_owner(action: RepairAction = RepairAction.REPLACE, *, enabled: bool = True, leaving: bool = False) -> Owner:
    spec = SetSpec(
        name="web", title="web", repairs=Repairs(enabled=enabled, action=action), instance=Machine(scope="", name="")
    )
    return Owner(resource=a_resource("web", SCALE_SET, leaving=leaving), spec=spec, members=[SICK])


@pytest.mark.parametrize(
    ("preview", "outlook", "impact", "replaced"),
    [
        pytest.param(repair(), Outlook.ANNOUNCED, EventType.TERMINATE, True, id="it is replaced"),
        pytest.param(repair(RepairAction.RESTART), Outlook.ANNOUNCED, EventType.REBOOT, False, id="it restarts"),
        pytest.param(
            repair(RepairAction.REIMAGE), Outlook.UNANNOUNCED, EventType.REBOOT, False, id="no reimage notification"
        ),
        pytest.param(repair(home=a_group()), Outlook.UNENROLLED, EventType.TERMINATE, True, id="nobody polls"),
        pytest.param(
            repair(machine=replace(SICK, changed_at=NOON)), Outlook.REFUSED, EventType.TERMINATE, False, id="in grace"
        ),
        pytest.param(
            repair(machine=replace(SICK, keep_as_it_is=True)), Outlook.REFUSED, EventType.TERMINATE, False, id="kept"
        ),
        pytest.param(
            repair_preview(SICK, Stage(scopes=[a_group()], settings=Settings(), now=NOON), an_owner(leaving=True)),
            Outlook.REFUSED,
            EventType.TERMINATE,
            False,
            id="the set is being deleted",
        ),
    ],
)
def test_what_reporting_it_unhealthy_would_do(
    preview: Preview, outlook: Outlook, impact: EventType, replaced: bool
) -> None:
    assert (preview.outlook, preview.impact, preview.replaced) == (outlook, impact, replaced)


def test_what_goes_already_needs_no_repair() -> None:
    going = an_operation(scope="web:0", impact=EventType.TERMINATE, machines=("web_1",), event="E")
    preview = repair(home=replace(a_group(), operations=(going,)))
    assert (preview.outlook, preview.event) == (Outlook.UNDER_WAY, "E")


@pytest.mark.parametrize(
    ("machine", "owner", "deeds"),
    [
        pytest.param(PLAIN, None, "restart redeploy delete", id="a plain machine"),
        pytest.param(SPOT, None, "restart redeploy evict delete", id="a Spot machine"),
        pytest.param(SICK, an_owner(enabled=False), "restart redeploy delete", id="a set without repairs"),
        pytest.param(SICK, an_owner(), "restart redeploy delete unhealthy", id="a set with repairs"),
    ],
)
def test_what_can_be_done_to_whom(machine: Machine, owner: Owner | None, deeds: str) -> None:
    home = replace(ENROLLED, id=machine.scope)
    offers = offers_for(machine, Stage(scopes=[home], settings=Settings(), now=NOON), owner, SOMEBODY)
    assert [offer.deed for offer in offers] == [Deed(word) for word in deeds.split()]


# Approving and calling off


def a_stage(*events: Event) -> Stage:
    return Stage(scopes=[a_scope_with(events, "web:0", scale_set="web")], settings=Settings(), now=NOON)


def test_an_approval_lets_a_delete_start_unless_another_holds_it_up() -> None:
    mine, other = a_delete("web_1"), a_delete("web_2")
    assert starts_if_approved(mine, a_stage(mine), SOMEBODY)
    assert not starts_if_approved(mine, a_stage(mine, other), SOMEBODY)


def test_what_was_only_waiting_for_an_event_starts_when_that_is_called_off() -> None:
    mine, approved = a_delete("web_1"), a_delete("web_2", approvals=(BY_A,))
    assert started_by_cancel(mine, a_stage(mine, approved), SOMEBODY) == (approved,)
    assert started_by_cancel(mine, a_stage(mine), SOMEBODY) == ()


def test_a_rehearsal_changes_nothing() -> None:
    event = an_event(scope="web:0")
    stage = a_stage(event)
    before = list(stage.scopes)
    starts_if_approved(event, stage, SOMEBODY)
    started_by_cancel(event, stage, SOMEBODY)
    assert [scope.events for scope in stage.scopes] == [scope.events for scope in before]
    assert stage.scopes[0].events[0].phase is Phase.SCHEDULED
