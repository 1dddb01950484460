"""`forewarn agent status`: what there is, as a table."""

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from forewarn.agent.asking import ask
from forewarn.agent.durations import write_duration
from forewarn.agent.errors import NotRunning
from forewarn.agent.journal import Journal
from forewarn.agent.status import journal_status
from forewarn.agent.tables import printable, table, terminal_width

COLUMNS = ("EVENT", "TYPE", "STARTS IN", "STAGE", "STEP", "READY", "APPROVED", "WAITS FOR")
CLEAR = "\x1b[H\x1b[2J"


def find(directory: Path) -> dict[str, Any]:
    """From the agent; from the journal alone if it does not run."""
    try:
        status, told = ask(directory, "GET", "/status")
    except NotRunning:
        if not (directory / "journal.db").exists():
            raise
        return _from_journal(directory)
    assert status == 200, told
    return dict(told)


def _from_journal(directory: Path) -> dict[str, Any]:
    journal = Journal(directory / "journal.db")
    try:
        return {"running": False, **journal_status(journal, None, {})}
    finally:
        journal.close()


def show(told: dict[str, Any]) -> str:
    rows = [_row(event) for event in told["events"]]
    parts = [headline(told)]
    if rows:
        parts.append(table(COLUMNS, rows, terminal_width(sys.stdout.isatty())))
    for event in told.get("left_alone", []):
        machines = ", ".join(event["resources"])
        parts.append(printable(f"Left alone: {event['type']} {event['event']} of {machines}; the log says why."))
    return "\n".join(parts)


def headline(told: dict[str, Any]) -> str:
    count = len(told["events"])
    coming = f"{count} event{'s' * (count > 1)} under way" if count else "nothing is coming"
    if not told["running"]:
        return f"The agent does not run. By its journal: {coming}."
    words = [f"The agent of {told['machine'] or 'a machine that is not known yet'} runs: {coming}"]
    words += ["it is a dry run"] if told["dry_run"] else []
    words += [f"the metadata service does not answer: {told['trouble'].rstrip('.')}"] if told["trouble"] else []
    return printable("; ".join(words) + ".")


def _row(event: dict[str, Any]) -> list[str]:
    return [
        event["event"][:8],
        event["type"],
        _countdown(event),
        event["stage"],
        _step(event),
        "yes" if event["ready"] else "no",
        "yes" if event["approved"] else "no",
        event["waits_for"],
    ]


def _countdown(event: dict[str, Any]) -> str:
    left = event["seconds_left"]
    if event["started"]:
        return "started"
    if left is None:
        return event["not_before"] or "unknown"
    return write_duration(timedelta(seconds=int(left))) if left > 0 else "any moment"


def _step(event: dict[str, Any]) -> str:
    """The one that runs, of how many."""
    steps = event["steps"]
    for number, step in enumerate(steps, 1):
        if step["progress"] in ("preparing", "restoring"):
            return f"{number}/{len(steps)} {step['name']}"
    done = sum(step["progress"] not in ("waiting",) for step in steps)
    return f"{done}/{len(steps)}"


def watch(look: Callable[[], str], seconds: float = 1.0) -> None:
    """Until Ctrl-C."""
    while True:
        print(f"{CLEAR if sys.stdout.isatty() else ''}{look()}", flush=True)
        time.sleep(seconds)
