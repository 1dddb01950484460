"""`forewarn policy`: whose yes lets the events of a scope start before their NotBefore."""

import argparse
from typing import Any

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb, count
from forewarn.domain.consent import Rule
from forewarn.remote import Client, Refusal, in_path

TELLS = "Show or choose whose yes lets the events of a scope start before their time."


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "policy", policy, TELLS)
    verb.add_argument("scope", metavar="SCOPE", help="a scope, or a scale set for all of its scopes")
    rules = [rule.value for rule in Rule]
    verb.add_argument("rule", nargs="?", choices=rules, metavar="RULE", help=f"{', '.join(rules[:-1])} or {rules[-1]}")
    verb.add_argument("count", nargs="?", type=count, metavar="K", help="for k-of-n: how many machines")


def policy(args: argparse.Namespace, client: Client, out: Output) -> int:
    if args.rule is None:
        scopes = _found(client, args.scope)
    else:
        wanted = {"approval_policy": {"rule": args.rule, "count": args.count}}
        scopes = client.patch(f"/scopes/{in_path(args.scope)}", wanted)["items"]
    if out.as_json:
        out.json([{"scope": scope["id"], **scope["approval_policy"]} for scope in scopes])
    else:
        rows = [(scope["id"], policy_text(scope["approval_policy"])) for scope in scopes]
        out.table(("SCOPE", "APPROVAL POLICY"), rows)
    return 0


def _found(client: Client, name: str) -> list[Any]:
    """The scope, or those of the scale set of that name."""
    try:
        return [client.get(f"/scopes/{in_path(name)}")]
    except Refusal:
        groups = [scope for scope in client.pages("/scopes") if scope["scale_set"] == name]
        if not groups:
            raise
        return groups


def policy_text(policy: Any) -> str:
    return f"{policy['count']}-of-n" if policy["count"] else str(policy["rule"])
