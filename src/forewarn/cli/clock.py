"""`forewarn clock`: the fleet's time."""

import argparse
from typing import Any

from forewarn.cli.output import Output, full_time, moment, span
from forewarn.cli.verbs import Verbs, add_verb, duration, rate
from forewarn.remote import Client


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    noun = add_verb(verbs, common, "clock", read, "Show the fleet's time, or move it.")
    actions: Verbs = noun.add_subparsers(metavar="ACTION", title="actions")
    verb = add_verb(actions, common, "advance", advance, "Move the clock; ends when all that was due has happened.")
    verb.add_argument("by", type=duration, metavar="DURATION", help="such as 15m or 1h30m")
    add_verb(actions, common, "next", advance_to_next, "Move the clock to the next moment at which something happens.")
    verb = add_verb(actions, common, "rate", set_rate, "Set how fast time goes by.")
    verb.add_argument("rate", type=rate, metavar="RATE", help="60x plays an hour in a minute; 0 stands still")


def read(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _told(out, client.get("/clock"))


def advance(args: argparse.Namespace, client: Client, out: Output) -> int:
    with out.progress(f"playing {args.by}"):
        return _told(out, client.post("/clock/advance", {"by": args.by}))


def advance_to_next(args: argparse.Namespace, client: Client, out: Output) -> int:
    with out.progress("playing on"):
        return _told(out, client.post("/clock/advance", {"to": "next"}))


def set_rate(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _told(out, client.post("/clock/rate", {"rate": args.rate}))


def _told(out: Output, clock: Any) -> int:
    if out.as_json:
        out.json(clock)
        return 0
    pace = "real" if clock["real"] else "standing still" if clock["rate"] == 0 else f"{clock['rate']:g} times as fast"
    out.line(f"{full_time(clock['now'])} ({pace})")
    if clock["next"]:
        ahead = moment(clock["next"]) - moment(clock["now"])
        out.line(f"Something happens at {full_time(clock['next'])}, in {span(ahead)}.")
    else:
        out.line("Nothing is going to happen by itself.")
    return 0
