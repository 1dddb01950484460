"""What every request must pass before any handler sees it: the right Host, no foreign Origin.

A page in a browser may send requests to loopback addresses. One that came by a rebound DNS name carries that name as
Host; one from another site carries its Origin. Neither gets further than here.
"""

import re
from collections import Counter
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forewarn.control.errors import Foreign, Misdirected, answer_to
from forewarn.domain.errors import ForewarnError, Invalid

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_LOCAL = re.compile(r"[a-z0-9_.-]{1,200}\.localhost")
"""Nothing else of what can stand in a Host: it is the beginning of every URL in the answers."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Guard:
    def __init__(self, app: ASGIApp, hosts: Collection[str], served: Counter[tuple[str, str]]) -> None:
        self._app = app
        self._hosts = LOOPBACK | {host.lower() for host in hosts}
        self._served = served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        counted = self._counting(scope["method"], send)
        try:
            self._check(Headers(scope=scope), scope["scheme"])
        except ForewarnError as error:
            await answer_to(error)(scope, receive, counted)
            return
        await self._app(scope, receive, counted)

    def _check(self, headers: Headers, scheme: str) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            raise Misdirected(f"This server is not called {', '.join(hosts)[:100]!r}: ask it by its own address.")
        if "content-length" in headers and "transfer-encoding" in headers:
            raise Invalid("A request says once how long its body is: send Content-Length or Transfer-Encoding.")
        for origin in headers.getlist("origin"):
            if origin != f"{scheme}://{hosts[0]}":
                raise Foreign(f"Pages of {origin[:100]} may not use this server.")

    def _is_ours(self, host: str) -> bool:
        name = _without_port(host).lower()
        return name in self._hosts or _LOCAL.fullmatch(name) is not None

    def _counting(self, method: str, send: Send) -> Send:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = method if method in METHODS else "other"
                self._served[known, f"{message['status'] // 100}xx"] += 1
            await send(message)

        return counted


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host
