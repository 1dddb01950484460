"""What a form for a campaign means, and what that campaign would do."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.domain.events import EventType
from forewarn.domain.scopes import Scope, Walk
from forewarn.domain.settings import Settings
from forewarn.portal.texts import texts_of
from forewarn.portal.views.beginning import FIRST, First, Preview, Read, Wanted, choices, preview, read
from forewarn.testing.builders import NOON, SOMEBODY, a_campaign, a_machine, a_scope

SETTINGS = Settings()
WALK = Walk(campaign="other", pause=timedelta(0), remaining=(1,))
SCOPES = {
    scope.id: scope for scope in (a_scope("db"), a_scope("web:0", scale_set="web"), a_scope("web:1", scale_set="web"))
}


def asked(known: dict[str, Scope] = SCOPES, **wanted: Any) -> Read:
    return read(Wanted(**wanted), known, SETTINGS, texts_of("en"), id="C", by=SOMEBODY, now=NOON)


def test_a_scale_set_s_name_stands_for_all_its_placement_groups() -> None:
    campaign = asked(names=("web", "db", "web:0"), notice="20m", pause="5m", description="Patches").campaign
    assert campaign == a_campaign(
        "C",
        scopes=("web:0", "web:1", "db"),
        notice=timedelta(minutes=20),
        pause=timedelta(minutes=5),
        description="Patches",
    )


def test_everywhere_is_every_scope() -> None:
    campaign = asked(everywhere=True, type="Freeze").campaign
    assert campaign is not None
    assert (campaign.impact, campaign.scopes) == (EventType.FREEZE, ("db", "web:0", "web:1"))
    assert (campaign.notice, campaign.pause) == (None, None)


@pytest.mark.parametrize(
    ("wanted", "field", "message"),
    [
        pytest.param({"type": "Terminate"}, "type", "Choose what", id="a type that is not rolled out"),
        pytest.param({"names": ()}, "scopes", "Choose at least one", id="nowhere"),
        pytest.param({"names": ("db", "nowhere")}, "scopes", "no scope or scale set nowhere", id="unknown"),
        pytest.param({"notice": "soon"}, "notice", "“soon” is not a length of time", id="no notice"),
        pytest.param({"notice": "1m"}, "notice", "at least 15m", id="too little notice"),
        pytest.param({"pause": "1y"}, "pause", "“1y” is not", id="no pause"),
        pytest.param({"description": "x" * 1001}, "description", "At most 1000", id="too long"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(wanted: dict[str, Any], field: str, message: str) -> None:
    found = asked(**{"names": ("db",), **wanted})
    assert found.campaign is None
    assert found.errors.keys() == {field}
    assert message in str(found.errors[field])


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert asked(type="", notice="x", pause="y").errors.keys() == {"type", "scopes", "notice", "pause"}


def test_an_empty_fleet_has_nothing_to_roll_over() -> None:
    assert asked({}, everywhere=True).errors.keys() == {"scopes"}


def test_the_preview_says_what_happens_first_and_how_it_goes_on() -> None:
    machines = {
        "db": [a_machine(f"db-{d}", "db", update_domain=d) for d in range(3)],
        "web:0": [a_machine(f"web_{n}", "web:0", update_domain=n % 2) for n in range(4)],
    }
    scopes = {"db": a_scope("db", enrolled_at=NOON), "web:0": a_scope("web:0")}
    campaign = a_campaign(scopes=("db", "web:0"), pause=timedelta(minutes=10))
    seen = preview(campaign, scopes, machines, SETTINGS, NOON)
    assert isinstance(seen, Preview)
    at = NOON + timedelta(minutes=15)
    how: dict[str, Any] = {"domain": 0, "not_before": at, "is_started": False}
    assert seen.firsts == (
        First(scope="db", machines=("db-0",), is_enrolled=True, **how),
        First(scope="web:0", machines=("web_0", "web_2"), is_enrolled=False, **how),
    )
    assert (seen.machines, seen.fewest, seen.most, seen.unheard) == (7, 2, 3, 1)
    assert seen.latest == NOON + timedelta(minutes=3 * 15 + 2 * 10)


def test_where_nothing_runs_it_starts_at_once() -> None:
    scopes = {"s": a_scope(any_running=False)}
    seen = preview(a_campaign(), scopes, {"s": [a_machine()]}, SETTINGS, NOON)
    assert isinstance(seen, Preview)
    assert seen.firsts[0].is_started


def test_of_many_scopes_the_first_few_are_told() -> None:
    names = [f"s{number}" for number in range(FIRST + 2)]
    machines = {name: [a_machine(scope=name)] for name in names}
    seen = preview(a_campaign(scopes=tuple(names)), {name: a_scope(name) for name in names}, machines, SETTINGS, NOON)
    assert isinstance(seen, Preview)
    assert (len(seen.firsts), seen.machines) == (FIRST, FIRST + 2)


def test_a_scope_without_machines_would_be_over_at_once() -> None:
    seen = preview(a_campaign(), {"s": a_scope()}, {}, SETTINGS, NOON)
    assert isinstance(seen, Preview)
    assert (seen.firsts, seen.most, seen.latest) == ((), 0, NOON)


@pytest.mark.parametrize(
    ("scope", "pause", "field"),
    [
        pytest.param(a_scope(walk=WALK), None, "scopes", id="a campaign is there already"),
        pytest.param(a_scope(), timedelta(days=400), "pause", id="too long a pause"),
    ],
)
def test_what_the_rules_refuse_is_said_beside_its_field(scope: Scope, pause: timedelta | None, field: str) -> None:
    seen = preview(a_campaign(pause=pause), {"s": scope}, {"s": [a_machine()]}, SETTINGS, NOON)
    assert isinstance(seen, Read)
    assert seen.errors.keys() == {field}


def test_sets_can_be_chosen_as_a_whole() -> None:
    scopes = [*SCOPES.values(), a_scope("taken", walk=WALK)]
    told = choices(scopes, [a_machine("a", "web:0"), a_machine("b", "web:1"), a_machine("c", "db")])
    assert [(choice.name, choice.machines, choice.is_taken) for choice in told] == [
        ("db", 1, False),
        ("taken", 0, True),
        ("web", 2, False),
    ]
