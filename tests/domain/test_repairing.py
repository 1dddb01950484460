"""Which unhealthy instances are repaired, and what is asked for then."""

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, TooMany
from forewarn.domain.events import Event, EventType, Source
from forewarn.domain.machines import Machine
from forewarn.domain.repairing import REPAIRER, VERBS, check, in_hand
from forewarn.domain.requesting import Request, Verb, request_all
from forewarn.domain.scalesets import RepairAction, Repairs, SetSpec
from forewarn.domain.scopes import EventsPolicy, Scope
from forewarn.domain.settings import Settings
from forewarn.domain.texts import FAILURE
from tests.domain.world import ALICE, NOON, minutes, scope

SICK = Machine(scope="web:0", name="web_1", model=1, created_at=NOON - minutes(60), terminate_notice=minutes(5))
MOMENT = timedelta(microseconds=1)


def spec(enabled: bool = True, action: RepairAction = RepairAction.REPLACE) -> SetSpec:
    repairs = Repairs(enabled=enabled, action=action)
    return SetSpec(name="web", title="web", repairs=repairs, instance=Machine(scope="", name=""))


def a_draft(home: Scope | None = None) -> Draft:
    return Draft([home or scope("web:0", scale_set="web")], NOON)


def a_repair(draft: Draft, action: RepairAction, machine: Machine = SICK, settings: Settings | None = None) -> Event:
    asked = Request(verb=VERBS[action], by=REPAIRER, repair=True)
    ids = iter(f"{machine.name}-{n}" for n in range(9))
    request_all(draft, [machine], asked, settings or Settings(), lambda: next(ids))
    return draft.scopes["web:0"].events[-1]


def ask(draft: Draft, verb: Verb) -> str:
    ids = iter(["operation", "event"])
    request_all(draft, [SICK], Request(verb=verb, by=ALICE), Settings(), lambda: next(ids))
    return "operation"


def test_every_action_has_its_verb() -> None:
    assert VERBS == {
        RepairAction.REPLACE: Verb.DELETE,
        RepairAction.RESTART: Verb.RESTART,
        RepairAction.REIMAGE: Verb.REIMAGE,
    }


@pytest.mark.parametrize(
    ("machine", "says"),
    [
        pytest.param(SICK, None, id="an-old-one"),
        pytest.param(replace(SICK, created_at=None), None, id="of-unknown-age"),
        pytest.param(replace(SICK, keep_on_scale_in=True), "is protected", id="protected-from-scale-in"),
        pytest.param(replace(SICK, keep_as_it_is=True), "is protected", id="protected-from-the-set"),
        pytest.param(replace(SICK, model=0), "joined the set", id="not-made-by-the-set"),
    ],
)
def test_who_is_repaired(machine: Machine, says: str | None) -> None:
    if says is None:
        check(a_draft(), machine, spec(), [machine])
    else:
        with pytest.raises(Conflict, match=says):
            check(a_draft(), machine, spec(), [machine])


def test_without_the_policy_it_says_how_to_enable_it() -> None:
    with pytest.raises(Conflict, match="az vmss update -g forewarn -n web --enable-automatic-repairs true"):
        check(a_draft(), SICK, spec(enabled=False), [SICK])


@pytest.mark.parametrize(
    ("made", "changed", "is_over"),
    [
        pytest.param(NOON - minutes(10), None, True, id="made-a-grace-period-ago"),
        pytest.param(NOON - minutes(10) + MOMENT, None, False, id="made-a-moment-later"),
        pytest.param(NOON - minutes(60), NOON - minutes(10), True, id="changed-a-grace-period-ago"),
        pytest.param(NOON - minutes(60), NOON - minutes(1), False, id="just-restarted"),
        pytest.param(None, NOON, False, id="changed-now"),
    ],
)
def test_after_a_change_an_instance_has_time_to_recover(
    made: datetime | None, changed: datetime | None, is_over: bool
) -> None:
    machine = replace(SICK, created_at=made, changed_at=changed)
    if is_over:
        check(a_draft(), machine, spec(), [machine])
    else:
        with pytest.raises(Conflict, match=r"may recover by itself until .* \(.*gracePeriod, PT10M\): report it again"):
            check(a_draft(), machine, spec(), [machine])


@pytest.mark.parametrize(
    ("count", "repairs", "is_fine"),
    [
        pytest.param(1, 0, True, id="the-only-one"),
        pytest.param(19, 0, True, id="the-first-of-a-small-set"),
        pytest.param(19, 1, False, id="the-second-of-a-small-set"),
        pytest.param(39, 1, False, id="not-yet-five-per-cent"),
        pytest.param(40, 1, True, id="five-per-cent"),
        pytest.param(40, 2, False, id="more"),
    ],
)
def test_no_more_than_one_in_twenty_is_repaired_at_a_time(count: int, repairs: int, is_fine: bool) -> None:
    draft = a_draft()
    members = [replace(SICK, name=f"web_{n}") for n in range(count)]
    for machine in members[:repairs]:
        a_repair(draft, RepairAction.REPLACE, machine)
    if is_fine:
        check(draft, members[-1], spec(), members)
    else:
        with pytest.raises(TooMany, match=f"Of {count}, no more than {max(count // 20, 1)} may be at once"):
            check(draft, members[-1], spec(), members)


def test_what_users_ask_for_is_no_repair() -> None:
    draft = a_draft()
    ask(draft, Verb.DELETE)
    check(draft, replace(SICK, name="web_2"), spec(), [SICK])


@pytest.mark.parametrize(
    ("asked", "action", "joins"),
    [
        pytest.param(Verb.DELETE, RepairAction.REPLACE, True, id="deleted-already"),
        pytest.param(Verb.DELETE, RepairAction.RESTART, True, id="a-restart-of-who-goes"),
        pytest.param(Verb.RESTART, RepairAction.RESTART, True, id="restarted-already"),
        pytest.param(Verb.RESTART, RepairAction.REPLACE, False, id="a-restart-is-no-replacement"),
        pytest.param(Verb.REDEPLOY, RepairAction.RESTART, False, id="a-move-is-no-restart"),
    ],
)
def test_what_is_under_way_already_is_not_asked_for_again(asked: Verb, action: RepairAction, joins: bool) -> None:
    draft = a_draft()
    operation = ask(draft, asked)
    found = in_hand(draft, SICK, spec(action=action))
    assert (found.id if found else None) == (operation if joins else None)


def test_where_nothing_is_repaired_only_an_end_is_joined() -> None:
    draft = a_draft()
    ask(draft, Verb.RESTART)
    assert in_hand(draft, SICK, spec(enabled=False, action=RepairAction.RESTART)) is None


@pytest.mark.parametrize(
    ("action", "impact", "notice", "text"),
    [
        pytest.param(RepairAction.REPLACE, EventType.TERMINATE, 5, "", id="replace"),
        pytest.param(RepairAction.RESTART, EventType.REBOOT, 15, FAILURE, id="restart"),
        pytest.param(RepairAction.REIMAGE, EventType.REBOOT, 15, FAILURE, id="reimage"),
    ],
)
def test_the_platform_announces_a_repair(action: RepairAction, impact: EventType, notice: int, text: str) -> None:
    event = a_repair(a_draft(), action, replace(SICK, os_image_notice=minutes(15)))
    assert (event.type, event.source, event.description) == (impact, Source.PLATFORM, text)
    assert event.not_before == NOON + minutes(notice)


def test_what_users_need_not_wait_for_and_may_not_do_too_often_is_about_users_only() -> None:
    home = replace(scope("web:0", scale_set="web"), policy=EventsPolicy(approve_user_reboot=True))
    event = a_repair(a_draft(home), RepairAction.RESTART, settings=Settings(user_operations=0))
    assert event.started_at is None
