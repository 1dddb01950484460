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
`python -m tests.compatibility.installing`. Each check is explained [here](reference/doctor.md).
"""
PASSED, FAILED, NOT_TRIED = "passed", "failed", "not tried"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    check: str
    title: str
    outcome: str
    reason: str


def verdicts(report: Mapping[str, Any]) -> list[Verdict]:
    """What doctor's JSON says, check by check."""
    return [
        Verdict(check=check["id"], title=check["title"], outcome=check["verdict"], reason=check["reason"])
        for check in report["checks"]
    ]


def page(reports: Sequence[tuple[Client, Mapping[str, Any] | None]], day: str) -> str:
    """`day`: when they were run last."""
    parts = [OPENING, f"The reports are of {day}, from a machine with two cores.\n", _overview(reports)]
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
    if not report.get("checks"):
        return "could not be tried"
    counts = report["counts"]
    rest = f"; {counts[NOT_TRIED]} not tried" if counts[NOT_TRIED] else ""
    return f"{counts[PASSED]} of {counts[PASSED] + counts[FAILED]}{rest}"


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
        lines += ["", *_findings(report)]
    if client.notes:
        lines += ["", "Seen beside the checks:", "", *(f"- {note}" for note in client.notes)]
    return "\n".join(lines) + "\n"


def _findings(report: Mapping[str, Any]) -> list[str]:
    """What it fails, with the reason; the rest by name."""
    if not report.get("checks"):
        return [f"The doctor says: {_first_line(report['trouble'])}"]
    said = verdicts(report)
    failed = [verdict for verdict in said if verdict.outcome == FAILED]
    lines = ["| fails | the client … | what was seen |", "| --- | --- | --- |"] if failed else []
    lines += [_row(f"`{verdict.check}`", f"… {verdict.title}", _first_line(verdict.reason)) for verdict in failed]
    for outcome in dict.fromkeys(verdict.outcome for verdict in said if verdict.outcome != FAILED):
        names = ", ".join(f"`{verdict.check}`" for verdict in said if verdict.outcome == outcome)
        lines += ["", f"{outcome.capitalize()}: {names}."]
    return lines


def _first_line(reason: str) -> str:
    return reason.partition("\n")[0]


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
