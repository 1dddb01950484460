"""`forewarn with`, `forewarn token`: for tests in any language, which move the fleet's time over HTTP."""

import argparse
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb
from forewarn.remote import Client, Refusal
from forewarn.remote.login import SERVER_VARIABLE, TOKEN_VARIABLE

if TYPE_CHECKING:
    from forewarn.testing.hosting import Host

ONE_MACHINE = "[machine.vm]\n"
WITH = "Run a command beside a Forewarn of its own, whose clock stands still; the exit status is the command's."
NOT_FOUND, INTERRUPTED = 127, 128


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = verbs.add_parser("with", help=WITH, description=WITH, allow_abbrev=False)
    verb.set_defaults(run=run_with)
    verb.add_argument("--fleet", type=Path, metavar="FILE", help="the fleet file (default: one machine, vm)")
    verb.add_argument("command", nargs="+", metavar="COMMAND", help="given FOREWARN_SERVER and FOREWARN_TOKEN")
    add_verb(verbs, common, "token", token, "Print a token for the API, which holds a day.")


def token(args: argparse.Namespace, client: Client, out: Output) -> int:
    told = client.token()
    if out.as_json:
        out.json({"token": told})
    else:
        out.line(told)
    return 0


def run_with(args: argparse.Namespace, client: Client, out: Output) -> int:
    from forewarn.testing.hosting import Host  # takes a while, and no other verb needs it

    host = Host(fleet=_fleet(args.fleet))
    try:
        return _run(args.command, host)
    except OSError as error:
        out.note(f"forewarn: {args.command[0]}: {error.strerror}.")
        return NOT_FOUND
    finally:
        host.close()


def _fleet(path: Path | None) -> str:
    try:
        return ONE_MACHINE if path is None else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _run(command: list[str], host: "Host") -> int:
    environment = {**os.environ, SERVER_VARIABLE: host.control_url, TOKEN_VARIABLE: host.client.token()}
    environment.pop("FOREWARN_DATA", None)  # of another one
    with _outlived_by_this() as children:
        status = children.start(command, environment).wait()
    return status if status >= 0 else INTERRUPTED - status


class _Children:
    def __init__(self) -> None:
        self._running: list[subprocess.Popen[bytes]] = []
        self._over = False

    def start(self, command: list[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        child = subprocess.Popen(command, env=environment)  # noqa: S603 (what the command line says)
        self._running.append(child)
        if self._over:  # the signal came while it was being started
            child.terminate()
        return child

    def end(self, *_: object) -> None:
        self._over = True
        for child in self._running:
            child.terminate()


@contextmanager
def _outlived_by_this() -> Iterator[_Children]:
    """Who ends this ends the children, and then waits for them. What Ctrl-C sends, they are sent too."""
    children = _Children()
    handlers: dict[int, Callable[..., None]] = {signal.SIGTERM: children.end, signal.SIGINT: lambda *_: None}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield children
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
