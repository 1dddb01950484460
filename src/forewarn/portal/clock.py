"""The time bar: under a virtual clock, every page tells the fleet's time, and whoever may act moves it."""

from datetime import timedelta

from starlette.responses import Response

from forewarn.domain.errors import Invalid
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.places import inside
from forewarn.portal.routing import Form, Row, Rows

STEPS = {"1m": timedelta(minutes=1), "15m": timedelta(minutes=15)}
NEXT = "next"
RATES = {"0": 0.0, "1": 1.0, "60": 60.0, "600": 600.0}


async def see_clock(visit: Visit) -> Response:
    """Only the time and its pace, for the page that is open."""
    return page(visit, "clock_now.html")


async def set_clock(visit: Visit, form: Form) -> Response:
    visit.check_act()
    step, rate = form.get("advance", ""), form.get("rate", "")
    if step in STEPS:
        await visit.desk.player.advance(STEPS[step])
    elif step == NEXT:
        await visit.desk.player.advance_to_next()
    elif rate in RATES:
        await visit.desk.player.set_rate(RATES[rate])
    else:
        raise Invalid(
            "The clock is moved by {steps} or to the next moment, or runs at {rates}.",
            key="clock_choices",
            steps=", ".join(STEPS),
            rates=", ".join(RATES),
        )
    return see(inside(form.get("back", "")))


ROWS: Rows = (Row(path="/clock", see=see_clock, take=set_clock),)
