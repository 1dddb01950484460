"""The timeline's page: what it shows, for whom, and that it can be walked without a pointer."""

import re

import pytest

from forewarn.domain.access import Role
from forewarn.domain.events import EventType
from forewarn.domain.maintenance import Maintenance
from forewarn.portal.texts import LANGUAGES, texts_of
from forewarn.portal.views.drawing import Ink, Sign
from forewarn.portal.views.timeline import Shown, Span
from forewarn.testing.builders import NOON, SOMEBODY, a_campaign
from forewarn.wire.fleetfile import parse
from tests.portal.sets import Portal

TIMELINE = "/portal/timeline"
FLEET = """
[machine.solo]
[availability_set.db]
machines = 3
update_domains = 3
"""


@pytest.fixture
def portal() -> Portal:
    portal = Portal()
    portal.run(portal.engine.load_fleet(parse(FLEET, "t.toml").fleet, "first"))
    return portal


def scheduled(portal: Portal, *names: str) -> str:
    targets = [("db" if name.startswith("db") else name, name) for name in names]
    operations = portal.run(portal.engine.schedule(targets, Maintenance(impact=EventType.REBOOT), SOMEBODY))
    assert operations[0].event is not None
    return operations[0].event


def test_without_events_it_says_so(portal: Portal) -> None:
    page = portal.look(TIMELINE)
    assert "Nothing has happened or is announced" in page
    assert "event-bar" not in page
    assert "fits the search" in portal.look(f"{TIMELINE}?search=x")


def test_an_event_is_a_link_with_a_name_and_its_details_are_at_hand(portal: Portal) -> None:
    event = scheduled(portal, "solo")
    page = portal.look(TIMELINE)
    assert f'href="/portal/events/{event}"' in page
    assert 'aria-label="Reboot of solo: Scheduled"' in page
    assert f'<template data-detail="{event}">' in page
    assert '<time class="countdown" datetime="2030-01-01T12:15:00Z">' in page


def test_what_changes_comes_by_itself_without_the_frame(portal: Portal) -> None:
    scheduled(portal, "solo")
    part = portal.look(f"{TIMELINE}/lanes")
    assert "<html" not in part
    assert f'data-live="{TIMELINE}/lanes"' in portal.look(TIMELINE)


def test_every_phase_is_shown(portal: Portal) -> None:
    done, cancelled = scheduled(portal, "solo"), scheduled(portal, "db-0")
    portal.run(portal.engine.approve_event(done, SOMEBODY))
    portal.run(portal.engine.cancel_event(cancelled, SOMEBODY))
    portal.advance(minutes=1)
    scheduled(portal, "db-1")
    page = portal.look(TIMELINE)
    for phase in ("Completed", "Canceled", "Scheduled"):
        assert f'class="event-bar {phase}"' in page
    assert "somebody, <time" in page, "who approved"
    live = portal.look(f"{TIMELINE}?show=live")
    assert "event-bar Completed" not in live
    assert "event-bar Scheduled" in live


def test_the_zoom_changes_what_is_in_sight_and_keeps_the_search(portal: Portal) -> None:
    event = scheduled(portal, "solo")
    portal.run(portal.engine.cancel_event(event, SOMEBODY))
    portal.advance(hours=2)
    assert "event-bar" not in portal.look(TIMELINE)
    page = portal.look(f"{TIMELINE}?span=6h&search=solo&page=nonsense")
    assert "event-bar Canceled" in page
    assert f'href="{TIMELINE}?span=7d&amp;search=solo&amp;show=all"' in page
    assert re.search(r'span=6h[^>]*aria-current="true"', page)


def test_a_campaign_shows_its_update_domains_as_steps(portal: Portal) -> None:
    portal.run(portal.engine.begin_campaign(a_campaign("C0FFEE", scopes=("db",), requested_at=NOON)))
    portal.advance(seconds=0)
    page = portal.look(TIMELINE)
    assert 'href="/portal/campaigns/C0FFEE"' in page
    assert [state for state in re.findall(r'<li class="(\w+)"', page) if state != "lane"] == [
        "notice",
        "waits",
        "waits",
    ]
    portal.advance(minutes=16)
    assert '<li class="done"' in portal.look(TIMELINE)
    assert "recovers" in portal.look(TIMELINE)


def test_a_reader_sees_it_too_and_nobody_else_does(portal: Portal) -> None:
    scheduled(portal, "solo")
    portal.admit("reader", Role.READER)
    assert "event-bar" in portal.look(TIMELINE, who="reader")
    assert portal.visit("GET", TIMELINE, who="stranger").status == 403


def test_nothing_is_styled_or_scripted_inline(portal: Portal) -> None:
    scheduled(portal, "solo")
    page = portal.look(TIMELINE)
    assert " style=" not in page
    assert not re.search(r"<script(?![^>]* src=)", page)
    assert not re.search(r" on\w+=", page)


def test_what_somebody_searches_for_is_never_markup(portal: Portal) -> None:
    page = portal.look(f"{TIMELINE}?search=%22%3E%3Cb%3E")
    assert '"><b>' not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_word_for_everything(language: str) -> None:
    words = texts_of(language)
    for span in Span:
        assert words(f"timeline.spans.{span.value}")
    for shown in Shown:
        assert words(f"timeline.shown.{shown.value}")
    for ink in set(Ink) - {Ink.GIVEN}:
        assert words(f"timeline.inks.{ink.value}")
    for sign in (Sign.APPROVED, Sign.NOT_BEFORE):
        assert words(f"timeline.signs.{sign.value}")
