"""`forewarn operations`: what somebody asked for, and what became of it."""

import argparse
from typing import Any

from forewarn.cli.output import Output, actor, full_time, short
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.remote import Client, in_path

COLUMNS = ("OPERATION", "IMPACT", "STATE", "MACHINES", "SCOPE", "EVENT", "ASKED BY", "AT", "MESSAGE")


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "operations", operations, "List the operations under way.")
    verb.add_argument("operation", nargs="?", metavar="OPERATION", help="only this one: an id, or the beginning of one")
    verb.add_argument("--all", action="store_true", help="also those that are over")
    verb.add_argument("--scope", help="only those of this scope")


def operations(args: argparse.Namespace, client: Client, out: Output) -> int:
    if args.operation:
        found = [client.get(f"/operations/{in_path(args.operation)}")]
    else:
        found = list(client.pages("/operations", {"scope": args.scope, "all": args.all}))
    if out.as_json:
        out.json(found[0] if args.operation else found)
    elif found:
        out.table(COLUMNS, [_row(operation) for operation in sorted(found, key=lambda o: (o["requested_at"], o["id"]))])
    else:
        out.line("No operations.")
    return 0


def _row(operation: Any) -> tuple[str, ...]:
    return (
        short(operation["id"]),
        operation["impact"],
        operation["state"],
        ", ".join(operation["machines"]),
        operation["scope"],
        short(operation["event"] or "none"),
        actor(operation["requested_by"]),
        full_time(operation["requested_at"]),
        operation["message"],
    )
