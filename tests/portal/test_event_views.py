"""The list of events, and one event, as values."""

import json
from datetime import timedelta

import pytest

from forewarn.domain.events import Actor, Approval, EventType, Phase, Readiness, Source
from forewarn.domain.history import What
from forewarn.domain.scopes import ScopeKind
from forewarn.portal.texts import LANGUAGES, texts_of
from forewarn.portal.views.events import (
    EventWish,
    Listed,
    all_view,
    document_views,
    event_view,
    live_view,
)
from forewarn.testing.builders import NOON, a_scope, a_scope_with, an_entry, an_event
from forewarn.wire.versions import EVENT_VERSIONS

LATER = NOON + timedelta(minutes=20)
BY_A = Approval(by=Actor.machine("a"), at=NOON)
BY_ALICE = Approval(by=Actor.user("alice"), at=NOON, acknowledged=True)


def test_first_what_is_under_way_then_what_starts_next() -> None:
    events = [
        an_event("LATE", not_before=LATER),
        an_event("SOON"),
        an_event("NOW", phase=Phase.STARTED, not_before=LATER),
        an_event("OVER", phase=Phase.COMPLETED),
    ]
    view = live_view({"s": a_scope_with(events)}, EventWish())
    assert [row.event.id for row in view.rows] == ["NOW", "SOON", "LATE"]
    assert (view.found, view.pages) == (3, 1)


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        pytest.param(EventWish(type=EventType.REBOOT), ["A"], id="by type"),
        pytest.param(EventWish(search="WEB_1"), ["B"], id="by machine, in any case"),
        pytest.param(EventWish(search="other"), ["B"], id="by scope"),
        pytest.param(EventWish(search="host web_0"), ["A"], id="all words, the description too"),
        pytest.param(EventWish(search="nothing"), [], id="nothing fits"),
    ],
)
def test_a_search_finds(wish: EventWish, found: list[str]) -> None:
    one = an_event("A", resources=("web_0",), description="Host server")
    other = an_event("B", "other", type=EventType.FREEZE, resources=("web_1",))
    view = live_view({"s": a_scope_with([one]), "other": a_scope_with([other], "other")}, wish)
    assert [row.event.id for row in view.rows] == found


def test_many_are_paged() -> None:
    scopes = {"s": a_scope_with([an_event(f"E{n:03}") for n in range(230)])}
    pages = [live_view(scopes, EventWish(page=n)) for n in (1, 3, 99)]
    assert [(len(page.rows), page.found, page.pages) for page in pages] == [(100, 230, 3), (30, 230, 3), (30, 230, 3)]


def test_what_is_approved_and_still_waits_is_marked() -> None:
    events = [an_event("A", approvals=(BY_A,)), an_event("B"), an_event("C", phase=Phase.STARTED, approvals=(BY_A,))]
    view = all_view(events, {"s": a_scope_with(events)}, EventWish())
    assert [row.approved for row in view.rows] == [True, False, False]


def test_an_event_of_a_scope_that_is_gone_is_still_listed() -> None:
    assert len(all_view([an_event(phase=Phase.FAILED)], {}, EventWish()).rows) == 1


def test_each_machine_is_told_with_what_it_said_and_others_apart() -> None:
    ready = Readiness(machine="b", ready=True, at=NOON, times=1)
    stranger = Approval(by=Actor.machine("c"), at=NOON)
    event = an_event(resources=("a", "b"), approvals=(BY_A, BY_ALICE, stranger), readiness=(ready,))
    view = event_view(event, [a_scope_with([event])], None, [an_entry()], NOON)
    assert [(one.machine, one.approval, one.readiness) for one in view.machines] == [
        ("a", BY_A, None),
        ("b", None, ready),
    ]
    assert view.others == (BY_ALICE, stranger)
    assert (view.is_open, view.asks_for_approval) == (True, False)


def test_every_version_shows_its_own_document() -> None:
    event = an_event(description="because", source=Source.USER, duration=9)
    views = document_views(event, a_scope_with([event]))
    assert [view.version for view in views] == list(reversed(EVENT_VERSIONS))
    keys = {view.version: set(json.loads(view.text)["Events"][0]) for view in views}
    assert "DurationInSeconds" in keys["2020-07-01"]
    assert "DurationInSeconds" not in keys["2019-08-01"]
    assert "EventSource" not in keys["2019-04-01"]
    assert "Description" not in keys["2019-01-01"]
    assert '"_vm"' in views[-1].text
    assert {view.listed for view in views} == {Listed.YES}


def test_a_version_without_the_type_says_so() -> None:
    event = an_event(type=EventType.TERMINATE)
    listed = {view.version: view.listed for view in document_views(event, a_scope_with([event]))}
    assert (listed["2019-01-01"], listed["2017-11-01"]) == (Listed.YES, Listed.UNKNOWN)


def test_what_is_over_is_in_no_document_and_a_scope_that_is_gone_has_none() -> None:
    event = an_event(phase=Phase.COMPLETED)
    views = document_views(event, a_scope(kind=ScopeKind.CLOUD_SERVICE))
    assert {view.listed for view in views} == {Listed.OVER}
    assert document_views(event, None) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_can_happen_has_a_word(language: str) -> None:
    texts = texts_of(language)
    assert all(texts(f"event.what.{what.value}") for what in What)
    assert all(texts(f"machine.means.{kind.value}") for kind in EventType)
