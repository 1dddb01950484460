"""`forewarn role`, `forewarn whoami`, `forewarn keys`: who may do what."""

import argparse
from typing import Any

from forewarn.cli.output import Output, full_time
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.domain.access import Role
from forewarn.remote import Client, Refusal, in_path

ROLE = "Give roles, and take them away: to the identities of machines, and to clients."
KEYS = "The keys that sign tokens."


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    noun = verbs.add_parser("role", help=ROLE, description=ROLE, parents=[common], allow_abbrev=False)
    actions: Verbs = noun.add_subparsers(metavar="ACTION", required=True, title="actions")
    add_verb(actions, common, "list", list_all, "List the roles that were given.")
    _add_role(add_verb(actions, common, "assign", assign, "Give a role."))
    _add_role(add_verb(actions, common, "remove", remove, "Take a role away."))
    add_verb(verbs, common, "whoami", whoami, "Show as whom the commands ask, and with which roles.")
    noun = verbs.add_parser("keys", help=KEYS, description=KEYS, parents=[common], allow_abbrev=False)
    actions = noun.add_subparsers(metavar="ACTION", required=True, title="actions")
    add_verb(actions, common, "rotate", rotate, "Sign with a new key from now on; tokens of the old one still hold.")


def _add_role(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("principal", metavar="PRINCIPAL", help="machine:NAME, a client's id, or an object id")
    verb.add_argument("role", type=role, metavar="ROLE", help=", ".join(kind.value for kind in Role))
    verb.add_argument("--group", metavar="GROUP", help="in this resource group (default: on the whole subscription)")


def role(text: str) -> str:
    for kind in Role:
        if kind.value.lower() == text.lower():
            return kind.value
    raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(kind.value for kind in Role)}")


def list_all(args: argparse.Namespace, client: Client, out: Output) -> int:
    found = list(client.pages("/roles"))
    if out.as_json:
        out.json(found)
    else:
        _table(out, found)
    return 0


def assign(args: argparse.Namespace, client: Client, out: Output) -> int:
    body = {"principal": args.principal, "role": args.role, "group": args.group}
    return _told(out, client.post("/roles", body), "is now")


def remove(args: argparse.Namespace, client: Client, out: Output) -> int:
    """A machine that is gone can still lose its role: here the principal is a text, and SCOPE/ may be left out."""
    machine, _, name = args.principal.partition(":")
    wanted = (args.role, (args.group or "").lower())
    found = [
        given
        for given in client.pages("/roles")
        if (given["role"], _group(given).lower()) == wanted
        and (
            given["principal"] == args.principal
            or (machine == "machine" and given["principal"].startswith("machine:") and _last(given) == name)
        )
    ]
    if not found:
        raise Refusal(
            f"{args.principal} is no {args.role} there. `forewarn role list` lists the roles that were given."
        )
    if len(found) > 1:
        raise Refusal(f"Say which one: {' or '.join(given['principal'] for given in found)}.")
    return _told(out, client.delete(f"/roles/{in_path(found[0]['id'])}"), "is no longer")


def whoami(args: argparse.Namespace, client: Client, out: Output) -> int:
    told = client.get("/whoami")
    if out.as_json:
        out.json(told)
    else:
        out.line(f"{told['name']}, object id {told['object_id']}, at {client.server}")
        _table(out, told["roles"])
    return 0


def rotate(args: argparse.Namespace, client: Client, out: Output) -> int:
    told = client.post("/keys/rotate")
    if out.as_json:
        out.json(told)
    else:
        out.line(f"Tokens are signed by a new key since {full_time(told['created'])}: {told['signing']}")
    return 0


def _told(out: Output, given: Any, verb: str) -> int:
    if out.as_json:
        out.json(given)
    else:
        out.line(f"{given['principal']} {verb} {given['role']} {_where(given)}.")
    return 0


def _table(out: Output, found: list[Any]) -> None:
    rows = sorted((given["principal"], given["role"], _where(given)) for given in found)
    out.table(("PRINCIPAL", "ROLE", "WHERE"), rows)


def _where(given: Any) -> str:
    return f"in the resource group {_group(given)}" if _group(given) else "on the subscription"


def _group(given: Any) -> str:
    """ "" on the whole subscription."""
    parts = given["scope"].split("/")
    return str(parts[4]) if len(parts) > 4 else ""


def _last(given: Any) -> str:
    return str(given["principal"]).rpartition("/")[2]
