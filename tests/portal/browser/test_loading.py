"""What takes its time is seen to be on its way: a part that is fetched anew, and a form that was sent."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

from tests.e2e.running import Up
from tests.portal.browser.chromium import needs_chromium
from tests.portal.browser.portal import Portal

pytestmark = needs_chromium


def test_what_is_waited_for_is_busy(forewarn: Up, portal: Portal) -> None:
    table = portal.page.locator("[data-live='/portal/fleet/table']")
    expect(table).not_to_have_attribute("aria-busy", "true")
    with held(portal.page, "**/portal/fleet/table*"):
        assert forewarn.cli("schedule", "Freeze", "db-1").returncode == 0
        expect(table).to_have_attribute("aria-busy", "true")
    expect(portal.row("db-1")).to_contain_text("Freeze")
    expect(table).not_to_have_attribute("aria-busy", "true")

    portal.open("/settings")
    portal.page.route("**/portal/settings", lambda route: route.fulfill(status=204))  # it leads nowhere
    portal.press("Save")
    expect(portal.page.locator("form[action='/portal/settings']")).to_have_attribute("aria-busy", "true")


@contextmanager
def held(page: Page, pattern: str) -> Iterator[None]:
    """What is asked for there gets its answer only afterwards."""
    waiting: list[Route] = []
    page.route(pattern, lambda route: waiting.append(route))
    yield
    for route in waiting:
        route.continue_()
    page.unroute(pattern)
