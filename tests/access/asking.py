"""Asks an ASGI application without a server."""

import asyncio
import json
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        code: str = self.json["error"]["code"]
        return code


def ask(
    app: ASGIApp,
    method: str,
    target: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    scheme: str = "https",
    host: str = "localhost:8443",
) -> Answer:
    path, _, query = target.partition("?")
    told = {"host": host, **(headers or {})}
    scope = {
        "type": "http",
        "method": method,
        "scheme": scheme,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in told.items()],
        "server": ("127.0.0.1", 8443),
        "state": {},
    }
    said: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        said.append(message)

    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    start, *rest = said
    answered = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], answered, b"".join(part.get("body", b"") for part in rest))
