"""The document of scheduled events, pinned byte for byte to what was captured."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from forewarn.domain.events import Announcement, EventType, Phase, Source
from forewarn.wire.documents import Reading, parse, render
from forewarn.wire.errors import Malformed
from forewarn.wire.versions import EVENT_VERSIONS, EventVersion, event_version
from tests.wire.captured import DOCUMENTS, LIVE_MIGRATION, document, event
from tests.wire.goldens import golden, names

FOLDER = "metadata/scheduledevents"

ONE_OF_EACH = (
    event("00000000-0000-0000-0000-00000000000A", EventType.FREEZE, "vm-1", description=LIVE_MIGRATION, duration=5),
    event("00000000-0000-0000-0000-00000000000B", EventType.REBOOT, "vm-1", "vm-2", not_before="2026-11-15 08:05:09"),
    event("00000000-0000-0000-0000-00000000000C", EventType.REDEPLOY, "vm-3", not_before="2026-11-15 08:05:09"),
    event("00000000-0000-0000-0000-00000000000D", EventType.PREEMPT, "vm-4", not_before="2026-11-15 08:05:09"),
    event("00000000-0000-0000-0000-00000000000E", EventType.TERMINATE, "vm-5", not_before="2026-11-15 08:05:09"),
)
OURS = {f"{name}/one-of-each.json": document(7, *ONE_OF_EACH) for name in EVENT_VERSIONS} | {
    "2017-03-01/role-instances.json": document(
        7,
        event("00000000-0000-0000-0000-00000000000F", EventType.REBOOT, "FrontEnd_IN_0", not_before="2026-11-15 08:05"),
        iaas=False,
    )
}


def version_of(text: str) -> EventVersion:
    found = event_version(text.partition("/")[0])
    assert found is not None
    return found


@pytest.mark.parametrize("name", [*DOCUMENTS, *OURS])
def test_a_document_is_rendered_byte_for_byte(name: str) -> None:
    rendered = render((DOCUMENTS | OURS)[name], version_of(name))

    if name.endswith(".part"):
        assert golden(f"{FOLDER}/{name}") in rendered
    else:
        assert rendered == golden(f"{FOLDER}/{name}")


def test_every_golden_document_is_checked() -> None:
    assert names(FOLDER) == {*DOCUMENTS, *OURS}


@pytest.mark.parametrize("name", [name for name in DOCUMENTS | OURS if name.endswith(".json")])
def test_a_golden_document_is_read_back_as_what_it_tells(name: str) -> None:
    shown, version = (DOCUMENTS | OURS)[name], version_of(name)

    reading = parse(golden(f"{FOLDER}/{name}"), version, iaas=shown.iaas)

    assert reading == Reading(
        incarnation=shown.incarnation,
        announcements=tuple(as_told(event, version) for event in shown.announcements if event.type in version.types),
    )


def as_told(event: Announcement, version: EventVersion) -> Announcement:
    """What is left of an announcement for who reads it through this version."""
    return replace(
        event,
        description=event.description if version.description else "",
        source=event.source if version.source else Source.PLATFORM,
        duration=event.duration if version.duration else -1,
    )


@pytest.mark.parametrize("name", EVENT_VERSIONS)
def test_an_empty_document_is_the_same_in_every_version(name: str) -> None:
    assert render(document(0), version_of(name)) == golden(f"{FOLDER}/2017-03-01/empty-0.json")


BASIC = ["EventId", "EventStatus", "EventType", "ResourceType", "Resources", "NotBefore"]
FIRST = ["Freeze", "Reboot", "Redeploy"]
ALL = [*FIRST, "Preempt", "Terminate"]


@pytest.mark.parametrize(
    ("name", "types", "keys", "machine"),
    [
        pytest.param("2017-03-01", FIRST, BASIC, "_vm-1", id="2017-03-01"),
        pytest.param("latest", FIRST, BASIC, "_vm-1", id="latest"),
        pytest.param("2017-08-01", FIRST, BASIC, "vm-1", id="2017-08-01"),
        pytest.param("2017-11-01", [*FIRST, "Preempt"], BASIC, "vm-1", id="2017-11-01"),
        pytest.param("2019-01-01", ALL, BASIC, "vm-1", id="2019-01-01"),
        pytest.param("2019-04-01", ALL, [*BASIC, "Description"], "vm-1", id="2019-04-01"),
        pytest.param("2019-08-01", ALL, [*BASIC, "Description", "EventSource"], "vm-1", id="2019-08-01"),
        pytest.param(
            "2020-07-01", ALL, [*BASIC, "Description", "EventSource", "DurationInSeconds"], "vm-1", id="2020-07-01"
        ),
    ],
)
def test_a_version_shows_its_types_and_keys_in_the_captured_order(
    name: str, types: list[str], keys: list[str], machine: str
) -> None:
    told = json.loads(render(document(7, *ONE_OF_EACH), version_of(name)))

    assert list(told) == ["DocumentIncarnation", "Events"]
    assert [event["EventType"] for event in told["Events"]] == types
    assert [list(event) for event in told["Events"]] == [keys] * len(types)
    assert told["Events"][0]["Resources"] == [machine]


def test_role_instances_never_had_the_underscore() -> None:
    told = json.loads(render(document(1, ONE_OF_EACH[0], iaas=False), version_of("2017-03-01")))

    assert told["Events"][0]["Resources"] == ["vm-1"]


def test_not_before_is_told_in_gmt_and_never_later_than_it_is() -> None:
    moment = datetime(2026, 11, 15, 0, 30, 59, 999_999, tzinfo=timezone(timedelta(hours=2)))

    rendered = render(document(1, replace(ONE_OF_EACH[1], not_before=moment)), version_of("2020-07-01"))

    assert b'"NotBefore":"Sat, 14 Nov 2026 22:30:59 GMT"' in rendered


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)


def announcements(version: EventVersion) -> st.SearchStrategy[Announcement]:
    """Every announcement that this version can tell without leaving something out."""
    moments = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(microsecond=0))
    return st.builds(
        lambda not_before, **told: Announcement(
            phase=Phase.STARTED if not_before is None else Phase.SCHEDULED, not_before=not_before, **told
        ),
        not_before=st.none() | moments,
        id=TEXT,
        type=st.sampled_from(sorted(version.types, key=lambda type: type.value)),
        resources=st.lists(TEXT, max_size=3).map(tuple),
        source=st.sampled_from(Source) if version.source else st.just(Source.PLATFORM),
        description=TEXT if version.description else st.just(""),
        duration=st.integers(-1, 10**6) if version.duration else st.just(-1),
    )


@pytest.mark.parametrize("name", EVENT_VERSIONS)
@settings(deadline=None)
@given(data=st.data())
def test_what_was_encoded_is_decoded_the_same(name: str, data: st.DataObject) -> None:
    version = version_of(name)
    told = document(
        data.draw(st.integers(0, 2**53)),
        *data.draw(st.lists(announcements(version), max_size=3)),
        iaas=data.draw(st.booleans()),
    )

    reading = parse(render(told, version), version, iaas=told.iaas)

    assert reading == Reading(incarnation=told.incarnation, announcements=told.announcements)


EVENT = {
    "EventId": "E",
    "EventStatus": "Scheduled",
    "EventType": "Reboot",
    "ResourceType": "VirtualMachine",
    "Resources": ["vm-1"],
    "NotBefore": "Thu, 22 Jul 2021 04:50:17 GMT",
    "Description": "",
    "EventSource": "User",
    "DurationInSeconds": -1,
}
NEWEST = version_of("2020-07-01")


def read(**changes: object) -> Reading:
    body = json.dumps({"DocumentIncarnation": 5, "Events": [EVENT | changes]})
    return parse(body.encode(), NEWEST)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        pytest.param("2021-07-22T04:50:17Z", datetime(2021, 7, 22, 4, 50, 17, tzinfo=UTC), id="iso"),
        pytest.param("Mon, 22 Jul 2021 04:50:17 GMT", datetime(2021, 7, 22, 4, 50, 17, tzinfo=UTC), id="wrong-weekday"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="null"),
        pytest.param("soon", None, id="unreadable"),
    ],
)
def test_a_reader_takes_every_date_that_clients_have_met(text: str | None, moment: datetime | None) -> None:
    assert [event.not_before for event in read(NotBefore=text).announcements] == [moment]


def test_a_reader_ignores_members_it_does_not_know() -> None:
    assert read(Severity={"level": 3}) == read()


def test_a_reader_takes_an_unknown_source_for_the_platform() -> None:
    assert [event.source for event in read(EventSource="Neighbour").announcements] == [Source.PLATFORM]


@pytest.mark.parametrize("change", [{"EventType": "Defrost"}, {"EventStatus": "Postponed"}])
def test_a_reader_sets_aside_events_it_has_no_word_for(change: dict[str, str]) -> None:
    assert read(**change) == Reading(incarnation=5, announcements=(), unknown=("E",))


def test_a_reader_takes_an_incarnation_held_as_a_string() -> None:
    assert parse(b'{"DocumentIncarnation":"5","Events":[]}', NEWEST).incarnation == 5


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty-body"),
        pytest.param(b"<html>", id="not-json"),
        pytest.param(b"\xff{}", id="not-utf-8"),
        pytest.param(b"[]", id="not-an-object"),
        pytest.param(b'{"DocumentIncarnation":1}', id="no-events"),
        pytest.param(b'{"DocumentIncarnation":1,"Events":null}', id="events-null"),
        pytest.param(b'{"DocumentIncarnation":1,"Events":[],"x":' + b"[" * 60_000, id="too-deep"),
    ],
)
def test_a_reader_says_so_when_it_is_no_document(body: bytes) -> None:
    with pytest.raises(Malformed, match="not a document of scheduled events"):
        parse(body, NEWEST)


@settings(deadline=None)
@given(place=st.integers(0, 435), junk=st.binary(max_size=4))
def test_a_damaged_document_is_read_or_refused_but_never_breaks_the_reader(place: int, junk: bytes) -> None:
    body = golden(f"{FOLDER}/2017-08-01/ms-sample-2018-two-reboots.json")

    with suppress(Malformed):
        parse(body[:place] + junk + body[place + len(junk) :], NEWEST)
