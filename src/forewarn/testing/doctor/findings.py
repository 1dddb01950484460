"""What came out: per check a verdict, the reason for it, and what was seen meanwhile."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from forewarn import __version__
from forewarn.testing.doctor.habits import Habits


class Verdict(Enum):
    PASSED = "passed"
    FAILED = "failed"
    DOES_NOT_APPLY = "does not apply"  # it would ask something of the client that it does not set out to do
    NOT_TRIED = "not tried"  # it could not be: nothing is said of the client


class Wrong(Exception):
    """The client did what it should not, or did not do what it should. The text tells which."""


class DoesNotApply(Exception):
    """It turned out that the check has nothing to say of this client. The text tells why."""


class NotTried(Exception):
    """The check could not be made. The text tells why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    seconds: float  # of real time, since the check began
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    id: str
    title: str
    verdict: Verdict
    reason: str = ""
    seconds: float = 0.0
    evidence: Sequence[Moment] = ()

    def told(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "evidence": [{"seconds": round(moment.seconds, 3), "text": moment.text} for moment in self.evidence],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    command: Sequence[str]
    by: str  # how the client was reached
    habits: Habits
    findings: Sequence[Finding]  # in the order of the catalogue
    seconds: float

    @property
    def counts(self) -> Mapping[Verdict, int]:
        found = Counter(finding.verdict for finding in self.findings)
        return {verdict: found[verdict] for verdict in Verdict}

    @property
    def failed(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.verdict is Verdict.FAILED]

    def told(self) -> dict[str, Any]:
        return {
            "forewarn": __version__,
            "command": list(self.command),
            "by": self.by,
            "client": self.habits.told(),
            "counts": {verdict.value: count for verdict, count in self.counts.items()},
            "seconds": round(self.seconds, 1),
            "checks": [finding.told() for finding in self.findings],
        }
