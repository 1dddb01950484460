"""`forewarn restart`, `redeploy`, `delete`, `evict`, `unhealthy`, `start`, `stop`, `deallocate`, `fail`."""

import argparse
from typing import Any

from forewarn.cli.output import Output, clock_time, short
from forewarn.cli.verbs import Run, Verbs, add_key, add_verb
from forewarn.cli.watching import wait_for
from forewarn.remote import Client, in_path

REQUESTS = {
    "restart": "Restart a machine; where somebody listens, it is announced first.",
    "redeploy": "Move a machine to another host; where somebody listens, it is announced first.",
    "delete": "Delete a machine; with a terminate notification, it is announced first.",
    "evict": "Take a Spot machine away, with 30 seconds' notice where somebody listens.",
    "unhealthy": "Report an instance of a scale set unhealthy; with automatic repairs enabled, the set repairs it.",
}
POWERS = {
    "start": "Note that a machine runs.",
    "stop": "Note that a machine is stopped.",
    "deallocate": "Note that a machine is stopped and its host given back.",
}


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    for name, tells in REQUESTS.items():
        verb = add_verb(verbs, common, name, _request(name), tells)
        verb.add_argument("machine", metavar="MACHINE", help="a name, or SCOPE/NAME")
        verb.add_argument("--wait", action="store_true", help="end when it has ended; exit status 1 if it failed")
        add_key(verb)
    for name, tells in POWERS.items():
        verb = add_verb(verbs, common, name, _power(name), tells)
        verb.add_argument("machine", metavar="MACHINE", help="a name, or SCOPE/NAME")
    verb = add_verb(verbs, common, "fail", fail, "Make the simulated driver fail on a machine, to see what follows.")
    verb.add_argument("machine", metavar="MACHINE", help="a name, or SCOPE/NAME")
    verb.add_argument("--times", type=int, default=1, metavar="N", help="how many attempts fail (default: 1)")


def fail(args: argparse.Namespace, client: Client, out: Output) -> int:
    machine = client.post(f"/machines/{in_path(args.machine)}/fail", {"times": args.times})
    if out.as_json:
        out.json(machine)
    else:
        out.line(f"The next {args.times} attempts on {machine['name']} will fail.")
    return 0


def _request(name: str) -> Run:
    def run(args: argparse.Namespace, client: Client, out: Output) -> int:
        operation = client.post(f"/machines/{in_path(args.machine)}/{name}", key=args.idempotency_key)
        if not args.wait:
            _show(out, operation, _told(client, operation))
            return 0
        with out.progress(f"{operation['impact']} of {', '.join(operation['machines'])}"):
            operation = wait_for(client, out, operation)
        _show(out, operation, f"{operation['state']}. {operation['message']}".strip())
        return 0 if operation["state"] == "Succeeded" else 1

    return run


def _show(out: Output, operation: Any, told: str) -> None:
    if out.as_json:
        out.json(operation)
    else:
        out.line(f"{operation['impact']} of {', '.join(operation['machines'])}: {told}")
        if operation["replacement"]:
            out.line(f"{operation['replacement']} takes its place.")


def _told(client: Client, operation: Any) -> str:
    if operation["event"] is None:
        return "under way, without an event: there is no notice to give."
    event = client.get(f"/events/{operation['event']}")
    if event["phase"] == "Scheduled":
        return f"announced as event {short(event['id'])}, not before {clock_time(event['not_before'])} unless approved."
    return f"event {short(event['id'])} is {event['phase']}."


def _power(name: str) -> Run:
    def run(args: argparse.Namespace, client: Client, out: Output) -> int:
        machine = client.post(f"/machines/{in_path(args.machine)}/{name}")
        if out.as_json:
            out.json(machine)
        else:
            out.line(f"{machine['name']} is {machine['power']}.")
        return 0

    return run
