"""Law 7: an unchanged client of Azure cannot tell the difference on the wire.

The oracle is written down here once more, from Azure's own history of api-versions, and shares no code with `wire`.
"""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.domain.events import Announcement, Document, EventType, Phase, Source
from forewarn.wire.documents import render
from forewarn.wire.versions import event_version

ALWAYS = ["EventId", "EventStatus", "EventType", "ResourceType", "Resources", "NotBefore"]
LATER = [("2019-04-01", "Description"), ("2019-08-01", "EventSource"), ("2020-07-01", "DurationInSeconds")]
TYPES_SINCE = {"Freeze": "", "Reboot": "", "Redeploy": "", "Preempt": "2017-11-01", "Terminate": "2019-01-01"}
VERSIONS = ["2017-03-01", "2017-08-01", "2017-11-01", "2019-01-01", "2019-04-01", "2019-08-01", "2020-07-01"]
RFC_1123 = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")

moments = st.integers(0, 2**31).map(lambda seconds: datetime(2016, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))


@st.composite
def announcements(draw: st.DrawFn) -> Announcement:
    phase = draw(st.sampled_from([Phase.SCHEDULED, Phase.STARTED]))
    return Announcement(
        id=str(draw(st.uuids())).upper(),
        phase=phase,
        type=draw(st.sampled_from(EventType)),
        source=draw(st.sampled_from(Source)),
        resources=tuple(draw(st.lists(st.text("abc_0123", min_size=1), min_size=1, max_size=3))),
        not_before=draw(moments) if phase is Phase.SCHEDULED else None,
        description=draw(st.text(max_size=20)),
        duration=draw(st.integers(-1, 900)),
    )


@pytest.mark.parametrize("version", VERSIONS)
@given(events=st.lists(announcements(), max_size=4), incarnation=st.integers(0, 2**53), iaas=st.booleans())
def test_law_7_every_document_is_one_that_azure_could_have_sent(
    version: str, events: list[Announcement], incarnation: int, iaas: bool
) -> None:
    document = Document(
        scope="s", epoch=1, incarnation=incarnation, enrolled=True, iaas=iaas, announcements=tuple(events)
    )
    known = event_version(version)
    assert known is not None
    body = render(document, known)
    shown = json.loads(body)
    assert json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode() == body, "compact"
    assert list(shown) == ["DocumentIncarnation", "Events"]
    assert shown["DocumentIncarnation"] == incarnation
    assert type(shown["DocumentIncarnation"]) is int
    visible = [event for event in events if TYPES_SINCE[event.type.value] <= version]
    assert len(shown["Events"]) == len(visible)
    for told, event in zip(shown["Events"], visible, strict=True):
        check(told, event, version, "_" if iaas and version == "2017-03-01" else "")


def check(told: dict[str, object], event: Announcement, version: str, prefix: str) -> None:
    assert list(told) == ALWAYS + [key for since, key in LATER if since <= version], "keys, and their order"
    assert (told["EventId"], told["EventType"]) == (event.id, event.type.value)
    assert told["ResourceType"] == "VirtualMachine"
    assert told["Resources"] == [prefix + name for name in event.resources]
    assert told["EventStatus"] == ("Started" if event.not_before is None else "Scheduled")
    if event.not_before is None:
        assert told["NotBefore"] == ""
    else:
        assert RFC_1123.fullmatch(str(told["NotBefore"]))
        assert told["NotBefore"] == f"{event.not_before:%a, %d %b %Y %H:%M:%S} GMT"
