"""The way into the portal, for whoever is known here already."""

from datetime import timedelta

from forewarn.access.entrance import LINK_LIFE
from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.views import View


class PortalLink(View, frozen=True):
    url: str  # opens the portal once, as whoever asked for it
    lasts: timedelta  # by the real clock


async def make_link(desk: Desk, ask: Ask[Nothing, Nothing]) -> PortalLink:
    caller = ask.caller
    assert caller is not None, "it is not public"
    return PortalLink(url=ask.address + desk.entrance.place(caller.principal, caller.name), lasts=LINK_LIFE)


ENDPOINTS: Endpoints = (
    Endpoint(
        method="POST",
        path="/forewarn/v1/portal/links",
        does="A link that opens the portal in a browser, once, as whoever asks for it here.",
        handler=make_link,
        answer=PortalLink,
        looks=True,
    ),
)
