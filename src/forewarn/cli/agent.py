"""`forewarn agent`: handed over before this parser is made; here it is listed with the other verbs."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forewarn.cli.output import Output
    from forewarn.cli.verbs import Verbs
    from forewarn.remote import Client

TELLS = (
    "Inside a machine: prepare for what is coming, approve when ready, undo afterwards (run, check, status, approve)."
)


def add_verbs(verbs: "Verbs", common: argparse.ArgumentParser) -> None:
    verb = verbs.add_parser("agent", help=TELLS, description=TELLS, add_help=False)
    verb.add_argument("words", nargs=argparse.REMAINDER, help="`forewarn agent --help` has them")
    verb.set_defaults(run=agent)


def agent(args: argparse.Namespace, client: "Client", out: "Output") -> int:
    """Only for who puts an option of the other verbs before it."""
    from forewarn.agent.main import main

    return main(args.words)
