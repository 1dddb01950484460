"""Nobody is kept out: axe-core looks at every page, and every page fits a telephone."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.running import Up
from tests.portal.browser.axe import ALL, CONTRAST, needs_axe, violations
from tests.portal.browser.chromium import NARROW, needs_chromium, visitor
from tests.portal.browser.portal import Portal, opened
from tests.portal.browser.walking import walk

pytestmark = [needs_chromium, needs_axe]


@pytest.mark.parametrize(
    ("how", "rules"),
    [
        pytest.param({}, ALL, id="light"),
        pytest.param({"dark": True}, CONTRAST, id="dark"),
        pytest.param({"size": NARROW}, ALL, id="telephone"),
        pytest.param({"size": NARROW, "language": "fr"}, (), id="telephone, in a language of longer words"),
    ],
)
def test_no_page_keeps_anybody_out(browser: Browser, busy: Up, how: dict[str, Any], rules: tuple[str, ...]) -> None:
    with opened(browser, busy, **how) as portal:
        found = {route: [*_violations(portal, rules), *_too_wide(portal)] for route in walk(portal)}
    assert {route: what for route, what in found.items() if what} == {}


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


def _violations(portal: Portal, rules: tuple[str, ...]) -> list[str]:
    return violations(portal.page, rules) if rules else []


def _too_wide(portal: Portal) -> list[str]:
    return [] if portal.fits() else ["the page is wider than the screen"]


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
