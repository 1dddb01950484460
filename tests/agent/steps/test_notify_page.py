"""The reference page of the step: its examples load, and it has every option in the words of the code."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from forewarn.agent.reading import parse_config
from forewarn.agent.steps import notify
from forewarn.agent.steps.notify import Notify, To

PAGE = (Path(__file__).parents[3] / "docs/reference/agent-steps/notify.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=[to.value for to in To][: len(EXAMPLES)])
def test_an_example_loads(example: str) -> None:
    config = parse_config(example)
    assert [spec.use for spec in config.tellers(config.rules[0])] == ["notify"]


def test_each_form_has_an_example() -> None:
    told = {spec.options["to"] for example in EXAMPLES for spec in parse_config(example).steps.values()}
    assert told == {to.value for to in To}


def test_each_option_is_on_the_page_in_the_words_of_the_code() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.+) \|$", PAGE, re.MULTILINE))
    for option in fields(Notify):
        assert rows[option.name] == said()[option.name]


def said() -> dict[str, str]:
    """What stands under each field."""
    tree = ast.parse(Path(notify.__file__).read_text(encoding="utf-8"))
    shape = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Notify")
    found = {}
    for place, text in zip(shape.body, shape.body[1:], strict=False):
        match place, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = words
            case _:
                pass
    return found
