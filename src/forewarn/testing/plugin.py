"""The pytest plugin: a fixture `forewarn` that is a Forewarn of the test's own, and its story where the test fails."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from forewarn.testing.kit import Forewarn

KIT = pytest.StashKey["Forewarn"]()
PATIENCE = 10.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "forewarn_patience",
        f"seconds of real time that `forewarn.until` gives clients at most (default: {PATIENCE:g})",
        default=str(PATIENCE),
    )


@pytest.fixture
def forewarn(request: pytest.FixtureRequest) -> "Iterator[Forewarn]":
    """A whole Forewarn in this process, without machines, on ports of its own; its clock stands still."""
    from forewarn.testing.kit import Forewarn  # takes a while, and most tests do not want one

    with Forewarn.start(patience=float(request.config.getini("forewarn_patience"))) as kit:
        request.node.stash[KIT] = kit
        yield kit


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    kit = item.stash.get(KIT, None)
    if kit is not None and report.when == "call" and report.failed:
        report.sections.append(("Forewarn: what happened", kit.story()))
    return report
