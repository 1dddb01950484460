"""`forewarn campaign`: maintenance rolled over many machines, update domain by update domain."""

import argparse
from typing import Any

from forewarn.cli.output import Output, actor, clock_time, full_time, short
from forewarn.cli.verbs import Run, Verbs, add_key, add_verb, duration, event_type
from forewarn.remote import Client, in_path

TELLS = "Roll maintenance over scopes, one update domain after another."
STEERING = {
    "pause": "Announce nothing new; what is announced goes on.",
    "resume": "Go on, also where a failed driver had halted it.",
    "cancel": "Call off what has not started, and go no further.",
}


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    noun = verbs.add_parser("campaign", help=TELLS, description=TELLS, parents=[common], allow_abbrev=False)
    actions: Verbs = noun.add_subparsers(metavar="ACTION", required=True, title="actions")
    verb = add_verb(actions, common, "start", start, "Begin one: in all the scopes named, or in none.")
    verb.add_argument("type", type=event_type, metavar="TYPE", help="Freeze, Reboot or Redeploy")
    verb.add_argument("scopes", nargs="*", metavar="SCOPE", help="a scope, or a scale set for all of its scopes")
    verb.add_argument("--all", action="store_true", help="every scope of the fleet")
    verb.add_argument("--notice", type=duration, help="how long before, such as 15m (default: the type's least)")
    verb.add_argument("--pause", type=duration, help="between update domains (default: the setting recovery_pause)")
    verb.add_argument("--description", metavar="TEXT", help="what the documents say (default: Azure's words)")
    add_key(verb)
    add_verb(actions, common, "list", list_all, "List all there ever were.")
    verb = add_verb(actions, common, "show", show, "Show how far one is, scope by scope.")
    _add_id(verb)
    for name, tells in STEERING.items():
        _add_id(add_verb(actions, common, name, _steer(name), tells))


def _add_id(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("campaign", metavar="CAMPAIGN", help="an id, or the beginning of one")


def start(args: argparse.Namespace, client: Client, out: Output) -> int:
    body = {
        "type": args.type,
        "scopes": args.scopes,
        "all": args.all,
        "notice": args.notice,
        "pause": args.pause,
        "description": args.description,
    }
    return _told(out, client.post("/campaigns", body, args.idempotency_key))


def list_all(args: argparse.Namespace, client: Client, out: Output) -> int:
    found = list(client.pages("/campaigns"))
    if out.as_json:
        out.json(found)
    elif found:
        rows = sorted(found, key=lambda c: (c["requested_at"], c["id"]))
        out.table(("CAMPAIGN", "IMPACT", "STATE", "SCOPES", "ASKED BY", "AT"), [_row(campaign) for campaign in rows])
    else:
        out.line("No campaigns.")
    return 0


def show(args: argparse.Namespace, client: Client, out: Output) -> int:
    path = f"/campaigns/{in_path(args.campaign)}"
    answer = client.get(path, limit=1)
    progress = list(client.pages(path))
    if out.as_json:
        out.json({**answer, "items": progress, "next": None})
        return 0
    campaign = answer["campaign"]
    under_way, count = answer["scopes_under_way"], campaign["scope_count"]
    out.line(f"{campaign['impact']} campaign {campaign['id']}: {campaign['state']}")
    out.line(f"{count - under_way} of {count} scopes are through.")
    out.table(("SCOPE", "NOW", "TO COME", "GOES ON", "LAST"), [_progress_row(item) for item in progress])
    return 0


def _steer(name: str) -> Run:
    def run(args: argparse.Namespace, client: Client, out: Output) -> int:
        return _told(out, client.post(f"/campaigns/{in_path(args.campaign)}/{name}"))

    return run


def _told(out: Output, campaign: Any) -> int:
    if out.as_json:
        out.json(campaign)
    else:
        out.cells(f"{campaign['impact']} campaign", short(campaign["id"]) + ":", campaign["state"])
    return 0


def _row(campaign: Any) -> tuple[str, ...]:
    return (
        short(campaign["id"]),
        campaign["impact"],
        campaign["state"],
        str(campaign["scope_count"]),
        actor(campaign["requested_by"]),
        full_time(campaign["requested_at"]),
    )


def _progress_row(item: Any) -> tuple[str, ...]:
    return (
        item["scope"],
        "through" if not item["under_way"] else "" if item["current"] is None else f"update domain {item['current']}",
        ", ".join(str(domain) for domain in item["remaining"]),
        clock_time(item["due"]) if item["due"] else "",
        item["said"],
    )
