"""A step that only says what it would do."""

from dataclasses import dataclass

from forewarn.agent.turns import Step, Turn


@dataclass(frozen=True, slots=True)
class DryStep:
    step: Step

    def prepare(self, turn: Turn) -> None:
        turn.say(f"dry run: would {self.step.told()[0] or 'do nothing'}")

    def restore(self, turn: Turn) -> None:
        turn.say(f"dry run: would {self.step.told()[1] or 'do nothing'}")

    def told(self) -> tuple[str, str]:
        return self.step.told()
