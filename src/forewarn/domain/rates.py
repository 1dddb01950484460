"""How fast a fleet's clock goes: 1 is as fast as life, 60 plays an hour in a minute, 0 stands still."""

from forewarn.domain.errors import Invalid

FASTEST = 100_000.0


def checked_rate(rate: float) -> float:
    if not 0 <= rate <= FASTEST:
        raise Invalid(
            "A clock's rate is between 0 and {most}, not {rate}.", key="rate", most=f"{FASTEST:g}", rate=f"{rate:g}"
        )
    return rate


def read_rate(text: str) -> float:
    """`60x`, or `60`."""
    try:
        rate = float(text.removesuffix("x"))
    except ValueError:
        raise Invalid(f"{text!r} is not a rate such as 60x.") from None
    return checked_rate(rate)


def rate_of(clock: str) -> float | None:
    """`real` has none, `manual` stands still, and any other clock is named by its rate."""
    if clock in ("real", "manual"):
        return None if clock == "real" else 0.0
    try:
        return read_rate(clock)
    except Invalid as error:
        raise Invalid(f"{error} A clock is real, manual, or a rate.") from None
