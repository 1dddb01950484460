"""Scheduling the platform's maintenance by a form."""

from urllib.parse import urlencode

import pytest

from forewarn.domain.events import EventType, Phase, Source
from tests.portal.fleets import NASTY, SCOPE, FleetPortal, actions_in

PAGE = "/portal/maintenance"
WEB = tuple(f"{SCOPE}/web_{n}" for n in range(3))


def chosen(*machines: str, **filled: str) -> str:
    return f"{PAGE}?{urlencode([*(('machine', machine) for machine in machines), *filled.items()])}"


@pytest.fixture
def portal() -> FleetPortal:
    return FleetPortal()


def test_it_is_filled_in_reviewed_and_then_scheduled(portal: FleetPortal) -> None:
    form = portal.form(chosen(*WEB[:2], "solo/solo"), PAGE)
    assert (form.method, form.fields["type"], actions_in(portal.look(chosen(*WEB)))) == ("get", "Freeze", [])
    review = chosen(*WEB[:2], "solo/solo", type="Reboot", notice="1h", description="New disks")
    html = portal.look(review)
    assert ">web_0</a>" in html
    assert html.count(": Reboot, NotBefore") == 2, "one for the host, one for solo"
    assert '<time datetime="2030-01-01T13:00:00Z">' in html
    assert portal.live() == [], "a preview changes nothing"
    assert portal.sent(review, PAGE) == "/portal/events"
    events = {event.resources: event for event in portal.live()}
    assert set(events) == {("web_0", "web_1"), ("solo",)}
    event = events["solo",]
    assert (event.type, event.source, event.description) == (EventType.REBOOT, Source.PLATFORM, "New disks")


def test_one_event_is_shown_at_once(portal: FleetPortal) -> None:
    place = portal.sent(chosen(WEB[0], type="Redeploy", at_once="yes"), PAGE)
    (event,) = portal.live()
    assert (place, event.phase) == (f"/portal/events/{event.id}", Phase.STARTED)


def test_who_changes_it_sees_the_form_as_it_was_filled_in(portal: FleetPortal) -> None:
    form = portal.form(chosen(WEB[0], type="Reboot", notice="1h", change="yes"), PAGE)
    assert (form.fields["type"], form.fields["notice"]) == ("Reboot", "1h")


@pytest.mark.parametrize(
    ("filled", "says"),
    [
        pytest.param(
            {"type": "Reboot", "notice": "1m"}, '<p id="notice-error" class="error">Reboot gives', id="notice"
        ),
        pytest.param({"type": "Preempt"}, "web_0 is not a Spot machine", id="type"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_can_be_sent(portal: FleetPortal, filled: dict[str, str], says: str) -> None:
    html = portal.look(chosen(WEB[0], **filled))
    assert says in html
    assert actions_in(html) == []
    answer = portal.post(PAGE, machines=WEB[0], **filled)
    assert (answer.status, says in answer.body.decode()) == (400, True)
    assert portal.live() == []


def test_who_presses_twice_asks_once(portal: FleetPortal) -> None:
    form = portal.form(chosen(WEB[0], type="Freeze"), PAGE).filled({})
    assert [portal.visit("POST", PAGE, form).status for _ in range(2)] == [303, 303]
    assert len(portal.live()) == 1


def test_without_machines_it_leads_to_the_fleet(portal: FleetPortal) -> None:
    assert "No machine is chosen." in portal.look(PAGE)
    assert portal.post(PAGE, machines="", type="Freeze").status == 400
    assert portal.live() == []


@pytest.mark.parametrize("machine", ["rg/web:0/web_9", "web_1", "<b>/<b>"])
def test_a_machine_that_is_not_there_is_not_found(portal: FleetPortal, machine: str) -> None:
    answer = portal.visit("GET", chosen(machine))
    assert (answer.status, b"<b>" in answer.body) == (404, False)


def test_too_many_are_refused(portal: FleetPortal) -> None:
    assert portal.post(PAGE, machines="\n".join(f"s/{n}" for n in range(1001))).status == 400


def test_a_reader_is_refused_and_so_is_a_form_of_another_site(portal: FleetPortal) -> None:
    assert portal.visit("GET", chosen(WEB[0]), who="reader").status == 403
    assert portal.post(PAGE, machines=WEB[0], who="reader").status == 403
    assert portal.visit("POST", PAGE, {"machines": WEB[0], "csrf": "guess"}).status == 403
    assert portal.live() == []


def test_nasty_names_are_shown_as_text(portal: FleetPortal) -> None:
    review = chosen(f"{NASTY}/{NASTY}", type="Reboot", description=NASTY)
    html = portal.look(review) + portal.look(chosen(f"{NASTY}/{NASTY}", description=NASTY))
    assert "<b>" not in html
    portal.sent(review, PAGE)
    (event,) = portal.live()
    assert (event.resources, event.description) == ((NASTY,), NASTY)
