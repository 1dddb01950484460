"""`forewarn agent`: from the command line to an exit status.

0 yes, 1 refused or failed, 2 wrongly called, 3 nobody there to ask. What a verb needs is imported when it is called, so
that the agent that runs for months holds nothing of the others.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from forewarn import __version__
from forewarn.agent.config import Config, Settings
from forewarn.agent.errors import AgentError, NotRunning
from forewarn.client import ClientError

OK, FAILED, MISUSED, NOBODY = 0, 1, 2, 3
CONFIG = Path("/etc/forewarn/agent.toml")
VARIABLE = "FOREWARN_AGENT_CONFIG"
DEFAULT = f" (default: {VARIABLE}, or {CONFIG})"
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
        return NOBODY if isinstance(error, NotRunning) else FAILED
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
    _add_settings(run, *FLAGS)
    _add_check(verbs)
    _add_status(verbs)
    _add_approve(verbs)
    return parser


def _add_check(verbs: Any) -> None:
    tells = "Check a configuration, and say what would run for each type of event. Does nothing."
    check = _verb(verbs, "check", _check, tells)
    check.add_argument(
        "config", nargs="?", type=Path, metavar="FILE", default=_default(), help=f"the configuration{DEFAULT}"
    )
    check.add_argument("--strict", action="store_true", help="warnings are errors: exit status 1")
    _add_settings(check, *FLAGS)


def _add_status(verbs: Any) -> None:
    tells = "What is coming, and how far the agent is with it. Exit status 3 if the agent does not run."
    status = _verb(verbs, "status", _status, tells)
    _add_config(status)
    _add_settings(status, "state", "dry_run")
    status.add_argument("--json", action="store_true", help="answer in JSON, for programs")
    status.add_argument("--watch", action="store_true", help="show it again every second, until Ctrl-C")


def _add_approve(verbs: Any) -> None:
    approve = _verb(verbs, "approve", _approve, "Answer for an event whose approval is left to a person.")
    approve.add_argument(
        "event", nargs="?", default="", metavar="EVENT", help="its id or the beginning of it (default: the only one)"
    )
    approve.add_argument("--no", action="store_true", help="do not approve it; it starts when its notice is over")
    _add_config(approve)
    _add_settings(approve, "state", "dry_run")


def _add_settings(verb: argparse.ArgumentParser, *names: str) -> None:
    """What is not given stays out of the result, and leaves the word to the environment and the file."""
    for setting in names:
        metavar, tells = FLAGS[setting]
        option = f"--{setting.replace('_', '-')}"
        if metavar:
            verb.add_argument(option, metavar=metavar, default=argparse.SUPPRESS, help=tells)
        else:
            verb.add_argument(option, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=tells)


def _configuration(args: argparse.Namespace) -> Config:
    from forewarn.agent.reading import read_config

    return read_config(args.config, os.environ, _flags(args))


def _flags(args: argparse.Namespace) -> dict[str, object]:
    return {field.name: getattr(args, field.name) for field in fields(Settings) if hasattr(args, field.name)}


def _state(args: argparse.Namespace) -> Path:
    """Where the agent is. A machine without a configuration may have one all the same."""
    from forewarn.agent.directory import state_of
    from forewarn.agent.reading import parse_config

    if hasattr(args, "state") or (args.config == CONFIG and not CONFIG.exists()):
        return state_of(parse_config("", os.environ, _flags(args)).settings)
    return state_of(_configuration(args).settings)


def _verb(verbs: Any, name: str, run: Any, tells: str) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(name, help=tells, description=tells, allow_abbrev=False)
    verb.set_defaults(run=run)
    return verb


def _add_config(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        default=_default(),
        help=f"the configuration{DEFAULT}",
    )


def _default() -> Path:
    return Path(os.environ.get(VARIABLE) or CONFIG)


def _run(args: argparse.Namespace) -> int:
    from forewarn.agent.logs import set_up
    from forewarn.agent.running import run

    config = _configuration(args)
    run(config, lambda: _configuration(args), set_up(config.settings.log))
    return OK


def _check(args: argparse.Namespace) -> int:
    from forewarn.agent.checking import warnings
    from forewarn.agent.telling import tell

    config = _configuration(args)
    for line in tell(config):
        print(line)
    found = warnings(config)
    for warning in found:
        print(f"warning: {warning}", file=sys.stderr)
    return FAILED if found and args.strict else OK


def _status(args: argparse.Namespace) -> int:
    from forewarn.agent.showing import find, show, watch

    directory = _state(args)
    if args.watch:
        watch(lambda: show(find(directory)))
    told = find(directory)
    print(json.dumps(told, indent=2) if args.json else show(told))
    return OK if told["running"] else NOBODY


def _approve(args: argparse.Namespace) -> int:
    from forewarn.agent.deciding import decide

    print(decide(_state(args), args.event, yes=not args.no))
    return OK
