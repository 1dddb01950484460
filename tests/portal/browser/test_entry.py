"""Getting in and out, the time bar and the settings, with a real browser's own rules about cookies and origins."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.running import Up, up
from tests.portal.browser.chromium import needs_chromium, visitor
from tests.portal.browser.portal import Portal, opened

pytestmark = needs_chromium
REFUSED = r"status of 4\d\d"
"""What Chromium writes to its console when a page is answered so."""


def clock(portal: Portal) -> Locator:
    return portal.page.locator("time.running")


def told(portal: Portal) -> str:
    return clock(portal).get_attribute("datetime") or ""


@contextmanager
def another_site(*links: str) -> Iterator[str]:
    """By another name than the portal's: to a browser, that is another site."""
    page = "".join(f'<a href="{link}">{number}</a> ' for number, link in enumerate(links)).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_who_asked_for_a_page_first_sees_it_after_the_login(browser: Browser, forewarn: Up) -> None:
    with visitor(browser, f"{forewarn.control}/portal/settings?saved=no") as (page, watch):
        watch.mean(REFUSED)
        expect(page.get_by_role("heading", name="Log in")).to_be_visible()
        page.goto(forewarn.portal)
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()
        assert page.url == f"{forewarn.control}/portal/settings?saved=no"


def test_a_link_on_another_site_leads_in_and_so_does_one_to_a_page(browser: Browser, forewarn: Up) -> None:
    with another_site(forewarn.portal, f"{forewarn.control}/portal/settings") as site, visitor(browser, site) as seen:
        page, watch = seen
        watch.mean(f"asked elsewhere: {re.escape(forewarn.control)}|favicon.ico|{REFUSED}")
        page.get_by_role("link", name="0").click()
        expect(page.get_by_role("heading", name="Fleet")).to_be_visible()
        page.goto(site)
        page.get_by_role("link", name="1").click()
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()


def test_who_logs_out_is_out(portal: Portal) -> None:
    portal.watch.mean(REFUSED)
    portal.open("/settings")
    portal.page.get_by_role("button", name="Log out").click()
    expect(portal.page.get_by_role("heading", name="Log in")).to_be_visible()
    portal.page.goto(f"{portal.home}/portal/")
    expect(portal.page.get_by_role("heading", name="Log in")).to_be_visible()


def test_language_and_appearance_are_kept(portal: Portal) -> None:
    portal.open("/settings")
    portal.page.get_by_label("Language").select_option("fr")
    portal.page.get_by_label("Appearance").select_option("dark")
    portal.page.get_by_role("button", name="Save").click()
    expect(portal.page.get_by_role("status").filter(has_text="Enregistré.")).to_be_visible()
    portal.open()
    expect(portal.page.get_by_role("heading", name="Parc")).to_be_visible()
    expect(portal.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_bar_moves_time_where_one_stands(portal: Portal) -> None:
    before, place = told(portal), portal.page.url
    button = portal.page.get_by_role("button", name="+15 min")
    button.focus()
    portal.page.keyboard.press("Enter")
    expect(clock(portal)).not_to_have_attribute("datetime", before)
    expect(button).to_be_focused()
    assert portal.page.url == place


def test_where_nothing_comes_next_the_bar_says_so(portal: Portal) -> None:
    portal.watch.mean(REFUSED)
    portal.page.get_by_role("button", name="To the next moment").click()
    expect(portal.page.get_by_role("status").filter(has_text="there is no next moment")).to_be_visible()


def test_an_open_page_follows_whoever_moves_the_clock(portal: Portal, forewarn: Up) -> None:
    assert forewarn.cli("schedule", "Reboot", "db-1").returncode == 0
    expect(portal.row("db-1").locator("time.countdown")).to_have_text("15:00")
    assert forewarn.cli("clock", "advance", "5m").returncode == 0
    expect(portal.row("db-1").locator("time.countdown")).to_have_text("10:00")
    now = json.loads(forewarn.cli("clock", "--json").stdout)["now"]
    expect(clock(portal)).to_have_attribute("datetime", f"{now[:19]}Z")


def test_time_runs_on_the_page_at_the_fleet_s_pace(portal: Portal) -> None:
    portal.page.get_by_role("button", name="600×").click()
    expect(portal.page.get_by_role("button", name="600×")).to_have_attribute("aria-pressed", "true")
    before = told(portal)
    expect(clock(portal)).not_to_have_attribute("datetime", before)
    portal.page.get_by_role("button", name="Stop").click()
    expect(portal.page.get_by_text("standing still")).to_be_visible()


@pytest.mark.parametrize("place", ["/?search=db", "/settings"])
def test_without_scripts_the_bar_works_too(browser: Browser, forewarn: Up, place: str) -> None:
    with opened(browser, forewarn, scripts=False) as portal:
        portal.open(place)
        before = told(portal)
        portal.page.get_by_role("button", name="+1 min").click()
        expect(clock(portal)).not_to_have_attribute("datetime", before)
        assert portal.page.url == f"{forewarn.control}/portal{place}"


def test_a_real_clock_has_no_bar(browser: Browser, tmp_path: Path) -> None:
    with up(tmp_path / "data") as forewarn, opened(browser, forewarn) as portal:
        expect(portal.page.get_by_role("heading", name="Fleet")).to_be_visible()
        expect(clock(portal)).to_have_count(0)
