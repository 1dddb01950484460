"""The fleet page in a browser."""

from playwright.sync_api import Browser, expect

from tests.e2e.running import Up
from tests.portal.browser.chromium import NARROW, needs_chromium
from tests.portal.browser.portal import Portal, opened

pytestmark = needs_chromium


def test_an_event_appears_on_the_open_page_by_itself(forewarn: Up, portal: Portal) -> None:
    expect(portal.row("db-1")).to_contain_text("none")
    assert forewarn.cli("schedule", "Reboot", "db-1").returncode == 0
    expect(portal.row("db-1")).to_contain_text("Reboot · Scheduled")
    expect(portal.row("db-1").locator("time.countdown")).to_have_text("15:00")


def test_a_search_finds_by_name(portal: Portal) -> None:
    portal.page.get_by_label("Search machines").fill("web_")
    portal.page.get_by_role("button", name="Apply").click()
    expect(portal.count).to_have_text("3 of 12 machines")


def test_it_says_when_nothing_fits(portal: Portal) -> None:
    portal.open("/?search=nobody")
    expect(portal.page.locator(".empty")).to_have_text("No machine fits.")


def test_it_is_all_there_on_a_telephone(browser: Browser, forewarn: Up) -> None:
    with opened(browser, forewarn, size=NARROW) as portal:
        expect(portal.row("db-1")).to_be_visible()
        assert portal.fits()
        navigation = portal.page.get_by_role("navigation", name="Pages")
        expect(navigation).to_be_hidden()
        portal.page.get_by_role("button", name="Menu").click()
        expect(navigation.get_by_role("link", name="Fleet")).to_be_visible()


def test_it_speaks_french_to_a_french_browser(browser: Browser, forewarn: Up) -> None:
    with opened(browser, forewarn, language="fr-FR") as portal:
        expect(portal.page.get_by_role("heading", level=1)).to_have_text("Parc")
        expect(portal.row("db-1")).to_contain_text("aucun")


def test_it_works_without_scripts(browser: Browser, forewarn: Up) -> None:
    with opened(browser, forewarn, scripts=False) as portal:
        portal.page.get_by_label("Search machines").fill("solo")
        portal.page.get_by_role("button", name="Apply").click()
        expect(portal.count).to_have_text("1 of 12 machines")
