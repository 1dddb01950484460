"""Dates on the wire."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.wire.dates import parse_date, rfc1123

MOMENT = datetime(2021, 7, 22, 4, 50, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        pytest.param(MOMENT, "Thu, 22 Jul 2021 04:50:17 GMT", id="captured"),
        pytest.param(datetime(2022, 8, 9, 7, 7, 2, tzinfo=UTC), "Tue, 09 Aug 2022 07:07:02 GMT", id="two-digits"),
        pytest.param(MOMENT.astimezone(timezone(timedelta(hours=9))), "Thu, 22 Jul 2021 04:50:17 GMT", id="from-tokyo"),
        pytest.param(MOMENT.replace(microsecond=999_999), "Thu, 22 Jul 2021 04:50:17 GMT", id="fraction-is-cut"),
        pytest.param(datetime(33, 4, 3, tzinfo=UTC), "Sun, 03 Apr 0033 00:00:00 GMT", id="four-digits-of-year"),
    ],
)
def test_a_date_is_written_in_gmt_to_the_second(moment: datetime, text: str) -> None:
    assert rfc1123(moment) == text


def test_a_date_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        rfc1123(MOMENT.replace(tzinfo=None))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Thu, 22 Jul 2021 04:50:17 GMT", id="rfc-1123"),
        pytest.param("Mon, 22 Jul 2021 04:50:17 GMT", id="wrong-weekday"),
        pytest.param("22 Jul 2021 04:50:17 GMT", id="no-weekday"),
        pytest.param("THU, 22 JUL 2021 04:50:17 UTC", id="capitals"),
        pytest.param(" Thu, 22 Jul 2021 04:50:17 GMT\n", id="space-around"),
        pytest.param("2021-07-22T04:50:17Z", id="iso"),
        pytest.param("2021-07-22T06:50:17+02:00", id="iso-with-offset"),
        pytest.param("2021-07-22T04:50:17", id="iso-without-zone-is-utc"),
    ],
)
def test_a_date_is_read_in_every_form_that_clients_meet(text: str) -> None:
    assert parse_date(text) == MOMENT


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "soon",
        "Thu, 31 Feb 2021 04:50:17 GMT",
        "Thu, 22 Juli 2021 04:50:17 GMT",
        "Thu, 22 Xyz 2021 04:50:17 GMT",
        "Thu, 22 Jul 2021 25:50:17 GMT",
        "Thu, 22 Jul 2021 04:50:17 PST",
        "٢٢ Jul 2021 04:50:17 GMT",
        "0001-01-01T00:00:00+14:00",
        "1626929417",
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


@settings(deadline=None)
@given(st.datetimes(timezones=st.just(UTC)))
def test_a_date_is_read_back_as_it_was_written(moment: datetime) -> None:
    assert parse_date(rfc1123(moment)) == moment.replace(microsecond=0)
