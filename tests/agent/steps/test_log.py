"""The log step."""

from pathlib import Path

from forewarn.agent.steps.log import Log
from tests.agent.turn import REBOOT, ATurn


def test_both_lines_tell_of_the_event(tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    Log().prepare(turn)
    Log().restore(turn)
    assert turn.said == [
        f"Reboot {REBOOT.id} of web_0,web_1: not before 2026-11-02T22:18:47Z",
        f"Reboot {REBOOT.id} is over",
    ]


def test_a_line_of_ones_own_is_filled_in_and_its_other_braces_stay(tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    Log(prepare_text='{"machine": "{me}", "why": "{description}", "other": "{nothing}"}').prepare(turn)
    assert turn.said == ['{"machine": "web_0", "why": "Host maintenance", "other": "{nothing}"}']


def test_it_tells_its_lines() -> None:
    assert Log(prepare_text="a", restore_text="b").told() == ("log 'a'", "log 'b'")
