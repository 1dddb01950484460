"""Whole stories, from the first page to the last, as the people in them would tell them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from forewarn.portal.texts import texts_of
from tests.agent.e2e.fleet import Machine
from tests.e2e.running import Up
from tests.portal.browser.chromium import NARROW, needs_chromium
from tests.portal.browser.logins import link_for
from tests.portal.browser.machines import metadata_url, poll
from tests.portal.browser.portal import Portal, opened
from tests.waiting import until

pytestmark = needs_chromium


def test_an_instance_of_a_new_scale_set_is_told_before_it_goes(forewarn: Up, portal: Portal, agent: Machine) -> None:
    page = portal.page
    portal.go("Scale sets")
    page.get_by_role("link", name="+ Add").click()
    page.get_by_label("Scale set name").fill("api")
    steps = page.get_by_role("navigation", name="Steps")
    steps.get_by_role("button", name="Scaling").click()
    page.get_by_label("Instance count").fill("2")
    steps.get_by_role("button", name="Management").click()
    page.get_by_role("group", name="Instance termination notification").get_by_label("On").check()
    page.get_by_label("Termination delay (minutes)").fill("10")
    steps.get_by_role("button", name="Review + create").click()
    expect(page.get_by_text("Validation passed")).to_be_visible()
    portal.press("Create")
    expect(page.get_by_text("The scale set was created.")).to_be_visible()

    name = page.locator("tbody th").first.inner_text()
    expect(portal.row(name)).to_contain_text("not enrolled")
    agent.configure(metadata_url(forewarn, name), steps=("drain",), rules='[[rules]]\nsteps = ["drain"]\n')
    agent.hold("drain")
    agent.start()
    expect(portal.row(name)).not_to_contain_text("not enrolled")  # it polls
    portal.row(name).get_by_role("checkbox").check()
    portal.press("Delete chosen instances…")
    expect(page.get_by_role("main")).to_contain_text("gets Terminate")
    portal.press("Delete 1 instance")

    left = portal.row(name).locator("time.countdown")
    expect(left).to_have_text("10:00")
    portal.move_clock("+1 min")
    expect(left).to_have_text("9:00")
    portal.move_clock("1×")
    expect(left).to_have_text(re.compile("^8:5"))
    portal.move_clock("Stop")

    portal.row(name).get_by_role("link", name="Terminate").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Terminate of {name}")
    expect(page.get_by_role("main")).to_contain_text("Waits for approval by any machine of")
    until(lambda: agent.has_begun("drain") or None, "the agent drains its machine")
    expect(portal.row(name)).to_contain_text("nothing yet")
    agent.let_go("drain")  # and it approves
    expect(portal.row(name)).to_contain_text("approved")
    expect(page.locator(".badge.Started")).to_be_visible()
    portal.move_clock("+1 min")
    expect(page.locator(".badge.Completed")).to_be_visible()
    assert agent.did() == ["prepare drain Terminate"]
    portal.open("/?search=api")
    expect(portal.count).to_have_text(re.compile("^1 of "))
    expect(portal.row(name)).to_have_count(0)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Machine]:
    """The software inside a machine: a process of its own."""
    inside = Machine(name="agent", folder=tmp_path / "agent")
    yield inside
    inside.stop()


def test_an_approval_in_the_portal_is_as_good_as_the_machine_s(forewarn: Up, portal: Portal) -> None:
    poll(forewarn.machines["web_0"])
    assert forewarn.cli("delete", "web_2").returncode == 0
    portal.row("web_2").get_by_role("link", name="Terminate").click()
    portal.press("Approve")
    expect(portal.page.locator(".badge.Started")).to_be_visible()
    expect(portal.page.get_by_role("main")).to_contain_text("local")


def test_what_is_chosen_stays_chosen_while_the_page_changes(forewarn: Up, portal: Portal) -> None:
    portal.row("db-0").get_by_role("checkbox").check()
    assert forewarn.cli("schedule", "Freeze", "db-1").returncode == 0
    expect(portal.row("db-1")).to_contain_text("Freeze")
    expect(portal.row("db-0").get_by_role("checkbox")).to_be_checked()


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({}, id="wide and light"),
        pytest.param({"size": NARROW, "dark": True}, id="telephone, dark"),
        pytest.param({"language": "fr-FR"}, id="French"),
        pytest.param({"scripts": False}, id="without scripts"),
    ],
)
def test_a_machine_is_restarted(browser: Browser, forewarn: Up, how: dict[str, Any]) -> None:
    t = texts_of(how.get("language", "en")[:2])
    poll(forewarn.machines["db-0"])
    with opened(browser, forewarn, **how) as portal:
        page = portal.page
        portal.row("db-1").get_by_role("link", name="db-1").click()
        page.get_by_role("link", name=t("machine.deed.restart")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(t("machine.confirm.restart", machine="db-1"))
        expect(page.get_by_role("main")).to_contain_text("Reboot, NotBefore" if t.language == "en" else "Reboot")
        portal.press(t("machine.deed.restart"))
        portal.open("/events")
        page.get_by_role("link", name=t("event.one", type="Reboot", machines="db-1")).click()
        portal.press(t("event.approve"))
        expect(page.locator(".badge.Started").first).to_have_text(t("phase.Started"))
        portal.move_clock(t("clock.one_minute"))
        expect(page.locator(".badge.Completed").first).to_have_text(t("phase.Completed"))
        assert portal.fits()


def test_a_campaign_goes_from_one_update_domain_to_the_next(portal: Portal) -> None:
    page = portal.page
    portal.go("Campaigns")
    page.get_by_role("link", name="Start a campaign").first.click()
    page.get_by_role("radio", name="Reboot").check()
    page.get_by_label("Only here:").check()
    page.get_by_role("checkbox", name="db").check()
    portal.press("Preview")
    expect(page.get_by_role("main")).to_contain_text("One scope with 3 machines; 3 update domains each.")
    portal.press("Start the Reboot campaign")
    steps = page.get_by_role("list", name="Update domains of db").get_by_role("listitem")
    expect(steps.nth(0)).to_contain_text("notice")
    for done in range(3):
        portal.move_clock("+15 min")
        portal.move_clock("+1 min")
        expect(steps.nth(done)).to_contain_text("done")
        portal.move_clock("+15 min")
        portal.move_clock("+15 min")
    expect(page.get_by_role("heading", level=1)).to_contain_text("completed")


def test_a_reader_looks_and_cannot_act(browser: Browser, forewarn: Up, portal: Portal) -> None:
    poll(forewarn.machines["db-0"])
    assert forewarn.cli("schedule", "Reboot", "db-1").returncode == 0
    link = link_for(forewarn, "looker", "Reader")
    with opened(browser, forewarn, link=link) as reader:
        reader.row("db-1").get_by_role("link", name="Reboot").click()
        expect(reader.page.get_by_role("heading", level=1)).to_have_text("Reboot of db-1")
        for place in ("/", "/machines?scope=db&name=db-1", "/scale-sets/sample/web", "/campaigns", _place(reader)):
            reader.open(place)
            assert reader.page.locator("form[method=post]").count() == 0, place
        reader.watch.mean("403")
        answer = reader.page.request.post(f"{reader.page.url}/approve", form={"csrf": "guessed"})
        assert answer.status == 403
        expect(reader.page.locator(".badge.Scheduled").first).to_be_visible()


def _place(portal: Portal) -> str:
    return portal.page.url.partition("/portal")[2]
