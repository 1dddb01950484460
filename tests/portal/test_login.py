"""Getting in by a link, staying in by a cookie, and getting out."""

import io
import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from forewarn.access.entrance import DOOR, cookie_at
from forewarn.domain.access import Role
from forewarn.portal.places import inside
from tests.access.asking import ask
from tests.access.making import bearer
from tests.control.rig import Rig
from tests.portal.visiting import Visitor, entered, routes

ELSEWHERE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}


def test_a_link_leads_in_once(rig: Rig) -> None:
    link = rig.entrance.place("local", "local")
    assert entered_by(rig, link) == "/portal/"
    seen = Visitor(rig).get(link)
    assert seen.status == 401
    assert "This link was used already" in seen.text


def entered_by(rig: Rig, link: str, **cookies: str) -> str:
    visitor = Visitor(rig)
    visitor.cookies |= cookies
    seen = visitor.get(link)
    assert seen.status == 303
    return seen.place


def test_a_used_link_still_leads_in_who_is_in(rig: Rig) -> None:
    link = rig.entrance.place("local", "local")
    visitor = Visitor(rig, link)
    assert visitor.get(link).place == "/portal/"


def test_the_cookie_is_for_the_portal_alone(rig: Rig) -> None:
    cookies = Visitor(rig).get(rig.entrance.place("local", "local")).cookies
    cookie = cookies[cookie_at(rig.port)]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/portal", "strict", True)
    assert (cookie["secure"], cookie["max-age"], cookie["domain"]) == ("", "", "")


def test_over_https_the_cookie_is_secure(rig: Rig) -> None:
    answer = ask(rig.portal, "GET", rig.entrance.place("local", "local"), scheme="https")
    assert answer.status == 303
    assert answer.headers["set-cookie"].startswith(f"{cookie_at(8443)}=")
    assert answer.headers["set-cookie"].endswith("; Secure")


@pytest.mark.parametrize(
    ("method", "headers"),
    [pytest.param("HEAD", {}, id="head"), pytest.param("GET", {"Sec-Purpose": "prefetch"}, id="prefetch")],
)
def test_who_only_looks_ahead_does_not_use_up_the_word(rig: Rig, method: str, headers: dict[str, str]) -> None:
    link = rig.entrance.place("local", "local")
    assert Visitor(rig).ask(method, link, headers=headers).status == 204
    assert Visitor(rig, link).get("/portal/").status == 200


def test_the_login_survives_a_restart_of_the_server(rig: Rig) -> None:
    visitor = entered(rig)
    rig.run(rig.restart_server())
    assert visitor.get("/portal/").status == 200
    assert visitor.post("/portal/clock", advance="1m").status == 303


def test_two_on_one_host_do_not_log_each_other_out(rig: Rig) -> None:
    visitor = entered(rig)
    visitor.cookies["forewarn-portal-1"] = "of another server"
    assert visitor.get("/portal/").status == 200


def test_without_a_cookie_there_is_only_the_way_in(rig: Rig) -> None:
    stranger = Visitor(rig)
    stranger.cookies[cookie_at(rig.port)] = "wrong"
    for path in routes(rig, "GET"):
        if path not in ("/portal", DOOR):
            seen = stranger.get(path)
            assert (seen.status, "forewarn portal" in seen.text) == (401, True), path
            assert "solo" not in seen.text
    for path in routes(rig, "POST"):
        assert stranger.post(path).status == 401, path
    assert stranger.get("/portal/nothing/here").status == 401


def test_an_api_token_does_not_open_the_portal(rig: Rig) -> None:
    token = rig.bearer["Authorization"].removeprefix("Bearer ")
    visitor = Visitor(rig)
    visitor.cookies[cookie_at(rig.port)] = token
    assert visitor.get("/portal/").status == 401
    assert visitor.get("/portal/", rig.bearer).status == 401


def test_the_cookie_does_not_open_the_apis(rig: Rig) -> None:
    token = entered(rig).token
    for path in ("/forewarn/v1/clock", f"{rig.access.subscription}/resourcegroups?api-version=2021-04-01"):
        asked = Visitor(rig)
        assert asked.get(path, {"Authorization": f"Bearer {token}"}).status == 401, path
        asked.cookies[cookie_at(rig.port)] = token
        assert asked.get(path).status == 401, path


def test_the_page_that_was_asked_for_first_is_shown_after_the_login(rig: Rig) -> None:
    visitor = Visitor(rig)
    assert visitor.get("/portal/?search=db&page=2").status == 401
    seen = visitor.get(rig.entrance.place("local", "local"))
    assert seen.place == "/portal/?search=db&page=2"
    assert list(visitor.cookies) == [cookie_at(rig.port)]


def test_what_a_page_fetches_is_not_what_was_asked_for(rig: Rig) -> None:
    visitor = Visitor(rig)
    visitor.ask("GET", "/portal/fleet/table", headers={"Accept": "*/*"})
    assert visitor.cookies == {}


def test_a_link_may_name_the_page(rig: Rig) -> None:
    link = rig.entrance.place("local", "local")
    assert entered_by(rig, f"{link}&next={quote('/portal/settings')}") == "/portal/settings"


@pytest.mark.parametrize(
    "place",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/portal/\\evil.example",
        "/portal",
        "/portalevil",
        "/portal/../forewarn/v1/clock",
        "/portal/login?word=x",
        "/portal/logout",
        "/forewarn/v1/clock",
        "javascript:alert(1)",
        "/portal/\r\nSet-Cookie: a=b",
        "/portal/é",
        "/portal/#x",
        "/portal/" + "a" * 1000,
        "",
    ],
    ids=repr,
)
def test_nobody_is_led_elsewhere_by_a_link(rig: Rig, place: str) -> None:
    assert inside(place) == "/portal/"
    assert entered_by(rig, f"{rig.entrance.place('local', 'local')}&next={quote(place, safe='')}") == "/portal/"
    wanted = {cookie_at(rig.port, "forewarn-wanted"): quote(place, safe="")}
    assert entered_by(rig, rig.entrance.place("local", "local"), **wanted) == "/portal/"


def test_who_comes_from_another_site_takes_a_step_of_ours_first(rig: Rig) -> None:
    visitor = Visitor(rig)
    seen = visitor.get(rig.entrance.place("local", "local"), ELSEWHERE)
    assert (seen.status, 'content="0; url=/portal/"' in seen.text) == (200, True)
    assert visitor.token
    seen = Visitor(rig).get("/portal/?search=a&page=1", ELSEWHERE)  # its browser leaves the cookie out
    assert (seen.status, 'content="0; url=/portal/?search=a&amp;page=1"' in seen.text) == (200, True)
    assert "solo" not in seen.text


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that `--log-level debug` would show. (caplog also hears loggers that are switched off.)"""
    text, root = io.StringIO(), logging.getLogger()
    handler, before = logging.StreamHandler(text), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield text
    root.setLevel(before)
    root.removeHandler(handler)


def test_the_word_is_in_no_log_and_no_referrer(rig: Rig, logged: io.StringIO) -> None:
    link = rig.entrance.place("local", "local")
    for headers in ({}, ELSEWHERE, {}, {"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        seen = Visitor(rig).get(link, headers)
        assert seen.status >= 400 or seen.headers["referrer-policy"] == "no-referrer"
    word = link.rpartition("=")[2]
    assert word not in logged.getvalue()
    assert word not in str(rig.get("/forewarn/v1/history"))


def test_who_logs_out_is_out(rig: Rig) -> None:
    visitor = entered(rig)
    token = visitor.token
    seen = visitor.post("/portal/logout")
    assert (seen.status, seen.place, visitor.cookies) == (303, DOOR, {})
    seen = visitor.get(seen.place)
    assert (seen.status, "used already" in seen.text) == (401, False)
    visitor.cookies[cookie_at(rig.port)] = token
    assert visitor.get("/portal/").status == 401


def test_who_was_expelled_sees_nothing_more(rig: Rig) -> None:
    rig.post("/forewarn/v1/clients", {"id": "anna"})
    anna = entered(rig, "anna", Role.READER)
    assert anna.get("/portal/").status == 200
    rig.ask("DELETE", "/forewarn/v1/clients/anna")
    assert anna.get("/portal/").status == 403
    assert anna.post("/portal/logout").status == 303


@pytest.mark.parametrize("role", Role, ids=lambda role: role.value)
def test_whoever_may_look_gets_a_link_for_themselves(rig: Rig, role: Role) -> None:
    entered(rig, "anna", role)
    status, made = rig.ask("POST", "/forewarn/v1/portal/links", headers=bearer(rig.access, "anna"))
    assert (status, made["lasts"]) == (200, "PT900S")
    assert made["url"].startswith(f"{rig.url}{DOOR}?word=")
    assert "anna" in Visitor(rig, made["url"].removeprefix(rig.url)).get("/portal/settings").text


def test_who_may_not_look_gets_no_link(rig: Rig) -> None:
    status, _ = rig.ask("POST", "/forewarn/v1/portal/links", headers=bearer(rig.access, "nobody"))
    assert status == 403


def test_no_link_is_given_to_who_shows_the_cookie(rig: Rig) -> None:
    visitor = entered(rig)
    seen = visitor.ask("POST", "/forewarn/v1/portal/links", headers={"Authorization": f"Bearer {visitor.token}"})
    assert seen.status == 401
