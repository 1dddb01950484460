"""`forewarn up`: starts Forewarn, as it is told."""

import argparse
import logging
import os
from collections.abc import Iterator
from datetime import timedelta
from importlib import resources
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, address
from forewarn.cli.welcome import show
from forewarn.domain.errors import ForewarnError, Invalid
from forewarn.domain.rates import rate_of
from forewarn.domain.settings import LONGEST_FIRST_ANSWER
from forewarn.remote import CONTROL, Client
from forewarn.remote.instances import Instance, forget, note
from forewarn.remote.login import DATA, VARIABLE, named_data
from forewarn.wire.durations import parse_duration

if TYPE_CHECKING:
    from forewarn.wiring import Forewarn, Options

TELLS = "Start Forewarn; Ctrl-C stops it."
METADATA, ARM = "127.0.0.1:8254", "127.0.0.1:8443"
LOG_LEVELS = ("debug", "info", "warning", "error")


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = verbs.add_parser("up", help=TELLS, description=TELLS, allow_abbrev=False)
    verb.set_defaults(run=up)
    _add_places(verb)
    fleet = verb.add_mutually_exclusive_group()
    fleet.add_argument(
        "--fleet", type=Path, metavar="FILE", help="the fleet file (default: what DIR holds, at first a small sample)"
    )
    fleet.add_argument("--empty", action="store_true", help="begin without the sample fleet")
    verb.add_argument(
        "--clock",
        type=clock,
        default="real",
        help="real, manual (stands still until `forewarn clock advance`), or a rate such as 60x (default: real)",
    )
    _add_metadata_options(verb)
    verb.add_argument("--log-level", choices=LOG_LEVELS, default="warning", help="how much to log (default: warning)")
    verb.add_argument("--json", action="store_true", help="say in JSON when it is up, for programs")
    verb.add_argument("--development", action="store_true", help=argparse.SUPPRESS)


def _add_places(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--metadata",
        type=address,
        default=METADATA,
        metavar="ADDR:PORT",
        help=f"where machines ask for their documents (default: {METADATA})",
    )
    verb.add_argument(
        "--control",
        type=address,
        default=CONTROL,
        metavar="ADDR:PORT",
        help=f"where people and programs ask (default: {CONTROL})",
    )
    verb.add_argument(
        "--arm",
        type=address,
        default=ARM,
        metavar="ADDR:PORT",
        help=f"where Azure's own clients ask, over HTTPS (default: {ARM})",
    )
    verb.add_argument(
        "--data",
        type=Path,
        default=argparse.SUPPRESS,
        metavar="DIR",
        help=f"where state is kept (default: {VARIABLE}, or ./{DATA})",
    )


def _add_metadata_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--identity",
        default="loopback",
        metavar="HOW",
        help="how the machine that asks is known: loopback (the address it connects to), source (the address it "
        "comes from), or machine=NAME (everybody is NAME) (default: loopback)",
    )
    verb.add_argument("--sockets", type=Path, metavar="DIR", help="also listen on a unix socket per machine, in DIR")
    verb.add_argument(
        "--any-address", action="store_true", help="allow wildcard addresses, and a control plane beyond loopback"
    )
    verb.add_argument(
        "--host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="a name clients may ask by, beside addresses and localhost; may be repeated",
    )
    verb.add_argument(
        "--first-answer-delay",
        type=delay,
        metavar="DURATION",
        help="how long a scope's first request waits, up to 2m as in Azure (default: the fleet file's setting)",
    )
    verb.add_argument(
        "--rate-limit",
        type=rate_limit,
        metavar="N",
        help="answer 429 beyond N requests a second and machine; Azure allows 5 (default: no limit)",
    )
    verb.add_argument(
        "--faults", action="store_true", help="`forewarn faults` and `forewarn requests` work on a real clock, too"
    )


def clock(text: str) -> str:
    """Checked here, so that a slip of the pen is a usage error; read again where the clock is made."""
    try:
        rate_of(text)
    except Invalid as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def rate_limit(text: str) -> float:
    try:
        limit = float(text)
    except ValueError:
        limit = 0.0
    if not 0 < limit < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of requests a second")
    return limit


def delay(text: str) -> timedelta:
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if length > LONGEST_FIRST_ANSWER:
        raise argparse.ArgumentTypeError(f"{text!r} is more than two minutes")
    return length


def up(args: argparse.Namespace, client: Client, out: Output) -> int:
    from forewarn import wiring  # takes a while, and no other verb needs it

    logging.basicConfig(
        level=args.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )

    noted: list[Instance] = []

    async def announce(forewarn: "Forewarn") -> None:
        noted.extend(_note(forewarn, options, out))
        await show(forewarn, options, out)

    try:
        options = options_of(args)
        wiring.serve(options, announce)
    except ForewarnError as error:
        out.note(f"forewarn: {error}")
        return 1
    except OSError as error:
        out.note(f"forewarn: {error.filename or 'Forewarn'}: {error.strerror or error}.")
        return 1
    finally:
        for instance in noted:
            forget(instance)
    if not out.as_json:
        out.line("Stopped.")
    return 0


def _note(forewarn: "Forewarn", options: "Options", out: Output) -> Iterator[Instance]:
    assert options.data is not None, "--data has a default"
    instance = Instance(
        control=forewarn.control_url, arm=forewarn.arm_url, data=str(options.data.absolute()), pid=os.getpid()
    )
    try:
        note(instance)
    except OSError as error:
        out.note(f"forewarn: {error}. Other commands will need --data to find the login.")
        return
    yield instance


def options_of(args: argparse.Namespace) -> "Options":
    from forewarn.imds import Limits, Rules
    from forewarn.wiring import Options

    sample = resources.files("forewarn.cli").joinpath("sample-fleet.toml").read_text(encoding="utf-8")
    return Options(
        metadata=args.metadata,
        control=args.control,
        arm=args.arm,
        data=named_data(getattr(args, "data", None)) or Path(DATA),
        fleet=args.fleet,
        sample="" if args.empty else sample,
        clock=args.clock,
        identity=args.identity,
        sockets=args.sockets,
        any_address=args.any_address,
        first_answer_delay=args.first_answer_delay,
        faults=args.faults,
        development=args.development,
        limits=Limits(rate=args.rate_limit),
        rules=Rules(host_names=frozenset(name.lower() for name in args.host_name)),
    )
