"""A page that stays open hears of everything, also after its server was away."""

from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.e2e.running import up
from tests.portal.browser.chromium import needs_chromium
from tests.portal.browser.portal import opened

pytestmark = needs_chromium


def test_the_page_says_that_it_lost_its_server_and_catches_up_with_the_next(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ExitStack() as first:
        forewarn = first.enter_context(up(data, "--clock", "manual"))
        with opened(browser, forewarn) as portal:
            portal.watch.mean("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET")
            lost = portal.page.get_by_role("alert").filter(has_text="The connection is lost.")
            expect(lost).to_be_hidden()
            first.close()
            expect(lost).to_be_visible()
            with up(data, "--clock", "manual", "--control", f"127.0.0.1:{forewarn.control_port}") as again:
                assert again.cli("schedule", "Reboot", "db-1").returncode == 0
                expect(portal.row("db-1")).to_contain_text("Reboot · Scheduled")
                expect(lost).to_be_hidden()
                assert again.cli("schedule", "Freeze", "db-2").returncode == 0
                expect(portal.row("db-2")).to_contain_text("Freeze · Scheduled")


def test_whoever_stands_on_something_still_does_after_a_change(browser: Browser, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.toml"
    fleet.write_text("[availability_set.many]\nmachines = 120\n")
    with up(tmp_path / "data", "--fleet", str(fleet)) as forewarn, opened(browser, forewarn) as portal:
        portal.page.get_by_role("link", name="Next").focus()
        assert forewarn.cli("schedule", "Reboot", "many-0").returncode == 0
        expect(portal.row("many-0")).to_contain_text("Reboot · Scheduled")
        expect(portal.page.get_by_role("link", name="Next")).to_be_focused()


def test_the_gallery_is_not_there_unless_in_development(browser: Browser, tmp_path: Path) -> None:
    with up(tmp_path / "data") as forewarn, opened(browser, forewarn) as portal:
        assert portal.page.request.get(f"{portal.home}/portal/_gallery").status == 404
