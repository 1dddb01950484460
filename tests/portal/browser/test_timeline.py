"""The timeline in a browser: it follows what happens, and can be walked by keyboard."""

import re

from playwright.sync_api import Browser, Locator, expect

from tests.e2e.running import Up
from tests.portal.browser.chromium import NARROW, needs_chromium
from tests.portal.browser.portal import Portal, opened

pytestmark = needs_chromium


def did(forewarn: Up, *words: str) -> None:
    done = forewarn.cli(*words)
    assert done.returncode == 0, done.stderr


def bar(portal: Portal, name: str) -> Locator:
    return portal.page.get_by_role("link", name=name)


def test_an_event_appears_counts_down_starts_and_is_done(forewarn: Up, portal: Portal) -> None:
    portal.open("/timeline")
    expect(portal.page.locator(".empty")).to_be_visible()
    did(forewarn, "schedule", "Reboot", "db-1")
    expect(bar(portal, "Reboot of db-1: Scheduled")).to_be_visible()
    lane = portal.page.locator(".lane").filter(has_text="db-1")
    expect(lane.locator("time.countdown")).to_have_text("15:00")
    did(forewarn, "clock", "advance", "10m")
    expect(lane.locator("time.countdown")).to_have_text("5:00")
    did(forewarn, "clock", "advance", "5m")
    expect(bar(portal, "Reboot of db-1: Started")).to_be_visible()
    did(forewarn, "clock", "advance", "1m")
    expect(bar(portal, "Reboot of db-1: Completed")).to_be_visible()


def test_details_follow_the_pointer_and_the_keyboard_and_are_announced(forewarn: Up, portal: Portal) -> None:
    did(forewarn, "schedule", "Reboot", "db-1")
    did(forewarn, "schedule", "Freeze", "solo")
    portal.open("/timeline")
    details = portal.page.locator("#event-detail")
    bar(portal, "Freeze of solo: Scheduled").hover()
    expect(details).to_contain_text("Freeze · Scheduled")
    bar(portal, "Reboot of db-1: Scheduled").focus()
    expect(details).to_contain_text("Reboot · Scheduled")
    portal.page.keyboard.press("ArrowDown")
    expect(bar(portal, "Freeze of solo: Scheduled")).to_be_focused()
    expect(portal.page.locator("#event-said")).to_contain_text("Freeze · Scheduled, Machines, solo")
    portal.page.keyboard.press("Escape")
    expect(details).to_be_hidden()


def test_whoever_stands_on_an_event_hears_what_becomes_of_it(forewarn: Up, portal: Portal) -> None:
    did(forewarn, "schedule", "Reboot", "solo")
    portal.open("/timeline")
    bar(portal, "Reboot of solo: Scheduled").focus()
    did(forewarn, "clock", "advance", "15m")
    expect(bar(portal, "Reboot of solo: Started")).to_be_focused()
    expect(portal.page.locator("#event-said")).to_contain_text("Reboot · Started")


def test_only_one_bar_is_in_the_way_of_the_tab_key(forewarn: Up, portal: Portal) -> None:
    did(forewarn, "schedule", "Reboot", "db-0", "db-1", "db-2", "solo")
    portal.open("/timeline")
    expect(portal.page.locator(".event-bar")).to_have_count(4)
    expect(portal.page.locator('.event-bar[tabindex="0"]')).to_have_count(1)


def test_now_moves_when_time_does(forewarn: Up, portal: Portal) -> None:
    did(forewarn, "schedule", "Reboot", "solo")
    portal.open("/timeline")
    now = portal.page.locator("line.now")
    expect(now).to_have_attribute("x1", re.compile(r"^(49\.9|50)"))
    did(forewarn, "clock", "rate", "60")
    expect(now).to_have_attribute("x1", re.compile(r"^5[1-6]"))


def test_a_bar_leads_to_its_event(forewarn: Up, portal: Portal) -> None:
    did(forewarn, "schedule", "Reboot", "solo")
    portal.open("/timeline")
    bar(portal, "Reboot of solo: Scheduled").focus()
    portal.page.keyboard.press("Enter")
    portal.page.wait_for_url("**/portal/events/*")


def test_a_campaign_is_started_watched_paused_and_cancelled(forewarn: Up, portal: Portal) -> None:
    page = portal.page
    portal.open("/campaigns/new")
    page.get_by_role("checkbox", name="db").check()
    page.get_by_label("Recovery pause").fill("10m")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".review")).to_contain_text("db, update domain 0: one machine gets Reboot.")
    page.get_by_role("button", name="Start the Reboot campaign").click()
    steps = page.get_by_role("list", name="Update domains of db").get_by_role("listitem")
    did(forewarn, "clock", "advance", "0s")
    expect(steps.first).to_contain_text("notice")
    did(forewarn, "clock", "advance", "16m")
    expect(steps.first).to_contain_text("done")
    expect(page.locator(".rolling")).to_contain_text("update domain 1 follows in")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("link", name="Show on the timeline").click()
    expect(page.get_by_role("list", name="Update domains of db")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Cancel…").click()
    page.get_by_role("button", name="Cancel the campaign").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("cancelled")


def test_it_is_all_there_on_a_telephone(browser: Browser, forewarn: Up) -> None:
    did(forewarn, "campaign", "start", "Reboot", "db")
    did(forewarn, "clock", "advance", "1m")
    with opened(browser, forewarn, size=NARROW, language="fr-FR") as portal:
        for place in ("/timeline", "/campaigns", "/campaigns/new"):
            portal.open(place)
            assert portal.fits(), place


def test_without_scripts_it_can_be_read(browser: Browser, forewarn: Up) -> None:
    did(forewarn, "schedule", "Reboot", "solo")
    with opened(browser, forewarn, scripts=False) as portal:
        portal.open("/timeline")
        expect(bar(portal, "Reboot of solo: Scheduled")).to_be_visible()
