"""`forewarn agent approve`: a person's answer, given to the agent."""

from pathlib import Path
from typing import Any

from forewarn.agent.asking import ask
from forewarn.agent.errors import AgentError

SHORTEST = 4
"""Characters that name an event, at least."""


def decide(directory: Path, event: str, *, yes: bool) -> str:
    """Says what was taken down. Raises AgentError with the reason otherwise."""
    _, told = ask(directory, "GET", "/status")
    chosen = choose(told["events"], event)
    status, answer = ask(directory, "POST", "/answer", {"event": chosen["event"], "yes": yes})
    if status != 200:
        raise AgentError(f"{answer['error']}.")
    name = f"{chosen['type']} {chosen['event']}"
    if not yes:
        return f"{name} is not approved: it starts when its notice is over."
    if answer["stage"] == "ready":
        return f"{name}: approving."
    return f"{name} will be approved once this machine is ready; it is {answer['stage']}."


def choose(events: list[dict[str, Any]], event: str) -> dict[str, Any]:
    """By its id or the beginning of it; without either, the only one that waits for a person."""
    if not event:
        waiting = [e for e in events if e["approval"] == "ask" and e["asked"] is None and not e["started"]]
        return _only(waiting, "No event waits for an answer.", "Several events wait for an answer")
    if len(event) < SHORTEST:
        raise AgentError(f"{event!r} is too short to name an event: give {SHORTEST} characters of its id or more.")
    found = [e for e in events if e["event"].upper().startswith(event.upper())]
    none = f"There is no event {event} under way; `forewarn agent status` lists them."
    return _only(found, none, f"Several events begin with {event}")


def _only(found: list[dict[str, Any]], none: str, several: str) -> dict[str, Any]:
    if not found:
        raise AgentError(none)
    if len(found) > 1:
        raise AgentError(f"{several}: say which of {', '.join(e['event'] for e in found)}.")
    return found[0]
