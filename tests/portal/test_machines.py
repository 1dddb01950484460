"""The page of a machine, and what people have done to it."""

import pytest

from forewarn.domain.events import Actor, EventType, Source
from forewarn.domain.machines import Power
from tests.arm.compute import SET, with_notice
from tests.portal.fleets import NASTY, SCOPE, FleetPortal, actions_in, deed_of, machine_of
from tests.portal.sets import a_portal

WEB_1 = machine_of(SCOPE, "web_1")


@pytest.fixture
def portal() -> FleetPortal:
    return FleetPortal()


def test_a_machine_tells_what_it_is_and_what_can_be_done_to_it(portal: FleetPortal) -> None:
    html = portal.look(WEB_1)
    assert "<h1>web_1</h1>" in html
    assert "Nothing is announced or under way for this machine." in html
    assert "web_1 will get Reboot, NotBefore <time" in html
    assert "web_1 will get Terminate, NotBefore <time" in html
    assert "10m of notice" in html
    assert "Simulate eviction" not in html
    assert "Report unhealthy" not in html


@pytest.mark.parametrize(
    ("deed", "scope", "name", "says", "impact"),
    [
        pytest.param("restart", SCOPE, "web_1", "web_1 will get Reboot, NotBefore", EventType.REBOOT, id="restart"),
        pytest.param("redeploy", SCOPE, "web_1", "will get Redeploy, NotBefore", EventType.REDEPLOY, id="redeploy"),
        pytest.param("delete", SCOPE, "web_1", "will get Terminate, NotBefore", EventType.TERMINATE, id="delete"),
        pytest.param("restart", "solo", "solo", "so without an event: solo restarts at once", None, id="not enrolled"),
        pytest.param("delete", "solo", "solo", "No notification is switched on", None, id="no notification"),
        pytest.param("delete", "spot", "spot", "A Spot machine gets no Terminate", None, id="delete-spot"),
        pytest.param("evict", "spot", "spot", "so without an event: spot is taken away", None, id="evict"),
    ],
)
def test_an_action_is_told_and_then_done(
    portal: FleetPortal, deed: str, scope: str, name: str, says: str, impact: EventType | None
) -> None:
    html = portal.look(deed_of(deed, scope, name))
    assert says in html
    assert portal.live() == [], "a preview changes nothing"
    place = portal.do(deed, scope, name)
    if impact is None:
        assert place == machine_of(scope, name)
        assert portal.live() == []
        assert "without an event: asked for by local" in portal.look(place)
    else:
        (event,) = portal.live()
        assert place == f"/portal/events/{event.id}"
        assert (event.type, event.resources, event.source) == (impact, (name,), Source.USER)
        assert "web_1" in portal.look(WEB_1)


def test_what_is_under_way_is_said_and_not_offered_again(portal: FleetPortal) -> None:
    event = portal.do("restart", SCOPE, "web_1")
    html = portal.look(WEB_1)
    assert f'Reboot of web_1 is already under way: <a href="{event}">see its event</a>' in html
    assert deed_of("restart", SCOPE, "web_1").replace("&", "&amp;") not in html
    page = deed_of("restart", SCOPE, "web_1")
    assert "already under way" in portal.look(page)
    assert actions_in(portal.look(page)) == []
    assert portal.post(page).status == 409


def test_the_limit_of_ten_is_told(portal: FleetPortal) -> None:
    portal.engine.settings = type(portal.engine.settings)(user_operations=1)
    portal.do("restart", SCOPE, "web_1")
    page = deed_of("restart", SCOPE, "web_2")
    assert "no more than 1 may be" in portal.look(page)
    assert portal.post(page).status == 429


def test_who_presses_twice_asks_once(portal: FleetPortal) -> None:
    page = deed_of("delete", SCOPE, "web_1")
    form = portal.form(page, page).filled({})
    places = [portal.visit("POST", page, form).headers["location"] for _ in range(2)]
    assert places[0] == places[1]
    assert len(portal.live()) == 1


def test_a_machine_that_is_gone_is_still_told_of(portal: FleetPortal) -> None:
    portal.do("delete", "solo", "solo")
    portal.advance(seconds=1)
    answer = portal.visit("GET", machine_of("solo", "solo"))
    assert answer.status == 404
    assert "solo is gone." in answer.body.decode()
    assert "Terminate · done at once, without an event" in answer.body.decode()
    assert "solo is gone." in portal.look(machine_of("solo", "solo").replace("machines?", "machines/state?"))


def test_lately_tells_of_events_and_of_power(portal: FleetPortal) -> None:
    event = portal.do("restart", SCOPE, "web_1")
    portal.run(portal.engine.set_power((SCOPE, "web_1"), Power.STOPPED, Actor.user("alice")))
    html = portal.look(WEB_1).partition("Lately")[2]
    assert f'<a href="{event}">Reboot of web_1</a>' in html
    assert "running → stopped" in html
    assert "Reboot of web_1" not in portal.look(machine_of(SCOPE, "web_2"))


def test_a_set_with_repairs_is_told_who_is_unhealthy() -> None:
    portal = a_portal()
    portal.made(SET, with_notice(2, automaticRepairsPolicy={"enabled": "true", "gracePeriod": "PT10M"}))
    portal.enrol("rg/web:0")
    page = deed_of("unhealthy", "rg/web:0", "web_1")
    assert "may recover by itself" in portal.look(page), "in its grace period"
    portal.advance(minutes=11)
    html = portal.look(page)
    assert "web_1 will get Terminate, NotBefore" in html
    assert "Another instance takes its place at once." in html
    assert portal.send(page, page).status == 303
    assert portal.events("rg/web:0") == [("Terminate", "Scheduled", ("web_1",))]
    assert [machine.name for machine in portal.members()] == ["web_0", "web_1", "web_2"]


# Who may


def test_a_reader_sees_no_buttons_and_is_refused(portal: FleetPortal) -> None:
    html = portal.look(WEB_1, who="reader")
    assert "Actions" not in html
    for deed in ("restart", "redeploy", "evict", "delete", "unhealthy"):
        page = deed_of(deed, SCOPE, "web_1")
        assert portal.visit("GET", page, who="reader").status == 403
        assert portal.post(page, who="reader").status == 403
    assert portal.post(deed_of("restart", SCOPE, "web_1"), who="approver").status == 403
    assert portal.live() == []


def test_a_form_of_another_site_is_refused(portal: FleetPortal) -> None:
    assert portal.visit("POST", deed_of("delete", SCOPE, "web_1"), {"csrf": "guess"}).status == 403
    assert portal.live() == []


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(machine_of(SCOPE, "web_9"), id="no such machine"),
        pytest.param(machine_of("nowhere", "web_1"), id="no such scope"),
        pytest.param("/portal/machines", id="nothing asked for"),
        pytest.param(deed_of("restart", SCOPE, "web_9"), id="nothing to restart"),
        pytest.param(deed_of("explode", SCOPE, "web_1"), id="no such action"),
        pytest.param(deed_of("evict", SCOPE, "web_1"), id="not for this machine"),
        pytest.param(deed_of("unhealthy", SCOPE, "web_1"), id="no repairs here"),
    ],
)
def test_what_is_not_there_is_not_found(portal: FleetPortal, path: str) -> None:
    assert portal.visit("GET", path).status == 404


def test_nasty_names_are_shown_as_text_and_lead_where_they_should(portal: FleetPortal) -> None:
    html = "".join(map(portal.look, (machine_of(NASTY, NASTY), deed_of("restart", NASTY, NASTY), "/portal/")))
    assert "<b>" not in html
    assert "&amp;lt;" not in html
    event = portal.do("restart", NASTY, NASTY)
    assert "&lt;b&gt;" in portal.look(event)
    assert portal.event(event.rpartition("/")[2]).resources == (NASTY,)


def test_the_fleet_leads_to_machines_and_to_their_events(portal: FleetPortal) -> None:
    event = portal.do("restart", SCOPE, "web_1")
    html = portal.look("/portal/")
    assert f'href="{WEB_1.replace("&", "&amp;")}"' in html
    assert f'href="{event}"' in html
    assert 'type="checkbox"' in html
    assert 'type="checkbox"' not in portal.look("/portal/", who="reader")
