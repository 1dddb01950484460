"""Each built-in's page loads as it stands, and lists every option in the words of the code."""

import ast
import inspect
import re
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from forewarn.agent.reading import parse_config
from forewarn.agent.steps import shape

PAGES = Path(__file__).parents[3] / "docs" / "reference" / "agent-steps"
USES = ("command", "haproxy", "http", "log", "systemd", "wait")


@pytest.mark.parametrize("use", USES)
def test_every_example_can_be_loaded(use: str) -> None:
    examples = re.findall(r"```toml\n(.*?)```", (PAGES / f"{use}.md").read_text(), re.DOTALL)
    assert examples
    for example in examples:
        config = parse_config(example)
        assert {step.use for step in config.steps.values()} == {use}
        assert config.rules


@pytest.mark.parametrize("use", USES)
def test_every_option_is_on_the_page_in_the_words_of_the_code(use: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", (PAGES / f"{use}.md").read_text(), re.MULTILINE)
    in_words = words(shape(use))
    assert [(name, meaning) for name, meaning in rows if name.islower()] == list(in_words.items())


def words(step: type) -> dict[str, str]:
    """The docstring under each field."""
    (body,) = (node.body for node in ast.parse(inspect.getsource(step)).body if isinstance(node, ast.ClassDef))
    found = {}
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = " ".join(str(text.value.value).split())
    assert list(found) == [field.name for field in fields(step)]
    return found
