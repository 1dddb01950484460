"""The kit's pages: what they show happens, and nothing is left out."""

import inspect
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from forewarn import testing
from forewarn.testing import CannotReach, Forewarn, started
from tests.e2e.pages import ROOT, is_as_shown, steps
from tests.testing.clients import ONLY_OURS, poller

pytest_plugins = "pytester"

TUTORIAL, REFERENCE = "docs/tutorial/test-your-handler.md", "docs/reference/testing.md"
REACH, LANGUAGES = "docs/how-to/reach-hard-coded-clients.md", "docs/how-to/test-from-any-language.md"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


# The tutorial


def test_the_tutorial_is_what_happens(tmp_path: Path) -> None:
    """Files are written where the page comes to them; then what is typed below them is."""
    parts = re.split(r"^```python\n", (ROOT / TUTORIAL).read_text(), flags=re.MULTILINE)
    played = 0
    for part in parts[1:]:
        text, _, below = part.partition("\n```\n")
        named = re.match(r"# (\S+\.py)(, at the end)?\n", text)
        assert named is not None, text
        with (tmp_path / named[1]).open("a" if named[2] else "w") as file:
            file.write(f"\n\n{text}\n" if named[2] else f"{text}\n")
        (tmp_path / "page.md").write_text(below)
        for step in steps(str(tmp_path / "page.md")):
            real = typed(step.command, tmp_path)
            assert is_as_shown(real, step.shown), f"$ {step.command}\n{real}\n--- and not ---\n{step.shown}"
            played += 1
    assert played == 7


def typed(command: str, where: Path) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **ONLY_OURS, "PATH": path, "COLUMNS": "80", "CI": ""}
    done = subprocess.run(
        ["bash", "-c", command], cwd=where, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout + done.stderr


# The how-tos


def test_the_ways_to_reach_a_client_are_ways(pytester: pytest.Pytester) -> None:
    with started() as forewarn:
        try:
            _ = forewarn.network
        except CannotReach as error:
            if os.environ.get("CI"):
                pytest.fail(str(error))
            pytest.skip(str(error))
    pytester.makepyfile("\n".join(blocks(REACH, "python")))
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("language", "file"),
    [
        pytest.param("go", "go/handler_test.go", id="go"),
        pytest.param("js", "node/handler.test.mjs", id="node"),
        pytest.param("csharp", "dotnet/HandlerTest.cs", id="dotnet"),
        pytest.param("sh", "shell/test.sh", id="shell"),
    ],
)
def test_what_is_shown_of_a_recipe_is_in_it(language: str, file: str) -> None:
    """And the recipe is run, see tests/examples."""
    shown = blocks(LANGUAGES, language)
    assert shown
    assert all(block in (ROOT / "examples" / "recipes" / file).read_text() for block in shown)


# The reference


@pytest.mark.parametrize("page", ["README.md", REFERENCE])
def test_the_example_with_a_worker_passes(forewarn: Forewarn, page: str) -> None:
    names: dict[str, Any] = {}
    exec(blocks(page, "python")[0], names)
    with ExitStack() as running:
        names["test_worker_drains"](forewarn, lambda metadata: running.enter_context(poller(metadata, "approve")))


def test_the_one_for_unittest_too(tmp_path: Path) -> None:
    (tmp_path / "test_handler.py").write_text(blocks(REFERENCE, "python")[1])
    done = subprocess.run([sys.executable, "-m", "unittest"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith("OK"), done.stderr


def public() -> list[str]:
    """Every name of the package, and every name that its classes have."""
    names = [*testing.__all__]
    for cls in (getattr(testing, name) for name in testing.__all__):
        if inspect.isclass(cls) and not issubclass(cls, Exception):
            own = [name for name in vars(cls) if not name.startswith("_")]
            own += [field.name for field in fields(cls)] if is_dataclass(cls) else []
            names += [f"{cls.__name__}.{name}" for name in own if not name.startswith("_")]
    return names


def test_every_public_name_is_in_the_reference() -> None:
    text = (ROOT / REFERENCE).read_text()
    missing = [name for name in public() if not is_told(text, *name.split("."))]
    assert missing == []


def is_told(text: str, name: str, own: str = "") -> bool:
    """What a class has is told in its own section, or together with its name."""
    section = text.partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]
    if not own:
        return re.search(rf"`{name}\b", text) is not None
    return re.search(rf"`{own}\b", section) is not None or f"`{name}.{own}(" in text


def test_the_surface_is_this_and_nothing_else() -> None:
    assert testing.__all__ == [
        "CannotReach",
        "Event",
        "Forewarn",
        "Group",
        "Late",
        "Machine",
        "Place",
        "RanAtOnce",
        "check_store",
        "started",
    ]
    assert all(hasattr(testing, name) for name in testing.__all__)
