"""`forewarn requests`: who has asked the metadata service for what, and what came of it."""

import argparse
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from forewarn.cli.output import Output, clock_time, short
from forewarn.cli.verbs import Verbs, add_verb, count
from forewarn.remote import Client

TELLS = "Show what clients have asked the metadata service. For trying clients, not for work."
COLUMNS = ("NUMBER", "AT", "MACHINE", "ASKED", "ANSWER", "FAULTS", "CLIENT")
SHOWN = 50
LOOK = 1.0  # seconds after which what is not answered yet is shown as such
FORGOTTEN = 500  # requests later, what was never answered is no longer looked after


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    noun = add_verb(verbs, common, "requests", show, TELLS)
    noun.add_argument("--machine", metavar="MACHINE", help="only those of this one: a name, or SCOPE/NAME")
    noun.add_argument("-n", "--last", type=count, default=SHOWN, metavar="N", help=f"the last N; 0 is all ({SHOWN})")
    noun.add_argument("--follow", action="store_true", help="keep and show what is asked from now on; Ctrl-C ends it")
    actions: Verbs = noun.add_subparsers(metavar="ACTION", title="actions")
    add_verb(actions, common, "keep", keep, "Keep what clients ask from now on, the last 10,000 requests.")
    add_verb(actions, common, "forget", forget, "Keep them no longer, and forget those there are.")


def show(args: argparse.Namespace, client: Client, out: Output) -> int:
    if args.follow:
        return follow(args, client, out)
    found = list(_all(client, args.machine))[-args.last :]
    if out.as_json:
        out.json(found)
    elif found:
        out.table(COLUMNS, [_row(request) for request in found])
    elif client.get("/requests", after=0)["kept"]:
        out.line("No requests.")
    else:
        out.note("forewarn: Requests are not kept. `forewarn requests keep` keeps them from now on.")
        return 1
    return 0


def follow(args: argparse.Namespace, client: Client, out: Output) -> int:
    now = client.get("/requests", machine=args.machine)
    if not now["kept"]:
        client.put("/requests", {"keep": True})
    try:
        with suppress(KeyboardInterrupt):  # the usual way to end it
            for request in _coming(client, args.machine, now["last"]):
                out.json_line(request) if out.as_json else out.cells(*_row(request))
    finally:
        if not now["kept"]:
            client.put("/requests", {"keep": False})
    return 0


def keep(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _kept(out, client.put("/requests", {"keep": True}), "Requests are kept from now on.")


def forget(args: argparse.Namespace, client: Client, out: Output) -> int:
    return _kept(out, client.put("/requests", {"keep": False}), "Requests are no longer kept.")


def _kept(out: Output, answer: Any, told: str) -> int:
    out.json(answer) if out.as_json else out.line(told)
    return 0


def _all(client: Client, machine: str | None, after: int = 0) -> Iterator[Any]:
    while page := client.get("/requests", after=after, machine=machine)["items"]:
        yield from page
        after = page[-1]["number"]


def _coming(client: Client, machine: str | None, last: int) -> Iterator[Any]:
    """Each request once it is answered; one that is not answered soon also before that."""
    open_ones: dict[int, bool] = {}  # their numbers, and whether they were shown already
    while True:
        client.get("/requests", after=last, machine=machine, wait=LOOK)
        for request in list(_all(client, machine, min(open_ones, default=last + 1) - 1)):
            number = request["number"]
            if number <= last and number not in open_ones:
                continue
            answered, late = request["status"] is not None, open_ones.get(number) is False
            if answered or late:
                yield request
            if answered:
                open_ones.pop(number, None)
            else:
                open_ones[number] = number in open_ones
            last = max(last, number)
        open_ones = {number: shown for number, shown in open_ones.items() if number > last - FORGOTTEN}


def _row(request: Any) -> tuple[str, ...]:
    return (
        str(request["number"]),
        clock_time(request["at"]),
        request["machine"],
        _asked(request),
        _answer(request),
        ", ".join(request["faults"]),
        request["fields"].get("user-agent", ""),
    )


def _asked(request: Any) -> str:
    match request["asked"]:
        case "poll":
            return "poll"
        case "approval":
            return " ".join(["approval of", *_approved(request["body"])])
        case _:
            return f"{request['method']} {request['target'].partition('?')[0]}"


def _approved(body: str) -> list[str]:
    """The beginnings of the ids; what else a client may send is not for a table."""
    try:
        return [short(str(start["EventId"])) for start in json.loads(body)["StartRequests"]]
    except (ValueError, LookupError, TypeError):
        return ["something else"]


def _answer(request: Any) -> str:
    if request["status"] is None:
        return "none yet"
    incarnation = request["incarnation"]
    return str(request["status"]) if incarnation is None else f"{request['status']}, incarnation {incarnation}"
