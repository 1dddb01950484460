"""The fleet as it is declared: another declaration can be taken over while Forewarn runs."""

from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import LARGE, Ask, Endpoint, Endpoints
from forewarn.control.views import View
from forewarn.domain.errors import Conflict
from forewarn.domain.fleet import Fleet
from forewarn.engine.loading import FLEET_NOTE
from forewarn.wire import fleetfile


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    declaration: Annotated[str, Meta(description="the text of a fleet file, see docs/reference/fleet-file.md")]


class Declared(View, frozen=True):
    declaration: str


async def read_fleet(desk: Desk, ask: Ask[Nothing, Nothing]) -> Declared:
    return Declared(declaration=await _taken_over_last(desk))


async def declare_fleet(desk: Desk, ask: Ask[Nothing, Declaration]) -> Declared:
    text = ask.body.declaration
    declared = fleetfile.parse(text, "declaration")
    unsaid = declared.driver == fleetfile.Simulated() and isinstance(desk.driver, fleetfile.Simulated)
    if declared.driver != desk.driver and not unsaid:
        raise Conflict(
            "[driver]: Forewarn runs with another one, which is chosen when it starts. Declare the same, or start anew."
        )
    await desk.engine.load_fleet(declared.fleet, text, _fleet_of(await _taken_over_last(desk)))
    return Declared(declaration=text)


def _fleet_of(text: str) -> Fleet | None:
    """None if it is no longer understood: an older Forewarn has taken it over."""
    try:
        return fleetfile.parse(text, "declaration").fleet
    except fleetfile.FleetFileError:
        return None


async def _taken_over_last(desk: Desk) -> str:
    return await desk.engine.store.read(lambda reader: reader.note(FLEET_NOTE)) or ""


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/fleet",
        does="The fleet file that was taken over last.",
        handler=read_fleet,
        answer=Declared,
    ),
    Endpoint(
        method="PUT",
        path="/forewarn/v1/fleet",
        does="Take over another fleet file, all of it or none: who is no longer declared leaves at once, "
        "and who was declared before and has been deleted stays so.",
        handler=declare_fleet,
        body=Declaration,
        answer=Declared,
        limit=LARGE,
    ),
)
