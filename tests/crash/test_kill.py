"""SIGKILL under load, in a process of its own: the parent of the victims must not have threads."""

import json
import subprocess
import sys

KILLS = 200


def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice_over_two_hundred_kills() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.kill", str(KILLS), "2026"], capture_output=True, text=True, timeout=300
    )
    report = json.loads(done.stdout)
    assert report["problems"] == []
    assert report["kills"] == KILLS
    assert report["acknowledged"] > KILLS, "the victims hardly worked: this proves nothing"
    assert done.returncode == 0
