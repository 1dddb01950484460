"""Watching, as a process of its own with its output in a pipe."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.shell import Shell, start
from tests.control.rig import Rig


@contextmanager
def watching(rig: Rig, *words: str) -> Iterator["subprocess.Popen[str]"]:
    process = start(*words, "--server", rig.url)
    rig.until(lambda: rig.hub.watchers == 1 or process.poll() is not None)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_every_change_is_a_line_and_ctrl_c_ends_it_well(rig: Rig, forewarn: Shell) -> None:
    old = forewarn.ok("schedule", "Freeze", "db-2").rows[0][0]
    with watching(rig, "events", "--watch") as process:
        assert line(process) == f"12:00:00Z  Scheduled  Freeze     {old}  db-2  not before 12:15:00Z"
        new = forewarn.ok("schedule", "Reboot", "db-0").rows[0][0]
        assert line(process) == f"12:00:00Z  Scheduled  Reboot     {new}  db-0  not before 12:15:00Z  by user:local"
        forewarn.ok("approve", new)
        assert line(process) == f"12:00:00Z  Approved   Reboot     {new}  db-0  by user:local"
        assert line(process) == f"12:00:00Z  Started    Reboot     {new}  db-0  by user:local"
        forewarn.ok("restart", "web_0")  # runs without an event, and is none
        forewarn.ok("clock", "advance", "5s")
        assert line(process) == f"12:00:05Z  Completed  Reboot     {new}  db-0  by system:driver"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_watch_until_empty_ends_by_itself(rig: Rig, forewarn: Shell) -> None:
    event = forewarn.ok("schedule", "Reboot", "db-0").rows[0][0]
    forewarn.ok("schedule", "Reboot", "web_0")  # somebody else's
    with watching(rig, *["events", "--watch", "--until-empty", "--machine", "db/db-0"]) as process:
        forewarn.ok("cancel", event)
        out, _ = process.communicate(timeout=30)
        assert out.splitlines()[-2:] == [
            f"12:00:00Z  Canceled   Reboot     {event}  db-0  by user:local",
            "No events left.",
        ]
        assert process.returncode == 0


def test_programs_get_the_event_itself_a_line_each(rig: Rig, forewarn: Shell) -> None:
    with watching(rig, *["events", "--watch", "--json", "--scope", "db", "--type", "Reboot"]) as process:
        forewarn.ok("schedule", "Freeze", "db-0")
        forewarn.ok("schedule", "Reboot", "web_0")
        event = forewarn.ok("schedule", "Reboot", "db-1", "--json").json[0]
        assert json.loads(line(process)) == event


def test_history_is_followed(rig: Rig, forewarn: Shell) -> None:
    rig.enrol("solo")
    with watching(rig, *["history", "--follow", "--scope", "db"]) as process:
        rig.enrol("web:0")
        rig.enrol("db")
        assert line(process) == ("3  2030-01-01 12:00:00Z  machine:somebody  enrolled  db  db  not enrolled → enrolled")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_a_wait_ends_when_the_operation_does(rig: Rig, forewarn: Shell) -> None:
    rig.enrol("db")
    with watching(rig, "restart", "db-0", "--wait") as process:
        forewarn.ok("clock", "advance", "1h")
        out, _ = process.communicate(timeout=30)
        assert (process.returncode, out) == (0, "Reboot of db-0: Succeeded.\n")


def test_a_broken_stream_is_taken_up_again(rig: Rig, forewarn: Shell) -> None:
    with watching(rig, *["history", "--follow", "--json"]) as process:
        rig.enrol("db")
        assert json.loads(line(process))["seq"] == 1
        rig.run(rig.restart_server())
        rig.enrol("solo")
        assert json.loads(line(process))["seq"] == 2
        process.kill()
        _, err = process.communicate()
        assert err == f"The connection to {rig.url} was lost; trying again for 30 s.\n"
