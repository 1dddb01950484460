"""What the pages of scale sets show, from values made by hand."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import Event, EventType, Phase
from forewarn.domain.machines import Machine, Power, Priority
from forewarn.domain.resources import SCALE_SET, group_id, resource_id
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.portal.views.scale_set_fates import End, Fate, fates, rescaled
from forewarn.portal.views.scale_set_order import orders
from forewarn.portal.views.scale_set_wish import FIELDS, Known, Step, Wish, faults_of, step_of
from forewarn.portal.views.scale_set_wizard import wizard_view
from forewarn.portal.views.scale_sets import Model, SetFacts, list_view, model_of, notice_form, set_row, set_view
from forewarn.testing.builders import NOON, a_machine, a_resource, an_event, an_operation
from forewarn.wire.compute.completing import complete_set
from forewarn.wire.compute.states import Provisioning

SUBSCRIPTION = "22222222-2222-4222-8222-222222222222"
TEN = timedelta(minutes=10)
HOME = "g/web:0"


def a_set(
    *machines: Machine, model: int = 1, leaving: bool = False, scope: Mapping[str, Any] | None = None, **wish: str
) -> SetFacts:
    known = Known(subscription=SUBSCRIPTION, groups={group_id(SUBSCRIPTION, "g").lower(): "g"})
    put = orders(Wish(name="web", group="g", **wish), known)[-1]
    resource = a_resource(
        "web",
        SCALE_SET,
        id=resource_id(SUBSCRIPTION, "g", SCALE_SET, "web"),
        body=complete_set({name: value for name, value in put.body.items() if name != "location"}),
        scope="g/web",
        model=model,
        counter=len(machines),
        leaving=leaving,
        location="eastus",
    )
    home: dict[str, Any] = {"enrolled_at": NOON, **(scope or {})}
    scopes = [Scope(id=HOME, kind=ScopeKind.PLACEMENT_GROUP, scale_set="g/web", **home)]
    return SetFacts(resource=resource, scopes=scopes, members=machines)


def an_instance(number: int = 0, **changes: Any) -> Machine:
    changes = {"model": 1, "terminate_notice": TEN, **changes}
    return a_machine(f"web_{number}", HOME, instance=str(number), **changes)


def a_terminate(number: int, phase: Phase = Phase.SCHEDULED) -> dict[str, Any]:
    """A scope in which this instance is being deleted."""
    name = f"web_{number}"
    event: Event = an_event(
        "E", HOME, type=EventType.TERMINATE, resources=(name,), phase=phase, not_before=NOON + timedelta(minutes=3)
    )
    deleting = an_operation(event.operation, HOME, impact=EventType.TERMINATE, machines=(name,), event="E")
    return {"events": (event,), "operations": (deleting,)}


@pytest.mark.parametrize(
    ("machine", "model", "expected"),
    [
        pytest.param(an_instance(), 1, Model.LATEST, id="made-from-it"),
        pytest.param(an_instance(), 2, Model.BEHIND, id="made-from-an-earlier-one"),
        pytest.param(an_instance(keep_as_it_is=True), 2, Model.KEPT, id="protected"),
        pytest.param(an_instance(keep_as_it_is=True), 1, Model.LATEST, id="protected-and-on-it"),
        pytest.param(an_instance(model=0), 2, Model.NONE, id="joined-by-itself"),
    ],
)
def test_which_model_an_instance_is_on(machine: Machine, model: int, expected: Model) -> None:
    assert model_of(machine, a_set(model=model).resource) is expected


@pytest.mark.parametrize(
    ("facts", "state", "capacity", "minutes"),
    [
        pytest.param(a_set(an_instance()), Provisioning.SUCCEEDED, 1, "", id="at-rest"),
        pytest.param(a_set(notify="on", delay="7"), Provisioning.SUCCEEDED, 0, "7", id="empty-with-notification"),
        pytest.param(
            a_set(an_instance(0), an_instance(1), scope=a_terminate(1)),
            Provisioning.UPDATING,
            1,
            "",
            id="one-is-going",
        ),
        pytest.param(a_set(an_instance(), leaving=True), Provisioning.DELETING, 1, "", id="all-of-it-is-going"),
    ],
)
def test_a_row_tells_how_far_a_set_is(facts: SetFacts, state: Provisioning, capacity: int, minutes: str) -> None:
    row = set_row(facts)
    assert (row.state, row.capacity, row.minutes) == (state, capacity, minutes)
    assert (row.group, row.place, row.flexible) == ("g", "/scale-sets/g/web", False)


def test_instances_are_counted_by_their_model() -> None:
    facts = a_set(an_instance(0, model=2), an_instance(1), an_instance(2, keep_as_it_is=True), model=2)
    (row,) = list_view([facts])
    assert (row.latest, row.behind, row.kept, row.modelled) == (1, 1, 1, 3)


def test_an_instance_is_shown_with_its_event_and_its_own_notice() -> None:
    stopped = an_instance(10, power=Power.STOPPED, terminate_notice=None)
    view = set_view(a_set(stopped, an_instance(2), scope=a_terminate(2)))
    first, second = view.instances
    assert (first.name, first.minutes, first.is_leaving, first.enrolled) == ("web_2", "10", True, True)
    assert first.pending is not None
    assert (first.pending.type, first.pending.phase) == (EventType.TERMINATE, Phase.SCHEDULED)
    assert (second.name, second.minutes, second.power, second.pending) == ("web_10", "", Power.STOPPED, None)


@pytest.mark.parametrize(("page", "shown"), [(0, 100), (1, 100), (2, 5), (9, 5)])
def test_a_page_that_is_not_there_is_the_nearest_one(page: int, shown: int) -> None:
    assert len(set_view(a_set(*map(an_instance, range(105))), page).instances) == shown


@pytest.mark.parametrize(
    ("wish", "settings", "expected"),
    [
        pytest.param({}, Settings(), (False, "5", 5, 15), id="off"),
        pytest.param({"notify": "on", "delay": "12"}, Settings(), (True, "12", 5, 15), id="on"),
        pytest.param(
            {},
            Settings(terminate_min=timedelta(seconds=90), terminate_max=timedelta(minutes=20, seconds=30)),
            (False, "2", 2, 20),
            id="other-limits",
        ),
    ],
)
def test_the_form_knows_the_limits(
    wish: dict[str, Any], settings: Settings, expected: tuple[bool, str, int, int]
) -> None:
    form = notice_form(a_set(**wish), settings)
    assert (form.enabled, form.minutes, form.least, form.most) == expected


SILENT: dict[str, Any] = {"enrolled_at": None}
ALL_DOWN: dict[str, Any] = {"any_running": False}


@pytest.mark.parametrize(
    ("machine", "scope", "end", "after"),
    [
        pytest.param(an_instance(), {}, End.ANNOUNCED, 10, id="announced"),
        pytest.param(an_instance(terminate_notice=None), {}, End.OFF, None, id="no-notification"),
        pytest.param(an_instance(priority=Priority.SPOT), {}, End.SPOT, None, id="spot"),
        pytest.param(an_instance(), SILENT, End.NOT_ENROLLED, None, id="nobody-listens"),
        pytest.param(an_instance(), ALL_DOWN, End.WAIVED, None, id="nothing-runs"),
        pytest.param(an_instance(), a_terminate(0), End.UNDER_WAY, 3, id="already-going"),
    ],
)
def test_what_becomes_of_an_instance_that_is_deleted(
    machine: Machine, scope: dict[str, Any], end: End, after: int | None
) -> None:
    facts = a_set(machine, scope=scope)
    expected = None if after is None else NOON + timedelta(minutes=after)
    assert fates(facts, [machine], Settings(), NOON) == (Fate(name="web_0", end=end, not_before=expected),)


def test_a_scale_in_takes_whom_the_policy_says() -> None:
    machines = [an_instance(n, created_at=NOON + timedelta(minutes=n)) for n in range(3)]
    told = rescaled(a_set(*machines, scale_in="OldestVM"), 2, Settings(), NOON)
    assert (told.before, told.after, told.born) == (3, 2, ())
    assert [fate.name for fate in told.fates] == ["web_0"]


def test_who_goes_already_is_not_counted() -> None:
    told = rescaled(a_set(an_instance(0), an_instance(1), scope=a_terminate(1)), 2, Settings(), NOON)
    assert (told.before, told.born, told.fates) == (1, ("web_2",), ())


def test_nobody_knows_the_names_in_a_flexible_set() -> None:
    assert rescaled(a_set(mode="Flexible"), 2, Settings(), NOON).born == ("", "")


@pytest.mark.parametrize(
    ("facts", "capacity", "error"),
    [
        pytest.param(a_set(), 101, Invalid, id="too-many"),
        pytest.param(a_set(an_instance(keep_on_scale_in=True)), 0, Conflict, id="protected"),
    ],
)
def test_a_capacity_is_refused_as_it_would_be(facts: SetFacts, capacity: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        rescaled(facts, capacity, Settings(), NOON)


def test_every_field_is_on_one_step() -> None:
    names = [name for names in FIELDS.values() for name in names]
    assert sorted(names) == sorted(set(names)) == sorted(Wish.__slots__)
    assert step_of("delay") is Step.MANAGEMENT


def test_every_step_carries_the_fields_of_the_others() -> None:
    known = Known(subscription=SUBSCRIPTION)
    for step in Step:
        view = wizard_view(step, Wish(), known, Settings())
        assert {name for name, _ in view.hidden} | set(FIELDS[step]) == set(Wish.__slots__)


def test_a_step_says_what_is_wrong_only_when_it_was_sent() -> None:
    known = Known(subscription=SUBSCRIPTION)
    assert wizard_view(Step.BASICS, Wish(), known, Settings()).faults == {}
    assert wizard_view(Step.BASICS, Wish(), known, Settings(), checked=True).faults.keys() == {"group", "name"}
    wrong = [row.step for row in wizard_view(Step.REVIEW, Wish(), known, Settings()).steps if row.is_wrong]
    assert wrong == [Step.BASICS]


def test_the_limits_are_those_of_the_settings() -> None:
    settings = Settings(terminate_min=timedelta(minutes=1), terminate_max=timedelta(minutes=2))
    known = Known(subscription=SUBSCRIPTION)
    faults = faults_of(Step.MANAGEMENT, Wish(notify="on", delay="5"), known, settings)
    assert faults["delay"].facts == {"least": 1, "most": 2}
