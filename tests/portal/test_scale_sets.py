"""Scale sets in the portal: looked at, told to announce deletes, brought to the latest model, scaled, emptied."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.domain.access import Role
from tests.access.asking import Answer
from tests.arm.compute import SET, a_set, with_notice
from tests.arm.rig import S
from tests.portal.forms import HtmlForm, forms_in
from tests.portal.sets import SETS, WEB, Portal, a_portal

NOTIFICATION = f"{WEB}/notification"
HOSTILE = "<script>alert('x')</script>"


def a_portal_with_a_set(capacity: int = 2, **properties: Any) -> Portal:
    portal = a_portal()
    portal.made(SET, a_set(capacity, **properties))
    return portal


def switch(portal: Portal, enabled: str, minutes: str) -> Answer:
    return portal.send(WEB, NOTIFICATION, enabled=enabled, minutes=minutes)


def place(answer: Answer) -> str:
    assert answer.status == 303, answer.body.decode()
    return answer.headers["location"]


def notices(portal: Portal) -> list[timedelta | None]:
    return [machine.terminate_notice for machine in portal.members()]


def test_the_list_tells_of_each_set() -> None:
    portal = a_portal()
    assert "There is no scale set yet." in portal.look(SETS)
    portal.made(SET, with_notice(3))
    html = portal.look(SETS)
    assert f'href="{WEB}"' in html
    assert "10 min" in html
    assert "3 of 3" in html
    assert html.count("<tbody>") == portal.look(f"{SETS}/table").count("<tbody>") == 1


def test_a_set_that_is_not_there_is_not_found() -> None:
    answer = a_portal().visit("GET", f"{SETS}/rg/nothing")
    assert (answer.status, b"There is no scale set nothing" in answer.body) == (404, True)


def test_an_existing_set_is_told_to_announce_deletes_and_its_instances_follow_when_they_are_updated() -> None:
    """What Azure's portal cannot do."""
    portal = a_portal_with_a_set()
    portal.enrol("rg/web:0")
    page = portal.look(place(switch(portal, "on", "12")))
    assert "2 instances are not on the latest model" in page
    assert notices(portal) == [None, None], "the model has changed, the instances have not"
    page = portal.look(place(portal.send(WEB, f"{WEB}/update")))
    assert "not on the latest model" not in page
    assert notices(portal) == [timedelta(minutes=12)] * 2
    preview = portal.look(f"{WEB}/delete?instance=1")
    assert "web_1" in preview
    assert "gets Terminate" in preview
    assert '<time datetime="2030-01-01T12:12:00Z">' in preview
    assert portal.events("rg/web:0") == [], "a preview changes nothing"
    place(portal.send(f"{WEB}/delete?instance=1", f"{WEB}/delete"))
    assert portal.events("rg/web:0") == [("Terminate", "Scheduled", ("web_1",))]
    portal.advance(minutes=11)
    assert portal.ids() == ["0", "1"]
    portal.advance(minutes=1)
    assert portal.ids() == ["0"]


def test_a_set_that_follows_by_itself_has_nobody_to_update() -> None:
    portal = a_portal_with_a_set(upgradePolicy={"mode": "Automatic"})
    page = portal.look(place(switch(portal, "on", "5")))
    assert "not on the latest model" not in page
    assert notices(portal) == [timedelta(minutes=5)] * 2


def test_the_notification_is_switched_off() -> None:
    portal = a_portal()
    portal.made(SET, with_notice(1))
    place(switch(portal, "off", "whatever"))
    place(portal.send(WEB, f"{WEB}/update"))
    assert notices(portal) == [None]


@pytest.mark.parametrize("minutes", ["4", "16", "x", "", "-5", "5.5", "٥", "5" * 40])
def test_a_delay_that_cannot_be_is_said_beside_the_field(minutes: str) -> None:
    portal = a_portal_with_a_set()
    answer = switch(portal, "on", minutes)
    html = answer.body.decode()
    assert answer.status == 400
    assert '<p id="minutes-error" class="error" role="alert">Enter a whole number from 5 to 15.</p>' in html
    assert f'value="{minutes}"' in html, "what was typed is still there"
    assert portal.get(SET)["etag"] == '"1"', "nothing was sent"


def test_a_refusal_is_in_the_control_plane_s_own_words() -> None:
    portal = a_portal()
    portal.made(SET, a_set(1, model={"priority": "Spot"}))
    answer = switch(portal, "on", "5")
    assert answer.status == 400
    assert b"Terminate notifications cannot be enabled on Spot or low-priority instances." in answer.body


def test_a_protected_instance_is_told_of_and_left_alone() -> None:
    portal = a_portal_with_a_set()
    protection = {"properties": {"protectionPolicy": {"protectFromScaleSetActions": True}}}
    portal.put(f"{SET}/virtualMachines/0", protection)
    page = portal.look(place(switch(portal, "on", "5")))
    assert "1 instance is not on the latest model" in page
    page = portal.look(place(portal.send(WEB, f"{WEB}/update")))
    assert "protected from what is done to the whole set: 1." in page
    assert notices(portal) == [None, timedelta(minutes=5)]


def posted_to(html: str, action: str) -> HtmlForm:
    (form,) = [form for form in forms_in(html) if (form.method, form.action) == ("post", action)]
    return form


def test_a_scale_in_is_told_before_it_is_done() -> None:
    portal = a_portal()
    portal.made(SET, with_notice(3))
    portal.enrol("rg/web:0")
    (form,) = [form for form in forms_in(portal.look(WEB)) if form.action == f"{WEB}/scale"]
    assert (form.method, form.fields) == ("get", {"capacity": "3"})
    html = portal.look(f"{WEB}/scale?capacity=1")
    assert "From 3 to 1 instances." in html
    assert html.count("gets Terminate") == 2
    assert html.count('<time datetime="2030-01-01T12:10:00Z">') == 2
    answer = portal.visit("POST", f"{WEB}/scale", posted_to(html, f"{WEB}/scale").filled({}))
    assert "The number of instances was changed." in portal.look(place(answer))
    told = {name for _, _, names in portal.events("rg/web:0") for name in names}
    assert all(f'<th scope="row">{name}</th>' in html for name in told)
    assert len(told) == 2


def test_a_scale_out_tells_who_comes() -> None:
    portal = a_portal_with_a_set(1)
    html = portal.look(f"{WEB}/scale?capacity=3")
    assert "New: web_1, web_2." in html
    place(portal.visit("POST", f"{WEB}/scale", posted_to(html, f"{WEB}/scale").filled({})))
    assert portal.ids() == ["0", "1", "2"]
    assert "Nothing changes." in portal.look(f"{WEB}/scale?capacity=3")


@pytest.mark.parametrize(
    ("capacity", "says"),
    [
        pytest.param("x", "Enter a whole number.", id="no-number"),
        pytest.param("", "Enter a whole number.", id="nothing"),
        pytest.param("101", "sku.capacity must be from 0 to 100", id="too-many"),
    ],
)
def test_a_capacity_that_cannot_be_is_said_beside_the_field(capacity: str, says: str) -> None:
    portal = a_portal_with_a_set()
    csrf = portal.form(WEB, NOTIFICATION).fields["csrf"]
    for answer in (
        portal.visit("GET", f"{WEB}/scale?capacity={capacity}"),
        portal.visit("POST", f"{WEB}/scale", {"csrf": csrf, "capacity": capacity}),
    ):
        assert (answer.status, says in answer.body.decode()) == (400, True)
    assert portal.ids() == ["0", "1"]


def test_an_instance_that_nobody_listens_for_goes_at_once() -> None:
    portal = a_portal()
    portal.made(SET, with_notice(2))
    assert "is deleted at once: no machine of its scope asks for events" in portal.look(f"{WEB}/delete?instance=0")
    place(portal.send(f"{WEB}/delete?instance=0", f"{WEB}/delete"))
    portal.advance()
    assert portal.ids() == ["1"]


@pytest.mark.parametrize("query", ["", "?instance=7"], ids=["nobody", "somebody-who-is-gone"])
def test_a_delete_of_nobody_is_refused(query: str) -> None:
    answer = a_portal_with_a_set().visit("GET", f"{WEB}/delete{query}")
    assert (answer.status, b"No instance was chosen" in answer.body) == (400, True)


def test_what_was_deleted_between_the_preview_and_the_click_is_told() -> None:
    portal = a_portal_with_a_set()
    form = portal.form(f"{WEB}/delete?instance=1", f"{WEB}/delete")
    portal.post(f"{SET}/delete", {"instanceIds": ["1"]})
    portal.advance()
    answer = portal.visit("POST", f"{WEB}/delete", form.filled({}))
    assert answer.status == 400
    assert b"instanceId 1 is not an active Virtual Machine Scale Set VM instanceId" in answer.body


def test_the_repairs_policy_is_shown() -> None:
    policy = {"enabled": True, "gracePeriod": "PT30M", "repairAction": "Restart"}
    html = a_portal_with_a_set(automaticRepairsPolicy=policy).look(WEB)
    assert "30 min" in html
    assert "<dd>Restart</dd>" in html


def test_a_large_set_comes_in_pages() -> None:
    portal = a_portal_with_a_set(150)
    first, second = portal.look(WEB), portal.look(f"{WEB}?page=2")
    assert (first.count('name="instance"'), second.count('name="instance"')) == (100, 50)
    assert portal.look(f"{WEB}/instances?page=2").count('name="instance"') == 50


def test_a_reader_sees_no_buttons_and_is_refused() -> None:
    portal = a_portal_with_a_set()
    portal.admit("reader", Role.READER)
    for page in (WEB, f"{WEB}/state", f"{WEB}/instances", SETS):
        html = portal.look(page, who="reader").rpartition('<main id="content">')[2]
        assert not forms_in(html)
        assert not any(word in html for word in ("<button", "checkbox", "create"))
    form = {"csrf": portal.csrf("reader"), "enabled": "on", "minutes": "5", "capacity": "0", "instances": "0"}
    for action in ("notification", "update", "scale", "delete"):
        answer = portal.visit("POST", f"{WEB}/{action}", form, who="reader")
        assert (answer.status, b"does not have authorization" in answer.body) == (403, True), action
    assert portal.get(SET)["etag"] == '"1"'


@pytest.mark.parametrize("action", ["notification", "update", "scale", "delete"])
def test_a_form_of_another_site_is_refused(action: str) -> None:
    portal = a_portal_with_a_set()
    form = {"csrf": "guessed", "enabled": "on", "minutes": "5", "capacity": "0", "instances": "0 1"}
    answer = portal.visit("POST", f"{WEB}/{action}", form)
    assert (answer.status, b"not sent from a page of the portal" in answer.body) == (403, True)
    assert (portal.get(SET)["etag"], portal.ids()) == ('"1"', ["0", "1"])


def test_hostile_text_is_shown_as_text() -> None:
    portal = a_portal()
    image = {"publisher": HOSTILE, "offer": "o", "sku": "s", "version": "latest"}
    portal.made(SET, a_set(1, model={"storageProfile": {"imageReference": image}}))
    typed = switch(portal, "on", f'"{HOSTILE}').body.decode()
    pages = [typed, portal.look(WEB), portal.look(f"{WEB}/state")]
    pages += [portal.visit("GET", f"{WEB}/scale?capacity=%22{HOSTILE}").body.decode()]
    pages += [portal.visit("GET", f"{SETS}/{HOSTILE.replace('/', '')}/web").body.decode()]
    for html in pages:
        assert "alert(" in html
        assert "<script>" not in html


def test_a_group_may_have_any_letters() -> None:
    portal = a_portal()
    group = f"{S}/resourceGroups/été(1)"
    portal.put(group, {"location": "eastus"})
    portal.made(f"{group}/providers/Microsoft.Compute/virtualMachineScaleSets/web", a_set(1))
    html = portal.look(SETS)
    assert f'href="{SETS}/%C3%A9t%C3%A9%281%29/web"' in html
    answer = portal.visit("GET", f"{SETS}/été(1)/web")
    assert answer.status == 200


def test_it_is_also_in_french() -> None:
    portal = a_portal_with_a_set()
    portal.language = "fr"
    assert "Délai d&#39;arrêt (minutes)" in portal.look(WEB)
    assert "Saisissez un nombre entier de 5 à 15." in switch(portal, "on", "4").body.decode()
