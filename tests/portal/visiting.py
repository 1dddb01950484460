"""Somebody at the portal of a rig: by real HTTP, with the cookies that a browser would keep."""

import http.client
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from starlette.routing import Route

from forewarn.access.entrance import cookie_at
from forewarn.domain.access import Assignment, Role
from tests.control.rig import Rig

HTML = {"Accept": "text/html"}


@dataclass(frozen=True, slots=True)
class Seen:
    status: int
    body: bytes
    headers: Mapping[str, str]
    cookies: SimpleCookie

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def place(self) -> str:
        return self.headers.get("location", "")


class Visitor:
    def __init__(self, rig: Rig, link: str = "") -> None:
        """`link`: followed first, if there is one."""
        self.rig = rig
        self.cookies: dict[str, str] = {}
        self.csrf = ""
        if link:
            assert self.get(link).status == 303
            self.csrf = csrf_in(self.get("/portal/settings").text)

    @property
    def token(self) -> str:
        return self.cookies[cookie_at(self.rig.port)]

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Seen:
        return self.ask("GET", path, headers={**HTML, **(headers or {})})

    def post(self, path: str, **form: str) -> Seen:
        """A form of the portal."""
        return self.send(path, form)

    def send(self, path: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None) -> Seen:
        return self.ask("POST", path, urlencode({"csrf": self.csrf, **form}).encode(), headers)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Seen:
        connection = http.client.HTTPConnection("127.0.0.1", self.rig.port, timeout=10)
        try:
            told = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
            if body is not None:
                told["Content-Type"] = "application/x-www-form-urlencoded"
            connection.request(method, path, body, {**told, **(headers or {})})
            response = connection.getresponse()
            raw = b"" if response.headers.get("content-type", "").startswith("text/event-stream") else response.read()
            return self._kept(response, raw)
        finally:
            connection.close()

    def _kept(self, response: http.client.HTTPResponse, raw: bytes) -> Seen:
        jar = SimpleCookie()
        for line in response.headers.get_all("set-cookie") or []:
            jar.load(line)
        for name, morsel in jar.items():
            self.cookies[name] = morsel.value
            if morsel["max-age"] == "0":
                del self.cookies[name]
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Seen(response.status, raw, headers, jar)


def csrf_in(page: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page)
    assert found, page
    return found[1]


def entered(rig: Rig, who: str = "local", role: Role | None = None) -> Visitor:
    """Somebody who is logged in, with this role."""
    if role is not None:
        given = Assignment(id=who, principal=who, role=role, scope=rig.access.subscription)
        rig.run(rig.access.assignments.put(given))
    return Visitor(rig, rig.entrance.place(who, who))


def routes(rig: Rig, method: str) -> list[str]:
    """Every path of the portal with this method; what varies in it is `x`."""
    found = [route for route in rig.portal.routes if isinstance(route, Route) and method in (route.methods or ())]
    return [re.sub(r"\{[^}]*\}", "x", route.path) for route in found]
