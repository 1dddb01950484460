"""`forewarn history`: who did what, when, and what it changed."""

import argparse
from collections import deque
from contextlib import suppress
from typing import Any

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb, count
from forewarn.cli.watching import entry_row, follow_history, show_entry
from forewarn.remote import Client

SHOWN = 50
COLUMNS = ("SEQ", "AT", "WHO", "WHAT", "SCOPE", "SUBJECT", "CHANGE")


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "history", history, "Show who did what, when, and what it changed.")
    verb.add_argument("--scope", help="only what happened in this scope")
    verb.add_argument("--subject", help="only what is about this event, operation, machine or campaign, by its full id")
    verb.add_argument("-n", "--last", type=count, default=SHOWN, metavar="N", help=f"the last N; 0 is all ({SHOWN})")
    verb.add_argument("--follow", action="store_true", help="go on and show what happens; Ctrl-C ends it")
    verb.add_argument("--verify", action="store_true", help="check that nobody changed it; exit status 1 if so")


def history(args: argparse.Namespace, client: Client, out: Output) -> int:
    if args.verify:
        return verify(client, out)
    last = client.last_entry()
    found = _last(args, client, last)
    if args.follow:
        for entry in found:
            show_entry(out, entry)
        with suppress(KeyboardInterrupt):  # the usual way to end it
            follow_history(client, out, last, args.scope, args.subject)
        return 0
    if out.as_json:
        out.json(found)
    else:
        out.table(COLUMNS, [entry_row(entry) for entry in found])
    return 0


def _last(args: argparse.Namespace, client: Client, last: int) -> list[Any]:
    filtered = args.scope is not None or args.subject is not None
    start = max(last - args.last, 0) if args.last and not filtered else 0
    entries = client.pages("/history", {"scope": args.scope, "subject": args.subject}, start=start)
    return list(deque((entry for entry in entries if entry["seq"] <= last), maxlen=args.last or None))


def verify(client: Client, out: Output) -> int:
    with out.progress("walking the history"):
        verdict = client.get("/history/verify")
    if out.as_json:
        out.json(verdict)
    elif verdict["holds"]:
        out.line(f"The history holds: {verdict['entries']} entries in {verdict['scopes']} scopes.")
    elif verdict["broken_at"] is not None:
        out.line(f"The history of {verdict['broken_scope']} was changed: entry {verdict['broken_at']} does not fit.")
    else:
        out.line(f"{verdict['missing']} entries are missing from the history.")
    return 0 if verdict["holds"] else 1
