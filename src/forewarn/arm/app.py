"""The ARM face's application: the login, and behind the gate the resources."""

import itertools
import logging
import re
from collections.abc import Callable

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from forewarn.access.gate import Gate, caller_of, own_address
from forewarn.arm import (
    availability,
    deployments,
    directory,
    eventgrid,
    generic,
    graph,
    groups,
    instances,
    jobs,
    machines,
    maintenance,
    resources,
    roles,
    scalesets,
    services,
    subscriptions,
    systemtopics,
)
from forewarn.arm.asking import Ask, Desk, Reply, read_body
from forewarn.arm.confirming import Confirming
from forewarn.arm.errors import FAILED, ArmError, answer_to, refusal
from forewarn.arm.login import Login
from forewarn.arm.routing import Found, Router, Row, Rows
from forewarn.domain.errors import ForewarnError
from forewarn.wire.errors import Malformed

log = logging.getLogger(__name__)
VERSION = re.compile(r"\d{4}-\d{2}-\d{2}(-[a-z]+(\.\d+)?)?", re.IGNORECASE)
NOUNS = (
    subscriptions,
    groups,
    resources,
    jobs,
    machines,
    availability,
    scalesets,
    instances,
    services,
    roles,
    directory,
    maintenance,
    systemtopics,
    eventgrid,
    graph,
    deployments,
    generic,
)


def create_arm(desk: Desk, https_port: Callable[[], int | None] = lambda: None) -> ASGIApp:
    """`https_port`: where the same application is served over HTTPS, once it is."""
    resources = Gate(Resources(desk, rows()), desk.access)
    return Login(Confirming(resources, desk), desk.access, https_port)


def rows() -> Rows:
    return tuple(itertools.chain.from_iterable(noun.ROWS for noun in NOUNS))


class Resources:
    """Finds the row for a path, checks the caller's right there, and turns what comes back into an answer."""

    def __init__(self, desk: Desk, table: Rows) -> None:
        self._desk = desk
        self._router = Router(table)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http", "lifespan is off and websockets are not served"
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        try:
            return _response(await self._answer(request))
        except (ForewarnError, Malformed) as error:
            request.state.refusal = error  # for who asks in this process, and speaks another language
            return answer_to(error)
        except Exception:
            log.exception("a request to the control plane failed: %s %.200r", request.method, request.scope["path"])
            return refusal(500, "InternalServerError", FAILED)

    async def _answer(self, request: Request) -> Reply:
        url = re.sub("/+", "/", request.scope["path"])
        found = self._router.find(url)
        row = _row(found, request.method, url)
        assert found is not None, "a row was found"
        self._check_subscription(found)
        caller = caller_of(request.scope)
        if not row.open:
            self._desk.access.check(caller, row.needs, self._place(found), _action(row))
        query = {name.lower(): value for name, value in request.query_params.multi_items()}
        ask = Ask(
            method=request.method,
            url=url,
            path=found.path,
            query=query,
            headers=request.headers,
            raw=await read_body(request),
            base=own_address(request.scope),
            caller=caller,
            version=_version(query) if row.versioned else "",
        )
        return await row.handler(self._desk, ask)

    def _check_subscription(self, found: Found) -> None:
        asked = found.path.get("subscription", self._desk.subscription)
        if asked.lower() != self._desk.subscription.lower():
            raise ArmError(404, "SubscriptionNotFound", f"The subscription '{asked[:100]}' could not be found.")

    def _place(self, found: Found) -> str:
        """Where the caller's right is looked up: in the group, or in the subscription."""
        group = found.path.get("group")
        return f"{self._desk.access.subscription}/resourceGroups/{group}" if group else self._desk.access.subscription


def _row(found: Found | None, method: str, url: str) -> Row:
    if found is None:
        raise ArmError(404, "InvalidResourceType", f"There is nothing at {url[:300]} that Forewarn knows.")
    row = found.rows.get(method) or (found.rows.get("GET") if method == "HEAD" else None)
    if row is None:
        allowed = ", ".join(sorted(found.rows))
        message = f"Use {allowed} for {url[:300]}, not {method[:20]}."
        raise ArmError(405, "MethodNotAllowed", message, headers={"Allow": allowed})
    return row


def _action(row: Row) -> str:
    """In the words of Azure's roles: Microsoft.Compute/virtualMachines/restart/action."""
    kind = [part for part in row.path.rpartition("/providers/")[2].split("/") if part and not part.startswith("{")]
    verb = {"GET": "read", "HEAD": "read", "PUT": "write", "PATCH": "write", "DELETE": "delete"}.get(
        row.method, "action"
    )
    return "/".join([*kind, verb])


def _version(query: dict[str, str]) -> str:
    version = query.get("api-version", "")
    if not version:
        raise ArmError(
            400,
            "MissingApiVersionParameter",
            "The api-version query parameter (?api-version=) is required for all requests.",
        )
    if not VERSION.fullmatch(version):
        raise ArmError(
            400, "InvalidApiVersionParameter", f"The api-version '{version[:40]}' is invalid: it is a date, YYYY-MM-DD."
        )
    return version


def _response(reply: Reply) -> Response:
    if reply.body is None:
        return Response(status_code=reply.status, headers=dict(reply.headers))
    return Response(
        msgspec.json.encode(reply.body),
        status_code=reply.status,
        headers={"Cache-Control": "no-cache", **reply.headers},
        media_type="application/json",
    )
