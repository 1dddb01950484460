"""Stops a systemd unit before an event, and starts it again afterwards if it was running.

systemd is asked not to block: the step looks at the unit until it has come to rest, and so can be called off.
"""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from forewarn.agent.errors import StepFailed
from forewarn.agent.turns import Turn

POLL = 0.2
ANSWER = 10.0
"""How long systemd may take to answer; how long a unit takes is another matter."""
AT_REST = ("active", "reloading", "inactive", "failed")
DOWN = ("inactive", "failed")
WATCHED = "LoadState,ActiveState,Result,Job"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    unit: str
    """The unit to stop, such as `nginx.service`."""
    user: bool = False
    """Ask the user's systemd (`systemctl --user`) and not the machine's."""

    def __post_init__(self) -> None:
        if not self.unit or any(sign in self.unit for sign in "*?["):
            raise ValueError("'unit' is the name of one unit, without patterns")

    def prepare(self, turn: Turn) -> None:
        state = self._state(turn)
        if state["LoadState"] == "not-found":
            raise StepFailed(f"there is no unit {self.unit}; `systemctl list-unit-files` lists those that are")
        if "was_active" not in turn.kept:
            turn.keep(was_active=state["ActiveState"] not in DOWN)
        if not turn.kept["was_active"]:
            turn.say(f"{self.unit} was not running")
            return
        self._systemctl(turn, "stop", "--no-block")
        if self._when_at_rest(turn)["ActiveState"] not in DOWN:
            raise StepFailed(f"{self.unit} was stopped and runs again: what started it?")

    def restore(self, turn: Turn) -> None:
        if not turn.kept.get("was_active"):
            return
        self._systemctl(turn, "start", "--no-block")
        state = self._when_at_rest(turn)
        result = state.get("Result", "no result")  # a target has none
        if state["ActiveState"] in DOWN and result != "success":
            raise StepFailed(f"{self.unit} did not start ({result}); `systemctl status {self.unit}` tells why")

    def told(self) -> tuple[str, str]:
        return f"stop the unit {self.unit}", f"start the unit {self.unit}, if it was running"

    def _when_at_rest(self, turn: Turn) -> Mapping[str, str]:
        while True:
            state = self._state(turn)
            if not state.get("Job") and state["ActiveState"] in AT_REST:
                return state
            turn.pause(POLL)

    def _state(self, turn: Turn) -> Mapping[str, str]:
        lines = self._systemctl(turn, "show", f"--property={WATCHED}").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def _systemctl(self, turn: Turn, *words: str) -> str:
        turn.pause(0)
        whose = ["--user"] if self.user else []
        try:
            done = subprocess.run(  # noqa: S603 (no shell, and the unit comes after `--`)
                ["systemctl", *whose, "--no-pager", "--no-ask-password", *words, "--", self.unit],  # noqa: S607 (PATH)
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=min(turn.left(), ANSWER),
                check=False,
            )
        except subprocess.TimeoutExpired:
            turn.pause(0)  # says so, if it is the step's own limit
            raise StepFailed(f"systemd has not answered `systemctl {words[0]} {self.unit}`") from None
        except OSError as error:
            raise StepFailed(f"systemctl cannot be run: {error.strerror}. Is this a machine with systemd?") from None
        if done.returncode != 0:
            raise StepFailed(f"`systemctl {words[0]} {self.unit}` failed: {done.stderr.strip()}")
        return done.stdout
