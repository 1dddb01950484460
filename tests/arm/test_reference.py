"""The reference page of the ARM face names everything there is to ask for."""

from pathlib import Path

import pytest

from forewarn.arm.app import rows
from forewarn.wire.templates.functions import FUNCTIONS

DOCS = Path(__file__).parents[2] / "docs" / "reference"
WORDS = sorted({part for row in rows() for part in row.path.split("/") if part and not part.startswith("{")})


@pytest.fixture(scope="module")
def text() -> str:
    return "".join((DOCS / name).read_text(encoding="utf-8") for name in ("arm.md", "publication.md"))


@pytest.mark.parametrize("word", WORDS)
def test_every_segment_of_a_path_is_documented(word: str, text: str) -> None:
    assert word in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_template_function_is_documented(name: str, text: str) -> None:
    assert f"`{name}`" in text
