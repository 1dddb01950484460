"""axe-core, asked about a page."""

import os
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.portal.browser.installing import axe

GRAVE = ("serious", "critical")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}

needs_axe = pytest.mark.skipif(
    axe() is None and not os.environ.get("CI"),
    reason="axe-core is not installed: python -m tests.portal.browser.installing",
)


def violations(page: Page) -> list[str]:
    """The grave ones, each with its rule and its element.

    The script goes in beside the page's own rules for scripts, which would refuse it as they should.
    """
    source = axe()
    assert source is not None, "python -m tests.portal.browser.installing"
    page.evaluate(source.read_text())
    told: dict[str, Any] = page.evaluate("rules => axe.run(document, rules)", RULES)
    return [
        f"{found['impact']}: {found['id']}: {node['html']} ({node['failureSummary']})"
        for found in told["violations"]
        if found["impact"] in GRAVE
        for node in found["nodes"]
    ]
