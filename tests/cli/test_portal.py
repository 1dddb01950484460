"""`forewarn portal`: a fresh link each time."""

from pathlib import Path

import pytest

from tests.cli.shell import ENVIRONMENT, Shell, start
from tests.control.rig import Rig
from tests.portal.visiting import Visitor


def test_each_link_is_a_new_one_and_leads_in(rig: Rig, forewarn: Shell) -> None:
    first, second = (forewarn.ok("portal").out.strip() for _ in range(2))
    assert first != second
    for link in (first, second):
        visitor = Visitor(rig, link.removeprefix(rig.url))
        assert "local" in visitor.get("/portal/settings").text


def test_in_json_it_says_how_long_it_lasts(rig: Rig, forewarn: Shell) -> None:
    made = forewarn.ok("portal", "--json").json
    assert made["url"].startswith(f"{rig.url}/portal/login?word=")
    assert made["lasts"] == "PT900S"


def test_it_opens_the_link_in_the_browser(rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/opened\n')
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    process = start("portal", "--open", "--server", rig.url)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert (tmp_path / "opened").read_text() == out.strip()


def test_without_a_browser_it_says_so(rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(ENVIRONMENT, "PATH", str(tmp_path))
    process = start("portal", "--open", "--server", rig.url)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, "open the link yourself" in err) == (1, True)
    assert out.startswith(rig.url)
