"""What the files of the verbs share: how a verb is added, and types of arguments."""

import argparse
from collections.abc import Callable
from typing import TypeAlias

from forewarn.cli.output import Output
from forewarn.domain.errors import Invalid
from forewarn.domain.events import EventType
from forewarn.domain.rates import read_rate
from forewarn.remote import Client
from forewarn.wire.durations import parse_duration

Run: TypeAlias = Callable[[argparse.Namespace, Client, Output], int]
Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_verb(verbs: Verbs, common: argparse.ArgumentParser, name: str, run: Run, tells: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=tells, description=tells, parents=[common], allow_abbrev=False)
    verb.set_defaults(run=run)
    return verb


def add_key(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--idempotency-key", metavar="KEY", help="sent again with the same key, the command is not done again"
    )


def duration(text: str) -> str:
    """Checked here, so that a slip of the pen is a usage error; sent as it is."""
    try:
        parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def seconds(text: str) -> float:
    """Of real time."""
    return parse_duration(duration(text)).total_seconds()


def event_type(text: str) -> str:
    for kind in EventType:
        if kind.value.lower() == text.lower():
            return kind.value
    raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(kind.value for kind in EventType)}")


def rate(text: str) -> float:
    try:
        return read_rate(text)
    except Invalid as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, 0 or more")
    return int(text)


def address(text: str) -> tuple[str, int]:
    """`127.0.0.1:8254` or `[::1]:8254`."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address and a port, such as 127.0.0.1:8254")
    return host.removeprefix("[").removesuffix("]"), int(port)
