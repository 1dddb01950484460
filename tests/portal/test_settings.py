"""The settings page: what the browser shows, who is logged in, and the fleet's numbers."""

import pytest
from msgspec.structs import fields

from forewarn.access.tokens import Caller
from forewarn.domain.access import Assignment, Role
from forewarn.domain.settings import Settings
from forewarn.portal.texts import LANGUAGES, texts_of
from forewarn.portal.views.settings import GivenRole, Setting, settings_view
from forewarn.testing.builders import NOON
from tests.control.rig import Rig
from tests.portal.visiting import Visitor, entered

ANNA = Caller(principal="anna", name="Anna", object_id="1-2-3", expires=NOON)
GROUP = "/subscriptions/s/resourceGroups/g"


def given(principal: str, role: Role, scope: str = "/subscriptions/s") -> Assignment:
    return Assignment(id=f"{principal}{role}", principal=principal, role=role, scope=scope)


def test_the_roles_are_one_s_own_by_either_name() -> None:
    all_given = [given("anna", Role.READER), given("ben", Role.CONTRIBUTOR), given("1-2-3", Role.CONTRIBUTOR, GROUP)]
    view = settings_view(ANNA, all_given, Settings())
    assert view.roles == (
        GivenRole(role=Role.READER, scope="/subscriptions/s"),
        GivenRole(role=Role.CONTRIBUTOR, scope=GROUP),
    )


def test_every_setting_is_told_as_it_stands_in_the_fleet_file() -> None:
    view = settings_view(ANNA, [], Settings(user_operations=3))
    assert [one.name for one in view.fleet] == [field.name for field in fields(Settings)]
    assert Setting(name="notice_reboot", value="15m") in view.fleet
    assert Setting(name="user_operations", value="3") in view.fleet


def test_who_may_not_look_is_told_no_setting() -> None:
    assert settings_view(ANNA, [], None).fleet == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_and_role_has_a_text(language: str) -> None:
    texts = texts_of(language)
    assert all(texts(f"settings.fleet.{field.name}") for field in fields(Settings))
    assert all(texts(f"settings.may.{role.value}") for role in Role)


def test_the_page_says_who_is_logged_in_and_as_what(rig: Rig) -> None:
    page = entered(rig, "anna", Role.SCHEDULED_EVENT_CONTRIBUTOR).get("/portal/settings").text
    assert rig.access.object_id("anna") in page
    assert "<strong>ScheduledEventContributor</strong> · looks, and lets events start" in page
    assert "<code>notice_freeze</code>" in page
    assert "1.2.3" in page


def test_language_and_theme_are_kept_by_the_browser(rig: Rig) -> None:
    visitor = entered(rig)
    seen = visitor.post("/portal/settings", language="fr", theme="dark")
    assert (seen.status, seen.place) == (303, "/portal/settings?saved=yes")
    for name in ("forewarn-language", "forewarn-theme"):
        cookie = seen.cookies[name]
        assert (cookie["path"], cookie["samesite"], cookie["max-age"]) == ("/portal", "lax", "31536000")
    page = visitor.get(seen.place).text
    assert '<html lang="fr" data-theme="dark">' in page
    assert "Enregistré." in page
    assert '<html lang="fr" data-theme="dark">' in visitor.get("/portal/").text
    visitor.post("/portal/logout")
    assert '<html lang="fr" data-theme="dark">' in visitor.get("/portal/").text


def test_what_is_no_choice_is_not_kept(rig: Rig) -> None:
    visitor = entered(rig)
    assert visitor.post("/portal/settings", language="xx", theme='"><script>').cookies == {}
    visitor.cookies |= {"forewarn-theme": "odd", "forewarn-language": "odd"}
    assert '<html lang="en" data-theme="auto">' in visitor.get("/portal/").text


def test_who_has_no_role_sees_that_and_nothing_of_the_fleet(rig: Rig) -> None:
    visitor = Visitor(rig, rig.entrance.place("nobody", "nobody"))
    page = visitor.get("/portal/settings").text
    assert "You have no role" in page
    assert "notice_freeze" not in page
    assert "fleet-clock" not in page
    assert visitor.get("/portal/").status == 403
    assert visitor.get("/portal/clock").status == 403
    assert visitor.post("/portal/logout").status == 303
