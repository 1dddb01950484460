"""What a dry run does instead: it says what would be done."""

from dataclasses import dataclass
from datetime import datetime

from forewarn.agent.journal import Notice
from forewarn.agent.moments import Moment
from forewarn.agent.notices import Notices
from forewarn.agent.records import Record
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


class DryNotices(Notices):
    def start(self) -> None:
        pass

    def about(self, record: Record, moment: Moment, now: datetime, note: str = "") -> list[Notice]:
        for name in self._tellers(record, moment):
            self._log.info("%s: dry run: would tell that %s is %s", name, record.event.id, moment.value)
        return []
