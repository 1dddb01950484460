"""Following changes as they happen: for `events --watch`, `history --follow` and `--wait`."""

from collections.abc import Iterator, Mapping
from typing import Any

from forewarn.cli.output import Output, actor, clock_time, full_time, short
from forewarn.remote import Client, Refusal, in_path

Query = Mapping[str, str | None]

WORDS = {
    "scheduled": "Scheduled",
    "struck": "Started",
    "approved": "Approved",
    "ready": "Ready",
    "not-ready": "Not ready",
    "started": "Started",
    "completed": "Completed",
    "canceled": "Canceled",
    "failed": "Failed",
    "shrunk": "Changed",
}
"""What the history says of events, in the words of the document."""

OVER = frozenset({"completed", "canceled", "failed"})


def watch_events(client: Client, out: Output, query: Query, *, until_empty: bool) -> None:
    """First what there is, then every change of it, one line each."""
    after = client.last_entry()
    found = sorted(client.pages("/events", query), key=lambda event: (event["scheduled_at"], event["id"]))
    live = {event["id"] for event in found}
    for event in found:
        _show(out, event, event["started_at"] or event["scheduled_at"], event["phase"])
    changes = _changes(client, out, after, query)
    while live or not until_empty:
        entry, event = next(changes)
        if entry["what"] in OVER:
            live.discard(event["id"])
        else:
            live.add(event["id"])
        _show(out, event, entry["at"], WORDS[entry["what"]], f"by {actor(entry['who'])}")
    if not out.as_json:
        out.line("No events left." if found else "No events.")


def _changes(client: Client, out: Output, after: int, query: Query) -> Iterator[tuple[Any, Any]]:
    """The entries about events, each with its event."""
    for entry in client.follow(after, out.note):
        event = _event_of(entry, client) if entry["what"] in WORDS else None
        if event is not None and _is_wanted(event, query):
            yield entry, event


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


def _show(out: Output, event: Any, at: str, word: str, by: str = "") -> None:
    if out.as_json:
        out.json_line(event)
        return
    until = f"not before {clock_time(event['not_before'])}" if word == "Scheduled" else ""
    machines = ", ".join(event["resources"])
    out.cells(clock_time(at), f"{word:9}", f"{event['type']:9}", short(event["id"]), machines, until, by)


def follow_history(client: Client, out: Output, after: int, scope: str | None, subject: str | None) -> None:
    for entry in client.follow(after, out.note):
        if scope in (None, entry["scope"]) and subject in (None, entry["subject"]):
            show_entry(out, entry)


def show_entry(out: Output, entry: Any) -> None:
    if out.as_json:
        out.json_line(entry)
    else:
        out.cells(*entry_row(entry))


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


def wait_for(client: Client, out: Output, operation: Any) -> Any:
    """The operation once it is over."""
    after = client.last_entry()
    path = f"/operations/{operation['id']}"
    current = client.get(path)
    if current["state"] != "InProgress":
        return current
    for entry in client.follow(after, out.note):
        if entry["subject"] in (operation["id"], operation["event"]):
            current = client.get(path)
            if current["state"] != "InProgress":
                break
    return current
