"""docs/compatibility.md, from what is known of the clients and from what doctor said of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.compatibility.client import Client

OPENING = """\
# Compatibility

Clients of Scheduled Events that others wrote, each run as it is published, by `forewarn doctor`. A check tells how the
client meets the contract, not whether Forewarn can serve it: every one of them runs against Forewarn unmodified.

This page is generated: `python -m tests.compatibility`, as root on Debian 12. The packages are fetched by
`python -m tests.compatibility.installing`.
"""
PASSED = {"passed", "pass", "ok", "true"}
FAILED = {"failed", "fail", "false"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    check: str
    outcome: str
    evidence: str

    @property
    def passed(self) -> bool:
        return self.outcome.lower() in PASSED

    @property
    def failed(self) -> bool:
        return self.outcome.lower() in FAILED


def verdicts(report: Mapping[str, Any]) -> list[Verdict]:
    """What doctor's JSON says, check by check."""
    return [
        Verdict(
            check=str(_first(check, "title", "name", "check", "id")),
            outcome=str(_first(check, "outcome", "status", "verdict", "passed")),
            evidence=_flat(_first(check, "evidence", "why", "message", "reason")),
        )
        for check in report.get("checks", ())
    ]


def page(reports: Sequence[tuple[Client, Mapping[str, Any] | None]]) -> str:
    parts = [OPENING, _overview(reports)]
    parts += [_section(client, report) for client, report in reports]
    return "\n".join(parts)


def _overview(reports: Iterable[tuple[Client, Mapping[str, Any] | None]]) -> str:
    rows = ["| client | package | reacts to | approves | checks passed |", "| --- | --- | --- | --- | --- |"]
    for client, report in reports:
        package = f"{client.package} {client.version}, {client.source}"
        rows.append(_row(f"**{client.name}**", package, ", ".join(client.reacts_to), client.approves, _score(report)))
    return "\n".join(rows) + "\n"


def _score(report: Mapping[str, Any] | None) -> str:
    if report is None:
        return "not run"
    said = verdicts(report)
    counted = [verdict for verdict in said if verdict.passed or verdict.failed]
    return f"{sum(verdict.passed for verdict in counted)} of {len(counted)}"


def _section(client: Client, report: Mapping[str, Any] | None) -> str:
    every = f"every {client.interval:g} s"
    facts = {
        "package": f"{client.package} {client.version}, from {client.source}; {client.licence}",
        "asks": f"{client.asks}, {every}",
        "reacts to": ", ".join(client.reacts_to),
        "approves": client.approves,
        "started": client.started,
        "needs": ", ".join(client.needs),
    }
    lines = [f"## {client.name}", "", client.about, "", "| | |", "| --- | --- |"]
    lines += [_row(name, text) for name, text in facts.items()]
    if report is not None:
        lines += ["", "| check | outcome | evidence |", "| --- | --- | --- |"]
        lines += [_row(verdict.check, verdict.outcome, verdict.evidence) for verdict in verdicts(report)]
    if client.notes:
        lines += ["", "Seen beside the checks:", "", *(f"- {note}" for note in client.notes)]
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _first(check: Mapping[str, Any], *names: str) -> Any:
    return next((check[name] for name in names if name in check), "")


def _flat(evidence: Any) -> str:
    if isinstance(evidence, str):
        return evidence
    return "; ".join(map(str, evidence)) if isinstance(evidence, list | tuple) else str(evidence)
