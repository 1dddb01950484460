"""How fast a clock may go, and how that is written."""

import pytest

from forewarn.domain.errors import Invalid
from forewarn.domain.rates import FASTEST, rate_of, read_rate


@pytest.mark.parametrize(
    ("clock", "rate"), [("real", None), ("manual", 0.0), ("60x", 60.0), ("0.5", 0.5)], ids=lambda v: str(v)
)
def test_a_clock_is_named_by_its_rate(clock: str, rate: float | None) -> None:
    assert rate_of(clock) == rate


@pytest.mark.parametrize("clock", ["", "fast", "-1x", "nanx", "inf", "1e9x"])
def test_what_is_no_clock_is_refused(clock: str) -> None:
    with pytest.raises(Invalid, match="clock is real, manual, or a rate"):
        rate_of(clock)


@pytest.mark.parametrize("word", ["real", "manual", f"{FASTEST + 1}", ""])
def test_a_rate_is_a_number_within_bounds(word: str) -> None:
    with pytest.raises(Invalid, match="rate"):
        read_rate(word)
