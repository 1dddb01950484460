"""`forewarn agent`: from the command line to an exit status.

0 yes, 1 refused or failed, 2 wrongly called, 3 nobody there to ask. What a verb needs is imported when it is called, so
that the agent that runs for months holds nothing of the others.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from forewarn import __version__
from forewarn.agent.config import Config, Settings
from forewarn.agent.errors import AgentError
from forewarn.client import ClientError

OK, FAILED, MISUSED, NOBODY = 0, 1, 2, 3
CONFIG = Path("/etc/forewarn/agent.toml")
VARIABLE = "FOREWARN_AGENT_CONFIG"
EPILOG = "Exit status: 0 yes, 1 refused or failed, 2 wrongly called, 3 nobody there to ask."
FLAGS = {
    "endpoint": ("URL", "where the metadata service is (default: found out)"),
    "name": ("NAME", "this machine as events name it (default: found out)"),
    "state": ("DIR", "the journal and all else that must outlive the agent (default: /var/lib/forewarn-agent)"),
    "listen": ("ADDR:PORT", 'where /metrics, /healthz, /drained and /ready are; "" for nowhere'),
    "approve": ("HOW", "own, leader, all-ready, never or ask; where a rule does not say (default: own)"),
    "takeover": ("DURATION", "how long each machine in line gives the one before it to approve (default: 30s)"),
    "margin": ("DURATION", "what is kept free before an event starts (default: 5s)"),
    "short_path": ("DURATION", "with less notice than this, steps get their urgent limits (default: 45s)"),
    "poll": ("DURATION", "how often to ask where the server cannot hold a request back (default: 1s)"),
    "peers": ("WHERE", "for all-ready: http://{name}:9255/ready/{event}, or a shared directory"),
    "log": ("FORM", "text or json (default: text)"),
    "dry_run": ("", "say what would be done; do nothing and approve nothing"),
    "record": ("DIR", "keep the documents as they were seen, secrets removed"),
}


def main(argv: Sequence[str] | None = None, name: str = "forewarn agent") -> int:
    args = build_parser(name).parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except (AgentError, ClientError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        with suppress(OSError):  # whoever read the output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    return status


def build_parser(name: str = "forewarn agent") -> argparse.ArgumentParser:
    tells = "Prepares this machine for what is coming, approves when it is ready, and undoes afterwards."
    parser = argparse.ArgumentParser(prog=name, description=tells, epilog=EPILOG, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"forewarn {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True, title="verbs")
    run = _verb(verbs, "run", _run, "Run the agent, until SIGTERM or Ctrl-C; SIGHUP reads the configuration anew.")
    _add_config(run)
    add_settings(run, FLAGS)
    return parser


def add_settings(verb: argparse.ArgumentParser, names: Sequence[str] | dict[str, Any]) -> None:
    """What is not given stays out of the result, and leaves the word to the environment and the file."""
    for setting in names:
        metavar, tells = FLAGS[setting]
        option = f"--{setting.replace('_', '-')}"
        if metavar:
            verb.add_argument(option, metavar=metavar, default=argparse.SUPPRESS, help=tells)
        else:
            verb.add_argument(option, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=tells)


def configuration(args: argparse.Namespace) -> Config:
    from forewarn.agent.reading import read_config

    flags = {field.name: getattr(args, field.name) for field in fields(Settings) if hasattr(args, field.name)}
    return read_config(args.config, os.environ, flags)


def _verb(verbs: Any, name: str, run: Any, tells: str) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(name, help=tells, description=tells, allow_abbrev=False)
    verb.set_defaults(run=run)
    return verb


def _add_config(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        default=Path(os.environ.get(VARIABLE) or CONFIG),
        help=f"the configuration (default: {VARIABLE}, or {CONFIG})",
    )


def _run(args: argparse.Namespace) -> int:
    from forewarn.agent.logs import set_up
    from forewarn.agent.running import run

    config = configuration(args)
    run(config, lambda: configuration(args), set_up(config.settings.log))
    return OK
