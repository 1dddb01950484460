"""axe-core, asked about a page."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.portal.browser.chromium import WIDE
from tests.portal.browser.installing import axe
from tests.portal.browser.portal import Portal

GRAVE = ("serious", "critical")
ALL = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
CONTRAST = ("color-contrast",)
LAYOUT = (*CONTRAST, "target-size", "scrollable-region-focusable", "link-in-text-block", "meta-viewport")
"""What another width can change."""
ASK = "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']}).then(told => told.violations)"
"""All else that it finds is ten times as much, and would have to come out of the browser, too."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is looked at, and what for."""

    size: tuple[int, int] = WIDE
    dark: bool = False
    rules: Sequence[str] = ALL


needs_axe = pytest.mark.skipif(
    axe() is None and not os.environ.get("CI"),
    reason="axe-core is not installed: python -m tests.portal.browser.installing",
)


def violations(page: Page, rules: Sequence[str] = ALL) -> list[str]:
    """The grave ones, each with its rule and its element.

    The script goes in beside the page's own rules for scripts, which would refuse it as they should.
    """
    if not page.evaluate("'axe' in window"):
        source = axe()
        assert source is not None, "python -m tests.portal.browser.installing"
        page.evaluate(source.read_text())
    told: list[dict[str, Any]] = page.evaluate(ASK, rules)
    return [
        f"{found['impact']}: {found['id']}: {node['html']} ({node['failureSummary']})"
        for found in told
        if found["impact"] in GRAVE
        for node in found["nodes"]
    ]


def shortcomings(portal: Portal, *looks: Look) -> list[str]:
    """Of the page that is open, which need not be loaded for each look."""
    return [f"{look}: {found}" for look in looks for found in _seen(portal, look)]


def _seen(portal: Portal, look: Look) -> Iterator[str]:
    portal.look(look.size, dark=look.dark)
    yield from violations(portal.page, look.rules)
    if not portal.fits():
        yield "the page is wider than the screen"
