"""Service principals: programs and people beside the local login. What they may do is said by roles."""

from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints, Made
from forewarn.control.paging import PageQuery, page_among
from forewarn.control.views import View

CLIENTS = "/forewarn/v1/clients"


class ClientView(View, frozen=True):
    id: str
    object_id: str


class Clients(View, frozen=True):
    items: list[ClientView]
    next: str | None


class NewClient(View, frozen=True):
    id: str
    object_id: str
    tenant: str
    secret: str  # told this once


class ClientBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1, max_length=64, description="letters, digits, dots and dashes")]


def _tell(desk: Desk, client_id: str) -> ClientView:
    return ClientView(id=client_id, object_id=desk.access.object_id(client_id))


async def list_clients(desk: Desk, ask: Ask[PageQuery, Nothing]) -> Clients:
    page = page_among(desk.access.clients.list(), lambda client: client.id, ask.query)
    return Clients(items=[_tell(desk, client.id) for client in page.items], next=page.next)


async def add_client(desk: Desk, ask: Ask[Nothing, ClientBody]) -> Made:
    client_id = ask.body.id
    secret = await desk.access.admit(client_id, ask.by)
    object_id = desk.access.object_id(client_id)
    made = NewClient(id=client_id, object_id=object_id, tenant=desk.access.tenant, secret=secret)
    return Made(body=made, location=f"{CLIENTS}/{client_id}")


async def remove_client(desk: Desk, ask: Ask[Nothing, Nothing]) -> ClientView:
    await desk.access.expel(ask.path["client"], ask.by)
    return _tell(desk, ask.path["client"])


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path=CLIENTS,
        does="Who can log in with a client id and a secret, by id.",
        handler=list_clients,
        query=PageQuery,
        answer=Clients,
    ),
    Endpoint(
        method="POST",
        path=CLIENTS,
        does="Let another client log in. The answer tells its secret, this once; it has no role yet.",
        handler=add_client,
        body=ClientBody,
        answer=NewClient,
        status=201,
    ),
    Endpoint(
        method="DELETE",
        path=f"{CLIENTS}/{{client}}",
        does="A client can no longer log in, and loses its roles.",
        handler=remove_client,
        answer=ClientView,
    ),
)
