"""Documents as hosts send them, and as no host should."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.client import Document, Event, EventType, Status, Unreadable, read_document
from tests.client.acting import DATE, EVENT


def read(body: object, version: str = "2020-07-01", **fields: str) -> Document:
    return read_document(json.dumps(body).encode(), fields, version)


def event(version: str = "2020-07-01", **changes: Any) -> Event:
    """The usual event with changes; a key that is None is left out."""
    changed = {key: value for key, value in {**EVENT, **changes}.items() if value is not None}
    (found,) = read({"DocumentIncarnation": 2, "Events": [changed]}, version).events
    return found


def test_a_document_as_captured() -> None:
    body = (
        b'{"DocumentIncarnation":2,"Events":[{"EventId":"4CAEA225-A741-474D-A72E-428C86FCD853","EventStatus":'
        b'"Scheduled","EventType":"Reboot","ResourceType":"VirtualMachine","Resources":["flatcar-vm1"],"NotBefore":'
        b'"Thu, 22 Jul 2021 04:50:17 GMT","Description":"","EventSource":"User","DurationInSeconds":-1}]}'
    )
    document = read_document(body, {"date": DATE, "etag": '"2"'})
    assert (document.incarnation, document.etag) == (2, '"2"')
    assert document.date == datetime(2021, 7, 22, 4, 35, 17, tzinfo=UTC)
    found = document.event("4caea225-a741-474d-a72e-428c86fcd853")
    assert found is not None
    assert (found.type, found.status, found.source) == (EventType.REBOOT, Status.SCHEDULED, "User")
    assert (found.resources, found.duration) == (("flatcar-vm1",), None)
    assert found.not_before == datetime(2021, 7, 22, 4, 50, 17, tzinfo=UTC)
    assert found.raw["ResourceType"] == "VirtualMachine"
    assert hash(found) == hash(found)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        pytest.param("Thu, 22 Jul 2021 04:50:17 GMT", datetime(2021, 7, 22, 4, 50, 17, tzinfo=UTC), id="rfc-1123"),
        pytest.param("Mon, 11 Apr 2026 22:26:58 GMT", datetime(2026, 4, 11, 22, 26, 58, tzinfo=UTC), id="a-saturday"),
        pytest.param("2016-09-19T18:29:47Z", datetime(2016, 9, 19, 18, 29, 47, tzinfo=UTC), id="iso-8601"),
        pytest.param("2016-09-19T18:29:47", datetime(2016, 9, 19, 18, 29, 47, tzinfo=UTC), id="iso-without-a-zone"),
        pytest.param("2016-09-19T20:29:47+02:00", datetime(2016, 9, 19, 18, 29, 47, tzinfo=UTC), id="iso-elsewhere"),
        pytest.param("", None, id="blank-as-once-started"),
        pytest.param("soon", None, id="a-word"),
        pytest.param("Thu, 32 Jul 2021 04:50:17 GMT", None, id="no-such-day"),
        pytest.param("Thu, 22 Foo 2021 04:50:17 GMT", None, id="no-such-month"),
        pytest.param(1626929417, None, id="a-number"),
        pytest.param(None, None, id="missing"),
    ],
)
def test_not_before_in_every_form(text: object, moment: datetime | None) -> None:
    assert event(NotBefore=text).not_before == moment


@pytest.mark.parametrize(
    ("told", "incarnation"),
    [
        pytest.param(5, 5, id="number"),
        pytest.param("5", 5, id="string"),
        pytest.param(0, 0, id="zero"),
        pytest.param("five", -1, id="a-word"),
        pytest.param(None, -1, id="null"),
        pytest.param(True, -1, id="a-truth"),
    ],
)
def test_the_incarnation_in_every_form(told: object, incarnation: int) -> None:
    assert read({"DocumentIncarnation": told, "Events": []}).incarnation == incarnation
    assert read({"Events": []}).incarnation == -1


@pytest.mark.parametrize(
    ("told", "duration"),
    [
        pytest.param(9, timedelta(seconds=9), id="seconds"),
        pytest.param("9", timedelta(seconds=9), id="a-string"),
        pytest.param(0, timedelta(0), id="no-interruption"),
        pytest.param(-1, None, id="unknown"),
        pytest.param(10**30, None, id="beyond-all-time"),
        pytest.param(None, None, id="missing"),
    ],
)
def test_the_duration_in_every_form(told: object, duration: timedelta | None) -> None:
    assert event(DurationInSeconds=told).duration == duration


def test_what_nobody_has_heard_of_is_kept_as_it_was_said() -> None:
    strange = event(EventType="Hibernate", EventStatus="Paused", Colour="red")
    assert (strange.type, strange.kind, strange.status) == ("Hibernate", "Hibernate", "Paused")
    assert not strange.is_started
    assert strange.raw["Colour"] == "red"


def test_an_event_that_lacks_everything_is_still_an_event() -> None:
    (bare,) = read({"DocumentIncarnation": 1, "Events": [{}]}).events
    assert (bare.id, bare.type, bare.status, bare.resources) == ("", "", "", ())
    assert (bare.not_before, bare.description, bare.source, bare.duration) == (None, "", "", None)


def test_members_of_another_kind_are_as_if_missing() -> None:
    odd = event(EventId=7, EventType=["Reboot"], Resources={"vm1": 1}, Description=None, EventSource=3)
    assert (odd.id, odd.type, odd.resources, odd.source) == ("", "", (), "")
    assert event(Resources=["vm1", 2, None]).resources == ("vm1",)


@pytest.mark.parametrize(
    ("version", "told", "name"),
    [
        pytest.param("2017-03-01", "_vm1", "vm1", id="a-vm-in-the-oldest-version"),
        pytest.param("latest", "_vm1", "vm1", id="a-vm-in-latest"),
        pytest.param("2017-03-01", "_web_3", "web_3", id="an-instance-in-the-oldest-version"),
        pytest.param("2017-03-01", "FrontEnd_IN_0", "FrontEnd_IN_0", id="a-role-instance"),
        pytest.param("2017-03-01", "_Front_IN_0", "_Front_IN_0", id="a-role-with-an-underscore-of-its-own"),
        pytest.param("2017-08-01", "_vm1", "_vm1", id="in-later-versions-it-is-part-of-the-name"),
    ],
)
def test_the_underscore_of_the_oldest_version_is_no_part_of_a_name(version: str, told: str, name: str) -> None:
    assert event(version, Resources=[told]).resources == (name,)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('{"DocumentIncarnation":1,"Events":[]}'.encode("utf-8-sig"), id="a-mark-in-front"),
        pytest.param('{"DocumentIncarnation":1,"Events":[]}'.encode("utf-16"), id="utf-16"),
        pytest.param(b'\r\n {"Events": [], "DocumentIncarnation": 1, "More": {}}\n', id="spaces-and-more-keys"),
    ],
)
def test_documents_in_other_clothes(body: bytes) -> None:
    assert read_document(body, {}).incarnation == 1


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xef\xbb\xbf", id="only-a-mark"),
        pytest.param(b"{}", id="an-empty-object"),
        pytest.param(b"[]", id="a-list"),
        pytest.param(b'{"DocumentIncarnation":1}', id="without-a-list"),
        pytest.param(b'{"DocumentIncarnation":1,"Events":null}', id="a-list-of-null"),
        pytest.param(b'{"DocumentIncarnation":1,"Events":["x"]}', id="a-list-of-words"),
        pytest.param(b'{"DocumentIncarnation":1,"Events":[', id="cut"),
        pytest.param(b"<html>busy</html>", id="a-page"),
        pytest.param(b"\xff\xfe\xfd", id="bytes"),
        pytest.param(b"[" * 100_000, id="a-deep-well"),
    ],
)
def test_what_is_no_document_is_never_a_document_without_events(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read_document(body, {})


@given(st.binary())
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with suppress(Unreadable):
        read_document(body, {"date": "x"})


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(EVENT, _json)))
def test_any_event_is_read(members: dict[str, object]) -> None:
    assert len(read({"DocumentIncarnation": 1, "Events": [members]}).events) == 1
