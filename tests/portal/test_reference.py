"""Every page of the portal is in its reference."""

from pathlib import Path

from forewarn.portal.app import NOUNS
from forewarn.portal.places import ROOT

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "portal.md"
PARTS = {"fleet", "stream", "clock"}
"""What pages fetch for themselves."""


def test_every_page_is_in_the_reference() -> None:
    text = PAGE.read_text(encoding="utf-8")
    places = {row.path.split("/")[1] for noun in NOUNS for row in noun.ROWS if row.see} - PARTS
    assert {place for place in places if f"`{ROOT}/{place}`" not in text} == set()
