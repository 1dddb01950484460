"""`forewarn portal`: the way into the portal."""

import argparse
import webbrowser

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.remote import Client


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "portal", link, "Print a link that opens the portal, once, within 15 minutes.")
    verb.add_argument("--open", action="store_true", help="open it in the browser too")


def link(args: argparse.Namespace, client: Client, out: Output) -> int:
    made = client.post("/portal/links")
    if out.as_json:
        out.json(made)
    else:
        out.line(made["url"])
    if args.open and not webbrowser.open(made["url"]):
        out.note("forewarn: no browser was found: open the link yourself.")
        return 1
    return 0
