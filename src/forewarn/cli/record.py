"""`forewarn record`: asks a metadata endpoint again and again, and writes down what it answers."""

import argparse
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from forewarn.agent.recording import FILE, Recorder
from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb, duration
from forewarn.client import ClientError, HttpTransport, NoEndpoint, Request
from forewarn.client.endpoints import read_endpoint
from forewarn.client.wall import wall_clock
from forewarn.remote import Client
from forewarn.wire.durations import parse_duration

TELLS = "Poll a metadata endpoint, Azure's own too, and write down what it answers, for `forewarn scenario`."
DOCUMENT = "/metadata/scheduledevents?api-version=2020-07-01"
INSTANCE = "/metadata/instance?api-version=2021-02-01"
FIRST, LATER = 130.0, 15.0
"""Seconds for the first answer, which may take a host two minutes, and for every other one."""

MISUSED = 2


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "record", record, TELLS)
    verb.add_argument("url", metavar="URL", help="the endpoint, such as http://169.254.169.254 inside a VM of Azure")
    verb.add_argument(
        "--for", type=duration, dest="length", metavar="DURATION", help="how long (default: until Ctrl-C)"
    )
    verb.add_argument("--every", type=duration, default="1s", metavar="DURATION", help="how often (default: 1s)")
    verb.add_argument(
        "--out", type=Path, default=Path("recording"), metavar="DIR", help="where to (default: recording)"
    )


def record(args: argparse.Namespace, client: Client, out: Output) -> int:
    try:
        read_endpoint(args.url)
    except NoEndpoint as error:
        out.note(f"forewarn: {error}")
        return MISUSED
    seconds = float("inf") if args.length is None else parse_duration(args.length).total_seconds()
    recorder = Recorder(HttpTransport(), args.out, wall_clock, logging.getLogger(__name__))
    if not out.as_json:
        out.note(f"Polling {args.url} enrols its machine, as any client does. Ctrl-C ends it.")
    answers = 0
    try:
        with suppress(KeyboardInterrupt):
            for answered in _looks(recorder, args.url, seconds, parse_duration(args.every).total_seconds()):
                answers += answered
    finally:
        recorder.close()
    file = args.out / FILE
    if out.as_json:
        out.json({"file": str(file), "answers": answers})
    else:
        out.line(f"{answers} answers are in {file}; `forewarn scenario {args.out}` makes a scenario of it.")
    return 0 if answers else 1


def _looks(recorder: Recorder, url: str, seconds: float, every: float) -> Iterator[bool]:
    """Whether each was answered. The machine's own name comes first, so that a scenario can be about it."""
    end, timeout = time.monotonic() + seconds, FIRST
    _ask(recorder, Request(endpoint=url, target=INSTANCE, timeout=LATER))
    while True:
        began = time.monotonic()
        answered = _ask(recorder, Request(endpoint=url, target=DOCUMENT, timeout=timeout))
        timeout = LATER if answered else timeout
        yield answered
        pause = began + every - time.monotonic()
        if began + every >= end:
            return
        time.sleep(max(0.0, pause))


def _ask(recorder: Recorder, request: Request) -> bool:
    """What went wrong is written down too."""
    try:
        recorder.send(request)
    except ClientError:
        return False
    return True
