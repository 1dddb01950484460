"""Following changes as they happen: for `events --watch`, `history --follow` and `--wait`."""

from collections.abc import Iterator, Mapping
from typing import Any

from forewarn.cli.client import Client, Refusal, in_path
from forewarn.cli.output import Output, actor, clock_time, full_time, short

Query = Mapping[str, str | None]

WORDS = {
    "scheduled": "Scheduled",
    "struck": "Started",
    "approved": "Approved",
    "started": "Started",
    "completed": "Completed",
    "canceled": "Canceled",
    "failed": "Failed",
    "shrunk": "Changed",
}
"""What the history says of events, in the words of the document."""

OVER = frozenset({"completed", "canceled", "failed"})


def watch_events(client: Client, out: Output, query: Query, *, until_empty: bool) -> int:
    """First what there is, then every change of it, one line each."""
    after = client.last_entry()
    found = sorted(client.pages("/events", query), key=lambda event: (event["scheduled_at"], event["id"]))
    live = {event["id"] for event in found}
    for event in found:
        _show(out, event, event["started_at"] or event["scheduled_at"], event["phase"], "")
    if until_empty and not live:
        _say(out, "No events.")
        return 0
    for entry, event in _changes(client, after, query):
        (live.discard if entry["what"] in OVER else live.add)(event["id"])
        _show(out, event, entry["at"], WORDS[entry["what"]], f"by {actor(entry['who'])}")
        if until_empty and not live:
            _say(out, "No events any more.")
            return 0
    return 0


def _changes(client: Client, after: int, query: Query) -> Iterator[tuple[Any, Any]]:
    """The entries about events, each with its event; until Ctrl-C, the usual way to end a watch."""
    try:
        for entry in client.follow(after):
            event = _event_of(entry, client) if entry["what"] in WORDS else None
            if event is not None and _is_wanted(event, query):
                yield entry, event
    except KeyboardInterrupt:
        return


def _event_of(entry: Any, client: Client) -> Any:
    try:
        return client.get(f"/events/{in_path(entry['subject'])}")
    except Refusal:
        return None  # it is about an operation that ran without an event


def _is_wanted(event: Any, query: Query) -> bool:
    scope, _, machine = (query.get("machine") or "").rpartition("/")
    return (
        query.get("scope") in (None, event["scope"])
        and query.get("type") in (None, event["type"])
        and (not machine or machine in event["resources"])
        and (not scope or scope == event["scope"])
    )


def _show(out: Output, event: Any, at: str, word: str, by: str) -> None:
    if out.as_json:
        out.json_line(event)
        return
    until = f"not before {clock_time(event['not_before'])}" if word == "Scheduled" else ""
    machines = ", ".join(event["resources"])
    out.cells(clock_time(at), f"{word:9}", f"{event['type']:9}", short(event["id"]), machines, until, by)


def _say(out: Output, text: str) -> None:
    if not out.as_json:
        out.line(text)


def follow_history(client: Client, out: Output, after: int, scope: str | None, subject: str | None) -> int:
    try:
        for entry in client.follow(after):
            if scope in (None, entry["scope"]) and subject in (None, entry["subject"]):
                out.json_line(entry) if out.as_json else out.cells(*entry_row(entry))
    except KeyboardInterrupt:
        pass
    return 0


def entry_row(entry: Any) -> tuple[str, ...]:
    changed = f"{entry['before']} → {entry['after']}" if entry["before"] != entry["after"] else entry["after"]
    words = [word for word in (changed.strip(" →"), entry["detail"]) if word]
    return (
        str(entry["seq"]),
        full_time(entry["at"]),
        actor(entry["who"]),
        entry["what"],
        entry["scope"],
        entry["subject"],
        "; ".join(words),
    )


def wait_for(client: Client, operation: Any) -> Any:
    """The operation once it is over."""
    after = client.last_entry()
    path = f"/operations/{operation['id']}"
    current = client.get(path)
    if current["state"] != "InProgress":
        return current
    for entry in client.follow(after):
        if entry["subject"] in (operation["id"], operation["event"]):
            current = client.get(path)
            if current["state"] != "InProgress":
                break
    return current
