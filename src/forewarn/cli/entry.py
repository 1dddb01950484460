"""From the command line to an exit status."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from forewarn.cli.output import Output
from forewarn.cli.parser import build_parser
from forewarn.cli.run import split_command
from forewarn.domain.errors import ForewarnError
from forewarn.remote import Refusal, Unreachable
from forewarn.remote.login import client_of

OK, FAILED, MISUSED, UNREACHABLE = 0, 1, 2, 3


def main(argv: Sequence[str] | None = None) -> int:
    words, command = split_command(sys.argv[1:] if argv is None else argv)
    args = build_parser().parse_args(words)
    if command:
        args.command = command
    out = Output(as_json=getattr(args, "json", False))
    try:
        client = client_of(getattr(args, "server", None), getattr(args, "data", None))
    except ValueError as error:
        out.note(f"forewarn: {error}")
        return MISUSED
    try:
        status: int = args.run(args, client, out)
        sys.stdout.flush()
    except (Refusal, ForewarnError) as refusal:
        out.note(f"forewarn: {refusal}")
        return FAILED
    except Unreachable as nobody:
        out.note(f"forewarn: {nobody}")
        return UNREACHABLE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        with suppress(OSError):  # whoever read the output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    return status
