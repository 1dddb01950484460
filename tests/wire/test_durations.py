"""Durations, for ARM and for people."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.wire.durations import format_duration, format_iso, parse_duration, parse_iso


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("PT5M", timedelta(minutes=5)),
        ("PT15M", timedelta(minutes=15)),
        ("PT1H30M", timedelta(minutes=90)),
        ("PT90M", timedelta(minutes=90)),
        ("P1D", timedelta(days=1)),
        ("P1DT12H", timedelta(hours=36)),
        ("P2W", timedelta(weeks=2)),
        ("PT0S", timedelta(0)),
        ("PT1.5S", timedelta(seconds=1.5)),
    ],
)
def test_an_iso_duration_is_read(text: str, duration: timedelta) -> None:
    assert parse_iso(text) == duration
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P",
        "PT",
        "P1DT",
        "PT5",
        "P5",
        "5M",
        "pt5m",
        "-PT5M",
        "PT-5M",
        "P1Y",
        "P1M",
        "PT5M ",
        "PT1M2H",
        "PT.5S",
        "P1W2D",
    ],
)
def test_what_is_no_iso_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an ISO 8601 duration such as PT5M"):
        parse_iso(text)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(minutes=5), "PT5M"),
        (timedelta(seconds=90), "PT1M30S"),
        (timedelta(hours=36), "P1DT12H"),
        (timedelta(days=2), "P2D"),
        (timedelta(0), "PT0S"),
        (timedelta(milliseconds=1500), "PT1.5S"),
    ],
)
def test_an_iso_duration_is_written_as_arm_writes_it(duration: timedelta, text: str) -> None:
    assert format_iso(duration) == text


def test_a_negative_duration_is_not_written() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        format_iso(timedelta(seconds=-1))


@settings(deadline=None)
@given(st.timedeltas(min_value=timedelta(0)))
def test_an_iso_duration_is_read_back_as_it_was_written(duration: timedelta) -> None:
    assert parse_iso(format_iso(duration)) == duration


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("1h30m", timedelta(minutes=90)),
        ("2d", timedelta(days=2)),
        ("1d2h3m4s", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("500ms", timedelta(milliseconds=500)),
        ("0s", timedelta(0)),
    ],
)
def test_a_duration_as_people_write_it_is_read(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["", "15", "m", "-5m", "5 m", "5m1h", "5min", "1.5h", "5M", "٥m", "5m5m"])
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration such as 90s, 15m, 1h30m or 2d"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["9999999999d", "PT" + "9" * 5000 + "M", "PT" + "9" * 400 + ".5S"])
def test_a_time_beyond_counting_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is too long a time"):
        parse_duration(text)


@given(st.integers(0, 10**12).map(lambda ms: timedelta(milliseconds=ms)))
def test_what_people_read_is_what_they_may_write(duration: timedelta) -> None:
    assert parse_duration(format_duration(duration)) == duration


def test_a_duration_below_zero_is_shown_as_such() -> None:
    assert format_duration(timedelta(seconds=-90)) == "-1m30s"
