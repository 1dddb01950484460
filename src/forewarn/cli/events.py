"""`forewarn events`, `schedule`, `approve`, `cancel`."""

import argparse
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from forewarn.cli.output import Output, actor, clock_time, moment, short, span
from forewarn.cli.verbs import Verbs, add_key, add_verb, duration, event_type
from forewarn.cli.watching import watch_events
from forewarn.remote import Client, Refusal, in_path

COLUMNS = ("EVENT", "TYPE", "STATUS", "SOURCE", "MACHINES", "SCOPE", "WHEN", "APPROVED BY")


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "events", events, "List the events that machines can see now.")
    verb.add_argument("--all", action="store_true", help="also those that are over")
    verb.add_argument("--watch", action="store_true", help="go on and show every change; Ctrl-C ends it")
    verb.add_argument("--until-empty", action="store_true", help="with --watch: end once there are no events left")
    verb.add_argument("--scope", help="only those of this scope")
    verb.add_argument("--machine", help="only those about this machine, by name or SCOPE/NAME")
    verb.add_argument("--type", type=event_type, help="only those of this type")

    verb = add_verb(verbs, common, "schedule", schedule, "Schedule platform maintenance.")
    verb.add_argument("type", type=event_type, metavar="TYPE", help="Freeze, Reboot, Redeploy, Preempt or Terminate")
    verb.add_argument("machines", nargs="+", metavar="MACHINE", help="a name, or SCOPE/NAME")
    verb.add_argument("--notice", type=duration, help="how long before, such as 15m (default: the type's least)")
    verb.add_argument("--at-once", action="store_true", help="hardware has failed: no notice, the event is started")
    verb.add_argument("--description", metavar="TEXT", help="what the document says (default: Azure's words)")
    verb.add_argument("--duration", type=int, metavar="SECONDS", help="the expected interruption; -1 is unknown")
    add_key(verb)

    verb = add_verb(verbs, common, "approve", approve, "Let events start now, whatever their policy.")
    verb.add_argument("events", nargs="+", metavar="EVENT", help="an id, or the beginning of one")

    verb = add_verb(verbs, common, "cancel", cancel, "Call events off that have not started.")
    verb.add_argument("events", nargs="+", metavar="EVENT", help="an id, or the beginning of one")
    verb.add_argument("--why", metavar="TEXT", help="a reason, for the history")


def events(args: argparse.Namespace, client: Client, out: Output) -> int:
    query = {"scope": args.scope, "machine": args.machine, "type": args.type}
    if args.watch or args.until_empty:
        with suppress(KeyboardInterrupt):  # the usual way to end it
            watch_events(client, out, query, until_empty=args.until_empty)
        return 0
    found = list(client.pages("/events", {**query, "all": args.all}))
    if out.as_json:
        out.json(found)
    elif found:
        show(found, client, out)
    else:
        out.line("No events.")
    return 0


def show(found: list[Any], client: Client, out: Output) -> None:
    now = moment(client.get("/clock")["now"])
    events = sorted(found, key=lambda e: (e["scheduled_at"], e["id"]))
    if any(event["ready"] or _waits_for(event) for event in events):
        rows = [(*_row(event, now), _ready(event), _waits_for(event)) for event in events]
        out.table((*COLUMNS, "READY", "WAITS FOR"), rows)
    else:
        out.table(COLUMNS, [_row(event, now) for event in events])


def _ready(event: Any) -> str:
    return ", ".join(said["machine"] for said in event["ready"])


def _waits_for(event: Any) -> str:
    """Whom, where it is not just anybody, as in Azure."""
    waits = event["waits_for"]
    if waits is None or waits["approved"] or waits["approval_policy"]["rule"] == "first":
        return ""
    if waits["approval_policy"]["rule"] == "human":
        return "a user"
    among = ", ".join(waits["machines"])
    return among if waits["needed"] == len(waits["machines"]) else f"{waits['needed']} of {among}"


def _row(event: Any, now: datetime) -> tuple[str, ...]:
    return (
        short(event["id"]),
        event["type"],
        event["phase"],
        event["source"],
        ", ".join(event["resources"]),
        event["scope"],
        _when(event, now),
        ", ".join(actor(approval["by"]) for approval in event["approvals"]),
    )


def _when(event: Any, now: datetime) -> str:
    if event["ended_at"]:
        return f"ended {span(now - moment(event['ended_at']))} ago"
    if event["started_at"]:
        return f"started {span(now - moment(event['started_at']))} ago"
    return f"not before {clock_time(event['not_before'])}, in {span(moment(event['not_before']) - now)}"


def schedule(args: argparse.Namespace, client: Client, out: Output) -> int:
    body = {
        "type": args.type,
        "machines": args.machines,
        "notice": args.notice,
        "at_once": args.at_once,
        "description": args.description,
        "duration": args.duration,
    }
    made = client.post("/events", body, args.idempotency_key)["events"]
    if out.as_json:
        out.json(made)
    else:
        show(made, client, out)
    return 0


def approve(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _each(args.events, lambda event: client.post(f"/events/{in_path(event)}/approve"), out)


def cancel(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _each(args.events, lambda event: client.post(f"/events/{in_path(event)}/cancel", {"why": args.why}), out)


def _each(names: list[str], act: Callable[[str], Any], out: Output) -> int:
    """All of them are tried; one that is refused does not keep the others from it."""
    done: list[Any] = []
    refused = 0
    for name in names:
        try:
            done.append(act(name))
        except Refusal as refusal:
            refused += 1
            out.note(f"forewarn: {refusal}")
    if out.as_json:
        out.json(done)
    else:
        for event in done:
            out.cells(short(event["id"]), f"{event['type']} of {', '.join(event['resources'])}:", _state(event))
    return 1 if refused else 0


def _state(event: Any) -> str:
    if event["phase"] == "Scheduled" and event["approvals"]:
        return f"approved; it waits for others, at most until {clock_time(event['not_before'])}"
    return str(event["phase"])
