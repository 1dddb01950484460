"""`forewarn faults`: what is made to go wrong at the metadata endpoint, to try a client against it."""

import argparse
from datetime import timedelta
from typing import Any

from forewarn.cli.output import Output, clock_time, short
from forewarn.cli.verbs import Verbs, add_key, add_verb, count, duration
from forewarn.domain.faults import NEEDS_BY, Asked, FaultKind
from forewarn.remote import Client, in_path
from forewarn.wire.durations import format_duration, parse_duration

TELLS = "List the faults that clients meet at the metadata endpoint, or set some. For trying clients, not for work."
COLUMNS = ("FAULT", "KIND", "FOR", "HOW", "MET")


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    noun = add_verb(verbs, common, "faults", list_all, TELLS)
    actions: Verbs = noun.add_subparsers(metavar="ACTION", title="actions")
    _add_add(add_verb(actions, common, "add", add, "Let clients of a machine, or of a scope, meet a fault."))
    verb = add_verb(actions, common, "clear", clear, "Take a fault back, or all of them.")
    verb.add_argument("fault", nargs="?", metavar="FAULT", help="an id, or the beginning of one (default: all)")


def _add_add(verb: argparse.ArgumentParser) -> None:
    kinds = [kind.value for kind in FaultKind]
    verb.add_argument("kind", choices=kinds, metavar="KIND", help=", ".join(kinds))
    verb.add_argument("machine", nargs="?", metavar="MACHINE", help="a name, or SCOPE/NAME")
    verb.add_argument("--scope", help="instead of one machine: all of a scope, or of a scale set")
    verb.add_argument("--status", type=count, help="what status answers with (default: 500)")
    verb.add_argument(
        "--by", type=shift, metavar="DURATION", help="how much, such as 30s; for skewed times also --by=-5m"
    )
    verb.add_argument("--value", metavar="TEXT", help="what content-type says (default: text/plain)")
    asked = [asked.value for asked in Asked]
    verb.add_argument("--asked", choices=asked, metavar="WHAT", help=f"{', '.join(asked)} (default: any)")
    verb.add_argument("--requests", type=count, metavar="N", help="so many requests of each machine (default: all)")
    verb.add_argument("--skip", type=count, metavar="N", help="leave so many requests of each machine alone first")
    verb.add_argument("--lasts", type=duration, metavar="DURATION", help="by the fleet's clock (default: for good)")
    verb.add_argument("--probability", type=float, metavar="P", help="of each request, up to 1 (default: 1)")
    verb.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same faults (default: 0)")
    add_key(verb)


def shift(text: str) -> str:
    """A duration, or how much earlier."""
    duration(text.removeprefix("-"))
    return text


def list_all(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _told(out, client.get("/faults")["items"])


def add(args: argparse.Namespace, client: Client, out: Output) -> int:
    if (args.machine is None) == (args.scope is None):
        out.note("forewarn: Say for whom: MACHINE, or --scope SCOPE.")
        return 2
    if args.by is None and FaultKind(args.kind) in NEEDS_BY:
        out.note(f"forewarn: Say by how much: forewarn faults add {args.kind} … --by 30s")
        return 2
    names = ("kind", "machine", "scope", "status", "by", "value", "asked", "requests", "skip", "lasts", "probability")
    body = {name: getattr(args, name) for name in (*names, "seed")}
    return _told(out, client.post("/faults", body, args.idempotency_key)["items"])


def clear(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _told(out, client.delete("/faults" if args.fault is None else f"/faults/{in_path(args.fault)}")["items"])


def _told(out: Output, faults: Any) -> int:
    if out.as_json:
        out.json(faults)
    elif faults:
        out.table(COLUMNS, [_row(fault) for fault in faults])
    else:
        out.line("No faults.")
    return 0


def _row(fault: Any) -> tuple[str, ...]:
    whom = fault["machine"] or f"all of {fault['scope']}"
    return short(fault["id"]), fault["kind"], whom, ", ".join(_how(fault)), str(fault["met"])


def _how(fault: Any) -> list[str]:
    said = {"status": str(fault["status"]), "content-type": fault["value"]}
    words = [said[fault["kind"]]] if fault["kind"] in said else []
    if length := _length(fault["by"]):
        words.append(f"by {length}")
    if fault["asked"] != "any":
        words.append(f"each {fault['asked']}")
    if fault["requests"] is not None:
        words.append(f"{fault['requests']} of each machine")
    if fault["skip"]:
        words.append(f"after {fault['skip']}")
    if fault["probability"] < 1:
        words.append(f"{fault['probability']:.0%} with seed {fault['seed']}")
    if fault["until"]:
        words.append("over" if fault["over"] else f"until {clock_time(fault['until'])}")
    return words


def _length(iso: str) -> str:
    length = parse_duration(iso.removeprefix("-"))
    return ("-" if iso.startswith("-") else "") + format_duration(length) if length > timedelta(0) else ""
