"""Events, machines and maintenance in a browser: told before it is done, and watched until it is over."""

import re

from playwright.sync_api import Browser, expect

from tests.e2e.running import Up
from tests.portal.browser.axe import Look, needs_axe, shortcomings
from tests.portal.browser.chromium import NARROW, needs_chromium
from tests.portal.browser.machines import approve, metadata_url, poll
from tests.portal.browser.portal import Portal, opened

pytestmark = needs_chromium


def delete(portal: Portal, machine: str) -> None:
    """From the fleet page to the event that announces it."""
    portal.open()
    portal.page.get_by_role("link", name=machine, exact=True).click()
    portal.page.get_by_role("link", name="Delete…").click()
    portal.page.get_by_role("button", name="Delete").click()
    expect(portal.page.get_by_role("heading", level=1)).to_have_text(f"Terminate of {machine}")
    portal.is_live()


def test_a_delete_is_told_announced_approved_by_its_machine_and_done(forewarn: Up, portal: Portal) -> None:
    url = metadata_url(forewarn, "web_1")
    poll(url)
    portal.page.get_by_role("link", name="web_1", exact=True).click()
    portal.page.get_by_role("link", name="Delete…").click()
    expect(portal.page.locator(".message")).to_contain_text("web_1 will get Terminate, NotBefore")
    assert poll(url) == [], "it is only told"
    portal.page.get_by_role("button", name="Delete").click()
    portal.is_live()
    state = portal.page.locator(".waits")
    expect(state).to_contain_text("Waits for approval by any machine of web:0")
    expect(state.locator("time.countdown")).to_have_text("10:00")
    (event,) = poll(url)
    approve(url, event["EventId"])
    expect(state).to_contain_text("Started; under way for web_1")
    assert forewarn.cli("clock", "advance", "1m").returncode == 0
    expect(state).to_contain_text("Over: it waits for nothing.")
    portal.page.get_by_role("link", name="web_1").first.click()
    portal.watch.mean("404")
    expect(portal.page.locator("main")).to_contain_text("web_1 is gone.")


def test_two_deletes_of_a_set_wait_for_each_other(forewarn: Up, portal: Portal) -> None:
    poll(metadata_url(forewarn, "web_1"))
    delete(portal, "web_1")
    delete(portal, "web_2")
    portal.page.get_by_role("button", name="Approve").click()
    state = portal.page.locator(".waits")
    expect(state).to_contain_text("Approved; waits for Terminate of web_1")
    expect(portal.page.get_by_role("button", name="Approve")).to_have_count(0)
    state.get_by_role("link", name="Terminate of web_1").click()
    portal.page.get_by_role("link", name="Cancel…").click()
    expect(portal.page.locator(".message")).to_contain_text("Terminate of web_2")
    portal.page.get_by_label("Why").fill("not today")
    portal.page.get_by_role("button", name="Cancel the event").click()
    expect(portal.page.get_by_role("row").filter(has_text="not today")).to_contain_text("cancelled")


def test_the_documents_are_tabs_that_stay_where_they_are_when_something_changes(forewarn: Up, portal: Portal) -> None:
    poll(metadata_url(forewarn, "web_1"))
    delete(portal, "web_1")
    page = portal.page
    tab = page.get_by_role("tab", name="2020-07-01")
    expect(tab).to_have_attribute("aria-selected", "true")
    tab.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="2017-03-01")).to_be_focused()
    expect(page.get_by_role("tabpanel")).to_contain_text("has no Terminate")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    panel = page.get_by_role("tabpanel", name="2019-08-01")
    expect(panel).to_contain_text('"web_1"')
    assert forewarn.cli("delete", "web_2").returncode == 0
    expect(panel).to_contain_text('"web_2"')
    expect(page.get_by_role("tabpanel")).to_have_count(1)
    expect(page.get_by_role("tab", name="2019-08-01")).to_be_focused()


def test_without_scripts_everything_can_be_read_and_done(browser: Browser, forewarn: Up) -> None:
    poll(metadata_url(forewarn, "web_1"))
    with opened(browser, forewarn, scripts=False) as portal:
        delete(portal, "web_1")
        portal.page.get_by_role("link", name="2017-08-01").click()
        expect(portal.page.locator("#document-2017-08-01 pre")).to_be_visible()
        expect(portal.page.locator(".document pre")).to_have_count(7)
        portal.page.get_by_role("button", name="Approve").click()
        expect(portal.page.locator(".waits")).to_contain_text("Started; under way for web_1")


def test_machines_chosen_on_the_fleet_page_stay_chosen_and_get_maintenance(forewarn: Up, portal: Portal) -> None:
    for name in ("db-0", "db-1"):
        portal.page.get_by_label(f"Choose {name}").check()
    assert forewarn.cli("schedule", "Freeze", "db-2").returncode == 0
    expect(portal.row("db-2")).to_contain_text("Freeze · Scheduled")
    expect(portal.page.get_by_role("checkbox", checked=True)).to_have_count(2)
    portal.page.get_by_role("button", name="Maintenance of the chosen").click()
    portal.page.get_by_label("Type").select_option("Reboot")
    portal.page.get_by_role("textbox", name="Notice").fill("1m")
    portal.page.get_by_role("button", name="Show what would happen").click()
    expect(portal.page.get_by_role("textbox", name="Notice")).to_have_accessible_description(
        re.compile("Reboot gives at least 15m of notice")
    )
    portal.page.get_by_role("textbox", name="Notice").fill("30m")
    portal.page.get_by_role("button", name="Show what would happen").click()
    expect(portal.page.get_by_role("listitem").filter(has_text="Reboot, NotBefore")).to_have_count(2)
    portal.page.get_by_role("button", name="Schedule it").click()
    expect(portal.count).to_have_text("3 events")
    expect(portal.page.get_by_role("link", name="Reboot of db-1")).to_be_visible()


@needs_axe
def test_what_is_about_to_be_done_keeps_nobody_out(forewarn: Up, portal: Portal) -> None:
    looks = (Look(size=NARROW, dark=True), Look())
    poll(metadata_url(forewarn, "web_1"))
    machine, chosen = "scope=web%3A0&name=web_1", "machine=web%3A0%2Fweb_1"
    for place in (
        f"/machines?{machine}",
        f"/machines/delete?{machine}",
        f"/maintenance?{chosen}",
        f"/maintenance?{chosen}&type=Reboot",
        f"/maintenance?{chosen}&type=Reboot&notice=1m",
    ):
        portal.open(place)
        assert (place, shortcomings(portal, *looks)) == (place, [])
    delete(portal, "web_1")
    assert shortcomings(portal, *looks) == []
    portal.page.get_by_role("link", name="Cancel…").click()
    assert shortcomings(portal, *looks) == []
