"""Nobody is kept out: axe-core looks at every page, and every page fits a telephone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.running import Up
from tests.portal.browser.axe import CONTRAST, LAYOUT, Look, needs_axe, shortcomings, violations
from tests.portal.browser.chromium import NARROW, needs_chromium, visitor
from tests.portal.browser.portal import Portal, opened
from tests.portal.browser.walking import walk

pytestmark = [needs_chromium, needs_axe]


def test_no_page_keeps_anybody_out_in_light_in_the_dark_or_on_a_telephone(browser: Browser, busy: Up) -> None:
    looks = (Look(size=NARROW, rules=LAYOUT), Look(dark=True, rules=CONTRAST), Look())
    with opened(browser, busy) as portal:
        found = {route: shortcomings(portal, *looks) for route in walk(portal)}
    assert {route: what for route, what in found.items() if what} == {}


def test_every_page_fits_a_telephone_in_a_language_of_longer_words(browser: Browser, busy: Up) -> None:
    with opened(browser, busy, size=NARROW, language="fr") as portal:
        assert [route for route in walk(portal) if not portal.fits()] == []


def test_the_way_in_and_refusals_keep_nobody_out(browser: Browser, forewarn: Up) -> None:
    with visitor(browser, f"{forewarn.control}/portal/login?word=wrong") as (page, watch):
        watch.mean("401")
        assert violations(page) == []
        page.goto(forewarn.portal)
        watch.mean("404")
        page.goto(f"{forewarn.control}/portal/stream?after=never")
        watch.mean("400")
        expect(page.get_by_role("alert").filter(visible=True)).to_be_visible()
        assert violations(page) == []


def test_the_keyboard_reaches_the_content_first(portal: Portal) -> None:
    portal.page.keyboard.press("Tab")
    expect(portal.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    portal.page.keyboard.press("Enter")
    portal.page.keyboard.press("Tab")
    expect(portal.page.get_by_role("main").locator(":focus")).to_have_count(1)


@pytest.fixture
def busy(forewarn: Up) -> Up:
    """One of everything is going on."""
    for words in (
        ("schedule", "Reboot", "solo"),
        ("schedule", "Freeze", "db-0", "--at-once"),
        ("campaign", "start", "Reboot", "shop"),
    ):
        done = forewarn.cli(*words)
        assert done.returncode == 0, done.stderr
    return forewarn
