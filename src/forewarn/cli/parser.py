"""Every verb and every option, with its help."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forewarn import __version__
from forewarn.cli import (
    agent,
    campaign,
    clients,
    clock,
    doctor,
    env,
    events,
    faults,
    fleet,
    history,
    machines,
    operations,
    policy,
    portal,
    record,
    requests,
    roles,
    run,
    scenario,
    trying,
    up,
)
from forewarn.remote import DEFAULT_SERVER

if TYPE_CHECKING:
    from forewarn.cli.verbs import Verbs

DESCRIPTION = "Machines are told what is about to happen to them, prepare, approve, and only then it happens."
EPILOG = "Exit status: 0 yes, 1 refused or failed, 2 wrongly called, 3 nobody there to ask."


def build_parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--server", metavar="URL", help=f"the control plane (default: FOREWARN_SERVER, or {DEFAULT_SERVER})"
    )
    common.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="its data directory, where the login is (default: FOREWARN_DATA, or what `forewarn up` noted)",
    )
    common.add_argument("--json", action="store_true", help="answer in JSON, for programs")
    parser = argparse.ArgumentParser(
        prog="forewarn", description=DESCRIPTION, epilog=EPILOG, parents=[common], allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"forewarn {__version__}")
    verbs: Verbs = parser.add_subparsers(metavar="VERB", required=True, title="verbs")
    nouns = (
        up,
        portal,
        fleet,
        events,
        policy,
        machines,
        operations,
        campaign,
        history,
        clock,
        faults,
        requests,
        env,
        roles,
        clients,
        trying,
        run,
        scenario,
        record,
        doctor,
        agent,
    )
    for noun in nouns:
        noun.add_verbs(verbs, common)
    return parser
