"""One Chromium for all tests of this package, and a Forewarn of its own for each that asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.running import Up, up
from tests.portal.browser.chromium import chromium
from tests.portal.browser.portal import Portal, opened


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Not for the whole session: while it is there, nobody else in the process can run an event loop."""
    with chromium() as found:
        yield found


@pytest.fixture
def forewarn(tmp_path: Path) -> Iterator[Up]:
    with up(tmp_path / "data", "--clock", "manual", "--development") as running:
        yield running


@pytest.fixture
def portal(browser: Browser, forewarn: Up) -> Iterator[Portal]:
    with opened(browser, forewarn) as there:
        yield there
