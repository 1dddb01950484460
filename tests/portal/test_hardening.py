"""What a browser, another site, or somebody with curl can do to the portal: nothing that its pages do not offer."""

import gzip
import re
import socket
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from forewarn.domain.events import Actor
from forewarn.portal.pages import HEADERS
from forewarn.portal.routing import LARGEST_FORM, MOST_FIELDS
from tests.control.rig import Rig
from tests.portal.visiting import HTML, Visitor, entered, routes

PORTAL = Path(str(files("forewarn.portal")))
TEXTS = [path for path in PORTAL.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg")]
MOST_BYTES = 150_000


def directives(headers: Mapping[str, str]) -> dict[str, str]:
    parts = headers["content-security-policy"].split(";")
    return {name: rest for name, _, rest in (part.strip().partition(" ") for part in parts)}


# Headers


def test_every_answer_is_hardened(rig: Rig) -> None:
    visitor, stranger = entered(rig), Visitor(rig)
    places = [*routes(rig, "GET"), "/portal/nothing", "/portal/static/portal.css", "/portal/static/none.css"]
    for who in (visitor, stranger):
        for place in places:
            told = who.get(place).headers
            assert told["content-security-policy"] == HEADERS["Content-Security-Policy"], place
            assert told["x-content-type-options"] == "nosniff", place
            assert told["referrer-policy"] in ("same-origin", "no-referrer"), place
            assert "cache-control" in told, place
    for answer in (
        visitor.post("/portal/clock"),
        visitor.ask("DELETE", "/portal/clock"),
        stranger.post("/portal/clock"),
    ):
        assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


def test_the_policy_allows_own_files_and_nothing_inline_or_framed(rig: Rig) -> None:
    policy = directives(entered(rig).get("/portal/").headers)
    assert (policy["default-src"], policy["script-src"], policy["style-src"]) == ("'none'", "'self'", "'self'")
    assert (policy["frame-ancestors"], policy["base-uri"], policy["form-action"]) == ("'none'", "'none'", "'self'")
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(" ".join(policy.values()).split())


def test_pages_are_kept_nowhere(rig: Rig) -> None:
    visitor = entered(rig)
    for place in routes(rig, "GET"):
        assert visitor.ask("HEAD", place).headers["cache-control"] == "no-store", place


# What pages are made of


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert re.findall(r"https?://\S+|url\(\s*['\"]?//\S*|(?:src|href)=[\"']?//\S+", text) == []


@pytest.mark.parametrize("path", [one for one in TEXTS if one.suffix == ".html"], ids=lambda path: path.name)
def test_nothing_is_inline(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son[a-z]+=|javascript:", text) == []
    assert "|safe" not in text.replace(" ", "")


@pytest.mark.parametrize("path", [one for one in TEXTS if one.suffix == ".html"], ids=lambda path: path.name)
def test_every_form_that_does_something_carries_its_token(path: Path) -> None:
    for form in re.findall(r'<form[^>]*method="post".*?</form>', path.read_text(encoding="utf-8"), re.DOTALL):
        assert 'name="csrf" value="{{ csrf }}"' in form


# Forms


@pytest.mark.parametrize(
    "token",
    [
        pytest.param("", id="none"),
        pytest.param("0" * 64, id="wrong"),
        pytest.param("é", id="not-ascii"),
        pytest.param("\x00", id="nul"),
    ],
)
def test_a_form_from_elsewhere_is_refused(rig: Rig, token: str) -> None:
    visitor = entered(rig)
    visitor.csrf = token
    for path in routes(rig, "POST"):
        assert visitor.post(path, advance="1m").status == 403, path
    assert rig.get("/forewarn/v1/clock")["now"] == "2030-01-01T12:00:00Z"
    assert visitor.get("/portal/").status == 200


def test_the_token_of_somebody_else_s_page_does_not_count(rig: Rig) -> None:
    anna = entered(rig)
    rig.run(rig.access.rotate_keys(Actor.user("anna")))  # so that their cookies differ, though made in one second
    ben = entered(rig)
    anna.csrf, ben.csrf = ben.csrf, anna.csrf
    assert anna.post("/portal/clock", advance="1m").status == 403
    assert ben.post("/portal/clock", advance="1m").status == 403


def test_a_token_in_the_query_is_none(rig: Rig) -> None:
    visitor = entered(rig)
    assert visitor.ask("POST", f"/portal/clock?csrf={visitor.csrf}&advance=1m", b"advance=1m").status == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_another_site_s_page_gets_no_further_than_the_guard(rig: Rig, origin: str) -> None:
    assert entered(rig).send("/portal/clock", {"advance": "1m"}, {"Origin": origin}).status == 403


def test_a_page_of_our_own_may(rig: Rig) -> None:
    assert entered(rig).send("/portal/clock", {"advance": "1m"}, {"Origin": rig.url}).status == 303


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
def test_a_rebound_name_gets_no_further_than_the_guard(rig: Rig, host: str) -> None:
    visitor = entered(rig)
    for path in ("/portal/", "/portal/static/portal.css", rig.entrance.place("local", "local")):
        assert visitor.get(path, {"Host": host}).status == 421, path


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"a=" + b"x" * LARGEST_FORM, id="long"),
        pytest.param(b"&".join(b"a%d=1" % number for number in range(MOST_FIELDS + 1)), id="many-fields"),
    ],
)
def test_a_form_is_bounded(rig: Rig, body: bytes) -> None:
    visitor = entered(rig)
    assert visitor.ask("POST", "/portal/clock", b"csrf=%s&" % visitor.csrf.encode() + body).status == 400


def test_a_form_that_ends_early_breaks_nothing(rig: Rig) -> None:
    visitor = entered(rig)
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    head = f"POST /portal/clock HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nContent-Length: 100\r\n\r\ncsrf="
    with socket.create_connection(("127.0.0.1", rig.port)) as sent:
        sent.sendall(head.encode())
    assert visitor.get("/portal/").status == 200


def test_bytes_that_are_no_text_are_a_wrong_form(rig: Rig) -> None:
    visitor = entered(rig)
    assert visitor.ask("POST", "/portal/clock", b"csrf=%ff%fe\xff").status == 403


# Pages that are not there


def test_a_page_that_is_not_there_says_so_in_the_portal_s_own_look(rig: Rig) -> None:
    visitor = entered(rig)
    for place in ("/portal/nothing", "/portal/settings/", "/portal/static/none.css", "/portal/%00", "/portal//"):
        seen = visitor.get(place)
        assert (seen.status, "There is nothing here" in seen.text) == (404, True), place
        assert '<a class="brand"' in seen.text


def test_a_method_that_is_not_there_is_told_with_those_that_are(rig: Rig) -> None:
    seen = entered(rig).ask("DELETE", "/portal/settings")
    assert (seen.status, set(seen.headers["allow"].split(", "))) == (405, {"GET", "HEAD", "POST"})
    assert '<a class="brand"' in seen.text


def test_head_is_get_without_the_page(rig: Rig) -> None:
    seen = entered(rig).ask("HEAD", "/portal/settings")
    assert (seen.status, seen.text, seen.headers["content-type"]) == (200, "", "text/html; charset=utf-8")


def test_what_is_not_there_is_not_repeated_as_markup(rig: Rig) -> None:
    visitor = entered(rig)
    for place in ("/portal/<script>alert(1)</script>", "/portal/?search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"):
        page = visitor.ask("GET", place.replace("<", "%3C").replace(">", "%3E"), headers=HTML).text
        assert "<script>alert" not in page


@pytest.mark.filterwarnings("default")
def test_a_page_that_breaks_tells_nothing_of_how(rig: Rig) -> None:
    async def breaks(request: Request) -> Response:
        raise RuntimeError("a secret of the inside")

    rig.portal.router.routes.append(Route("/portal/breaks", breaks))
    seen = entered(rig).get("/portal/breaks")
    assert (seen.status, "Something went wrong" in seen.text) == (500, True)
    assert seen.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert "secret" not in seen.text
    assert "Traceback" not in seen.text


# Files


@pytest.mark.parametrize(
    "path",
    [
        "../pages.py",
        "..%2fpages.py",
        "%2e%2e/pages.py",
        "%2e%2e%2fpages.py",
        "..%5cpages.py",
        "....//pages.py",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "",
        ".",
        "portal.css%00",
        "../templates/layout.html",
    ],
)
def test_only_the_files_that_are_meant_are_served(rig: Rig, path: str) -> None:
    seen = Visitor(rig).get(f"/portal/static/{path}")
    assert seen.status in (401, 404)
    assert "import" not in seen.text
    assert "root:" not in seen.text


def test_a_file_is_asked_for_again_and_sent_only_if_it_changed(rig: Rig) -> None:
    stranger = Visitor(rig)
    first = stranger.get("/portal/static/portal.js")
    assert (first.status, first.headers["cache-control"]) == (200, "no-cache")
    again = stranger.get("/portal/static/portal.js", {"If-None-Match": first.headers["etag"]})
    assert (again.status, again.text, again.headers["cache-control"]) == (304, "", "no-cache")
    assert stranger.post("/portal/static/portal.js").status in (401, 405)


def test_the_first_page_and_all_it_needs_is_small(rig: Rig) -> None:
    """With as many machines as a page shows, and every module that it imports."""
    sizes = dict(_transferred(entered(rig)))
    assert {"/portal/", "/portal/static/portal.css", "/portal/static/live.js"} <= sizes.keys()
    assert sum(sizes.values()) < MOST_BYTES, sizes


def _transferred(visitor: Visitor) -> Iterator[tuple[str, int]]:
    ahead, seen = ["/portal/"], set[str]()
    while ahead:
        place = ahead.pop()
        if place in seen:
            continue
        seen.add(place)
        answer = visitor.get(place, {"Accept-Encoding": "gzip"})
        assert answer.status == 200, place
        yield place, len(answer.body) + sum(len(name) + len(value) + 4 for name, value in answer.headers.items())
        packed = answer.headers.get("content-encoding") == "gzip"
        text = (gzip.decompress(answer.body) if packed else answer.body).decode()
        ahead += re.findall(r'(?:href|src)="(/portal/static/[^"]+)"', text)
        ahead += [f"/portal/static/{name}" for name in re.findall(r'from "\./([^"]+)"', text)]


def test_the_stream_is_not_held_back_to_be_compressed(rig: Rig) -> None:
    seen = entered(rig).get("/portal/stream", {"Accept-Encoding": "gzip"})
    assert "content-encoding" not in seen.headers
