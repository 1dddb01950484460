"""The fleet's clock: read it, move it, set its pace."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing, duration
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.views import View
from forewarn.domain.errors import Invalid


class ClockView(View, frozen=True):
    now: datetime
    rate: float
    real: bool
    next: datetime | None  # the next moment at which something happens by itself


class Advance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    by: Annotated[str | None, Meta(description="such as 15m or PT15M")] = None
    to: Annotated[Literal["next"] | None, Meta(description="the next moment at which something happens")] = None


class Rate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rate: Annotated[float, Meta(description="0 stands still, 1 is as fast as life, 60 a minute a second")]


async def read_clock(desk: Desk, ask: Ask[Nothing, Nothing]) -> ClockView:
    return await _tell(desk)


async def advance(desk: Desk, ask: Ask[Nothing, Advance]) -> ClockView:
    if (ask.body.by is None) == (ask.body.to is None):
        raise Invalid('Say how far: {"by": "15m"}, or {"to": "next"}.')
    by = duration("by", ask.body.by)
    await (desk.player.advance_to_next() if by is None else desk.player.advance(by))
    return await _tell(desk)


async def set_rate(desk: Desk, ask: Ask[Nothing, Rate]) -> ClockView:
    await desk.player.set_rate(ask.body.rate)
    return await _tell(desk)


async def _tell(desk: Desk) -> ClockView:
    clock = desk.clock
    return ClockView(now=clock.now(), rate=clock.rate, real=clock.is_real, next=await desk.player.next_moment())


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/clock",
        does="What time it is for the fleet, how fast it goes by, and when something happens next.",
        handler=read_clock,
        answer=ClockView,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/clock/advance",
        does="Move the clock; answered when all that was due on the way has happened. Not on a real clock.",
        handler=advance,
        body=Advance,
        answer=ClockView,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/clock/rate",
        does="Set how fast time goes by. Not on a real clock.",
        handler=set_rate,
        body=Rate,
        answer=ClockView,
    ),
)
