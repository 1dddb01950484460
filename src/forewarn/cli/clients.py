"""`forewarn client`: who can log in beside the local login."""

import argparse

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.remote import Client, in_path

CLIENT = "Let programs and people log in with a client id and a secret of their own."


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    noun = verbs.add_parser("client", help=CLIENT, description=CLIENT, parents=[common], allow_abbrev=False)
    actions: Verbs = noun.add_subparsers(metavar="ACTION", required=True, title="actions")
    add_verb(actions, common, "list", list_all, "List who can log in.")
    verb = add_verb(actions, common, "add", add, "Make one, and print its secret, this once. It has no role yet.")
    verb.add_argument("id", metavar="NAME", help="letters, digits, dots and dashes")
    verb = add_verb(actions, common, "remove", remove, "Let one log in no longer; its roles are taken away.")
    verb.add_argument("id", metavar="NAME", help="one of `forewarn client list`")


def list_all(args: argparse.Namespace, client: Client, out: Output) -> int:
    found = list(client.pages("/clients"))
    if out.as_json:
        out.json(found)
    else:
        out.table(("CLIENT", "OBJECT ID"), [(one["id"], one["object_id"]) for one in found])
    return 0


def add(args: argparse.Namespace, client: Client, out: Output) -> int:
    made = client.post("/clients", {"id": args.id})
    if out.as_json:
        out.json(made)
        return 0
    out.line(f"{made['id']} can log in, with this secret, which is not shown again: {made['secret']}")
    out.line(f"For az: az login --service-principal -u {made['id']} -p SECRET --tenant {made['tenant']}")
    out.line(f"It has no role yet: forewarn role assign {made['id']} Reader")
    return 0


def remove(args: argparse.Namespace, client: Client, out: Output) -> int:
    gone = client.delete(f"/clients/{in_path(args.id)}")
    if out.as_json:
        out.json(gone)
    else:
        out.line(f"{gone['id']} can no longer log in, and has no role any more.")
    return 0
