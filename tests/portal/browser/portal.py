"""The portal as its users speak of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.running import Up
from tests.portal.browser.chromium import PATIENCE, Watch, visitor

expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True, kw_only=True)
class Portal:
    page: Page
    watch: Watch
    home: str
    scripts: bool = True

    def open(self, place: str = "/") -> None:
        """A place below /portal, once the page hears of changes."""
        self.page.goto(f"{self.home}/portal{place}")
        self.is_live()

    def is_live(self) -> None:
        """If there is anything in it that changes."""
        if self.scripts and self.page.locator("[data-live]").count():
            expect(self.page.locator("body")).to_have_attribute("data-connection", "open")

    def go(self, name: str) -> None:
        """By the navigation."""
        self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()
        self.is_live()

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def move_clock(self, button: str) -> None:
        """One move at a time, as the bar has it."""
        self.press(button)
        expect(self.page.locator(".clock")).not_to_have_attribute("aria-busy", "true")

    def row(self, machine: str) -> Locator:
        return self.page.get_by_role("row").filter(has=self.page.get_by_role("rowheader", name=machine, exact=True))

    @property
    def count(self) -> Locator:
        """How many were found."""
        return self.page.locator(".count")

    def look(self, size: tuple[int, int], *, dark: bool) -> None:
        """At the page that is open, on another screen."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")

    def fits(self) -> bool:
        """Nothing sticks out to the right, so that nobody has to push the page about."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@contextmanager
def opened(browser: Browser, forewarn: Up, *, link: str = "", **how: Any) -> Iterator[Portal]:
    """By the link that `forewarn up` printed, which is worth one visit, or by another."""
    with visitor(browser, link or forewarn.portal, **how) as (page, watch):
        there = Portal(page=page, watch=watch, home=forewarn.control, scripts=how.get("scripts", True))
        there.is_live()
        yield there
