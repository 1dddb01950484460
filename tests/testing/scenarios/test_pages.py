"""The pages about scenarios: every key is documented, and what they show is what happens."""

import contextlib
import io
import re
import shlex
import socket
import subprocess
import time
from pathlib import Path

import pytest

from forewarn.cli import main
from forewarn.testing.scenarios import ScenarioError, parse, play
from forewarn.testing.scenarios.model import CHECKS, KEYS, Do, Subject, When
from forewarn.testing.scenarios.parts import FAULT_KEYS
from tests.cli.shell import start as begin
from tests.e2e.pages import PATIENCE, ROOT, is_as_shown, steps

REFERENCE = (ROOT / "docs/reference/scenarios.md").read_text()
RUN, RECORD = "docs/how-to/run-scenarios.md", "docs/how-to/record-and-replay.md"
STRANGE = "zzzzzzzzzz = 1\n"
TABLES = {
    "the-whole-file": STRANGE,
    **{f"step-{do.value}": f'[[at]]\ndo = "{do.value}"\n' + "{}" + STRANGE for do in Do},
    "client": f'[[client]]\nmachine = "x"\n{STRANGE}',
    "fault": f'[[fault]]\nkind = "hang"\nmachine = "x"\n{STRANGE}',
    **{f"expect-{subject.value}": f'[[expect]]\n{subject.value} = "x"\n{STRANGE}' for subject in Subject},
}
VALUES = {"type": '"Reboot"', "machines": '["x"]', "scopes": '["x"]', "settings": "{}"}


def is_documented(key: str) -> bool:
    return re.search(rf"`(\[\[)?{key}(\]\])?( = [^`]*)?`", REFERENCE) is not None


def filled(name: str, text: str) -> str:
    """A step with all that it needs."""
    if not name.startswith("step-"):
        return text
    needed, _ = KEYS[Do(name.removeprefix("step-"))]
    return text.format("".join(f"{key} = {VALUES.get(key, repr('x'))}\n" for key in needed))


@pytest.mark.parametrize("name", TABLES)
def test_every_key_is_in_the_reference(name: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse(filled(name, TABLES[name]), "mine.toml")
    known = str(refused.value).partition("known here: ")[2].split(", ")
    assert len(known) > 1, refused.value
    for key in known:
        assert is_documented(key), key


def test_every_step_and_every_check_is_in_the_reference() -> None:
    words = [do.value for do in Do] + [subject.value for subject in Subject] + list(FAULT_KEYS)
    words += [key for checks in CHECKS.values() for key in checks]
    words += [when.value for when in When if when is not When.END]
    assert [word for word in words if not is_documented(word)] == []


def test_what_a_step_needs_and_may_have_is_as_the_reference_says() -> None:
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\| `.*$", REFERENCE, re.MULTILINE)]
    told = {
        name: (set(re.findall(r"`(\w+)`", row[2])), set(re.findall(r"`(\w+)`", row[3])))
        for row in rows
        if len(row) == 4
        for name in re.findall(r"`([a-z-]+)`", row[0])
    }
    del told["do"]
    assert told == {do.value: (set(needs), set(may)) for do, (needs, may) in KEYS.items()}


@pytest.mark.parametrize("page", ["docs/reference/scenarios.md", RUN])
def test_the_scenarios_of_the_pages_hold(page: str) -> None:
    examples = re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert examples
    for example in examples:
        report = play(parse(example, "mine.toml"))
        assert report.held, [report.trouble, *map(str, report.failures)]


def test_the_test_of_the_page_passes() -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / RUN).read_text(), re.DOTALL)[-1]
    exec(code, {})


def test_the_commands_about_recordings_show_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for step in steps(RECORD):
        assert is_as_shown(typed(step.command), step.shown), step.command


def test_the_commands_about_scenarios_show_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, port = (ROOT / RUN).read_text(), free_port()
    for name, kind in (("mine.toml", "toml"), ("worker.py", "python")):
        (tmp_path / name).write_text(text.partition(f"`{name}`:\n")[2].partition(f"```{kind}\n")[2].partition("```")[0])
    *alone, start, against = steps(RUN)
    for step in alone:
        assert is_as_shown(typed(step.command), step.shown), step.command
    command = start.command.partition("#")[0].replace("9355", port).removeprefix("forewarn ")
    process = begin(*shlex.split(command))
    try:
        deadline = time.monotonic() + PATIENCE
        while not is_as_shown(shown := typed(against.command.replace("9355", port)), against.shown):
            assert time.monotonic() < deadline, shown
            time.sleep(0.05)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def typed(command: str) -> str:
    """What it prints. Forewarn's own commands are run in this process, which is faster."""
    words, _, target = command.partition(" > ")
    if not words.startswith("forewarn "):
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(shlex.split(words)[1:])
    if target:
        Path(target).write_text(out.getvalue())
    return "" if target else out.getvalue()


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])
