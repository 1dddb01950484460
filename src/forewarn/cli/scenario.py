"""`forewarn scenario`: prints a scenario to start from, a shipped one or one made from a recording."""

import argparse
from pathlib import Path

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.remote import Client

TELLS = "Print a scenario: a shipped one by its name, or what a recording saw, to be played by `forewarn run`."
CANNOT = 2


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "scenario", scenario, TELLS)
    verb.add_argument("source", metavar="NAME|DIR", help="a shipped scenario, or the directory of a recording")
    verb.add_argument("--machine", default="", metavar="NAME", help="whose recording it is, if it does not say itself")


def scenario(args: argparse.Namespace, client: Client, out: Output) -> int:
    from forewarn.testing.scenarios import ScenarioError, names, scenario_from, text_of

    try:
        text = text_of(args.source) if args.source in names() else scenario_from(Path(args.source), args.machine)
    except ScenarioError as error:
        out.note(f"forewarn: {error}")
        return CANNOT
    if out.as_json:
        out.json({"scenario": text})
    else:
        print(text, end="")
    return 0
