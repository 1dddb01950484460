"""Every configuration of every how-to can be loaded, and leaves nothing to be warned of."""

import pytest

from forewarn.agent.checking import warnings
from forewarn.agent.reading import parse_config
from tests.agent.howto.pages import PAGES, blocks

OTHERS = {"run-scenarios", "record-and-replay"}
"""Their TOML is no configuration of an agent, and has tests of its own."""
CASES = {
    f"{page.stem}-{number}": text
    for page in sorted(PAGES.glob("*.md"))
    if page.stem not in OTHERS
    for number, text in enumerate(blocks(page.stem, "toml"), 1)
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_a_configuration_can_be_loaded(text: str) -> None:
    config = parse_config(text)
    assert config.rules
    assert warnings(config) == []


def test_every_case_has_its_page() -> None:
    """As Azure's own pages name them."""
    pages = {name.rpartition("-")[0] for name in CASES}
    assert pages >= {"finish-in-flight-work", "fail-over", "leave-a-load-balancer-pool"}
    assert pages >= {"tell-an-administrator", "log-what-happens"}
