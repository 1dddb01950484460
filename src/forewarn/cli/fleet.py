"""`forewarn fleet`: the machines, and the scopes they are in."""

import argparse
from pathlib import Path
from typing import Any

from forewarn.cli.output import Output, full_time, short
from forewarn.cli.policy import policy_text
from forewarn.cli.verbs import Verbs, add_verb, count
from forewarn.remote import Client
from forewarn.wire import fleetfile

SHOWN = 200
COLUMNS = ("MACHINE", "SCOPE", "UD", "FD", "PRIORITY", "POWER", "METADATA URL")
SCOPE_COLUMNS = ("SCOPE", "KIND", "SCALE SET", "ENROLLED SINCE", "INCARNATION", "APPROVAL", "EVENTS", "CAMPAIGN")


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "fleet", fleet, "List the machines, each with its own metadata address.")
    verb.add_argument("--scope", help="only the machines of this scope")
    verb.add_argument("--scopes", action="store_true", help="list the scopes instead")
    verb.add_argument(
        "--limit", type=count, metavar="N", help=f"show at most N; 0 shows all (default: {SHOWN}, with --json all)"
    )
    actions: Verbs = verb.add_subparsers(metavar="ACTION", title="actions")
    verb = add_verb(actions, common, "declare", declare, "Take over another fleet file, all of it or none.")
    verb.add_argument("file", type=Path, metavar="FILE", help="who is no longer declared in it leaves at once")


def fleet(args: argparse.Namespace, client: Client, out: Output) -> int:
    limit = args.limit if args.limit is not None else 0 if out.as_json else SHOWN
    path, query = ("/scopes", None) if args.scopes else ("/machines", {"scope": args.scope})
    items = list(client.pages(path, query, limit=limit + 1 if limit else 0))
    more = bool(limit) and len(items) > limit
    shown = items[:limit] if limit else items
    if out.as_json:
        out.json(shown)
    elif args.scopes:
        out.table(SCOPE_COLUMNS, [_scope_row(scope) for scope in shown])
    else:
        out.table(COLUMNS, [_machine_row(machine) for machine in shown])
    if more:
        out.note(f"… and more; --limit 0 shows all, --limit {limit * 10} more of them.")
    return 0


def declare(args: argparse.Namespace, client: Client, out: Output) -> int:
    try:
        text = fleetfile.decode(args.file.read_bytes(), str(args.file))
    except OSError as error:
        out.note(f"forewarn: {args.file}: {error.strerror or error}.")
        return 2
    fleetfile.parse(text, str(args.file))  # so that what is wrong is told by the file's own name
    answer = client.put("/fleet", {"declaration": text})
    if out.as_json:
        out.json(answer)
    else:
        out.line(f"The fleet is what {args.file} declares.")
    return 0


def _machine_row(machine: dict[str, str]) -> tuple[str, ...]:
    return (
        machine["name"],
        machine["scope"],
        str(machine["update_domain"]),
        str(machine["fault_domain"]),
        machine["priority"],
        machine["power"],
        machine["metadata_url"],
    )


def _scope_row(scope: Any) -> tuple[str, ...]:
    return (
        scope["id"],
        scope["kind"],
        scope["scale_set"] or "",
        full_time(scope["enrolled_at"]) if scope["enrolled_at"] else "not enrolled",
        str(scope["incarnation"]),
        policy_text(scope["approval_policy"]),
        str(scope["live_events"]),
        short(scope["campaign"] or ""),
    )
