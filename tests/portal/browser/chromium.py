"""Debian's Chromium, driven by Playwright, and watched: a page of ours makes no error and asks nobody but us."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.portal.browser.installing import CHROMIUM

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)
WIDE, NARROW = (1280, 800), (390, 844)
PATIENCE = 10_000
"""Milliseconds that anything may take. What is there goes on at once."""

needs_chromium = pytest.mark.skipif(
    not CHROMIUM.exists() and not os.environ.get("CI"), reason=f"{CHROMIUM} is not installed"
)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What went wrong in the pages of a context. Whoever means to provoke something says so beforehand."""

    def __init__(self, context: BrowserContext, home: str) -> None:
        self._home = urlsplit(home).netloc
        self._seen: list[str] = []
        self._meant: list[re.Pattern[str]] = []
        context.on("console", lambda said: self._note(f"console: {said.text}") if said.type == "error" else None)
        context.on("weberror", lambda error: self._note(f"error: {error.error}"))
        context.on("request", lambda request: self._asked(request.url))

    def mean(self, pattern: str) -> None:
        self._meant.append(re.compile(pattern))

    @property
    def complaints(self) -> list[str]:
        return [line for line in self._seen if not any(meant.search(line) for meant in self._meant)]

    def _note(self, line: str) -> None:
        self._seen.append(line)

    def _asked(self, url: str) -> None:
        place = urlsplit(url)
        if place.scheme not in ("data", "blob") and place.netloc != self._home:
            self._note(f"asked elsewhere: {url}")


@contextmanager
def visitor(
    browser: Browser,
    link: str,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    language: str = "en-GB",
    scripts: bool = True,
) -> Iterator[tuple[Page, Watch]]:
    """Somebody with a browser of their own, who follows the link."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale=language,
        timezone_id="Europe/Paris",
        java_script_enabled=scripts,
    )
    context.set_default_timeout(PATIENCE)
    watch = Watch(context, link)
    page = context.new_page()
    try:
        page.goto(link)
        yield page, watch
    finally:
        context.close()
    assert watch.complaints == []
