"""The portal, and its way to the control plane's resources: the same application, asked in the same process."""

import json
from collections.abc import Mapping, MutableMapping
from typing import Any

import msgspec
from starlette.types import ASGIApp

from forewarn.access.files import RESOURCE
from forewarn.access.service import Access
from forewarn.access.tokens import Caller
from forewarn.control.desk import Desk as ControlDesk
from forewarn.domain.errors import ForewarnError
from forewarn.portal.desk import Desk
from forewarn.portal.ports import Answer
from forewarn.portal.roster import Roster, is_unwritten


def portal_desk(control: ControlDesk, resources: ASGIApp, *, development: bool) -> Desk:
    control.clock.on_set(control.hub.nudge)  # open pages hear of it at once
    roster = Roster(control.engine)
    control.engine.on_change(lambda change: control.hub.nudge() if is_unwritten(change) else None)
    return Desk(
        engine=control.engine,
        clock=control.clock,
        player=control.player,
        access=control.access,
        entrance=control.entrance,
        hub=control.hub,
        roster=roster,
        resources=InProcess(resources, control.access),
        new_id=control.new_id,
        version=control.version,
        metadata_url=control.metadata_url,
        development=development,
    )


class InProcess:
    """Asks an ASGI application without a network between, with a token of the caller's own."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def send(
        self,
        caller: Caller,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        token = self._access.issue(caller.principal, name=caller.name, audience=RESOURCE).token
        place, _, query = path.partition("?")
        sent = b"" if body is None else json.dumps(body).encode()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "https",
            "path": place,
            "raw_path": place.encode(),
            "query_string": query.encode(),
            "headers": [
                (b"host", b"localhost"),
                (b"authorization", b"Bearer " + token.encode()),
                (b"content-type", b"application/json"),
                (b"content-length", str(len(sent)).encode()),
                *((name.lower().encode(), value.encode()) for name, value in (headers or {}).items()),
            ],
            "client": None,
            "server": ("localhost", 443),
            "state": {},
        }
        return await self._asked(scope, sent)

    async def _asked(self, scope: MutableMapping[str, Any], sent: bytes) -> Answer:
        status, chunks = 500, list[bytes]()

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                chunks.append(message.get("body", b""))

        await self._app(scope, receive, send)
        said = b"".join(chunks)
        refusal = scope["state"].get("refusal")
        return Answer(
            status=status,
            body=msgspec.json.decode(said) if said.strip() else None,
            error=refusal if isinstance(refusal, ForewarnError) else None,
        )
