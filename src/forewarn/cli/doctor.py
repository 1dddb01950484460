"""`forewarn doctor`: is a client of Scheduled Events right?"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, event_type, seconds
from forewarn.remote import Client

if TYPE_CHECKING:
    from forewarn.testing.doctor import Orders, Report
    from forewarn.testing.doctor.probes import Probe

TELLS = "Run a client through a catalogue of checks, and say what it does wrong."
EPILOG = (
    "In COMMAND and in files, {metadata} is the address of its metadata, {machine} its machine's name and {directory} "
    "an empty directory of its own. Exit status: 0 nothing is wrong, 1 something is, 2 the client could not be run."
)
PASSED, FAILED, COULD_NOT = 0, 1, 2
WAYS = ("auto", "namespace", "proxy", "address", "url")
JOBS = 4


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = verbs.add_parser("doctor", help=TELLS, description=TELLS, epilog=EPILOG, allow_abbrev=False)
    verb.set_defaults(run=doctor)
    verb.add_argument("command", nargs="*", metavar="COMMAND", help="the client, and its arguments; write -- before it")
    verb.add_argument(
        "--by",
        choices=WAYS,
        default="auto",
        help="how the client reaches its metadata: in a network namespace of its own, by http_proxy, at "
        "169.254.169.254 on this host, or at the {metadata} that it is told (default: told if it is, else whichever "
        "works)",
    )
    _add_probes(verb)
    _add_times(verb)
    verb.add_argument("--only", action="append", default=[], metavar="CHECK", help="this check only; may be repeated")
    verb.add_argument("--skip", action="append", default=[], metavar="CHECK", help="not this check; may be repeated")
    verb.add_argument("--list", action="store_true", help="list the checks, and run nothing")
    verb.add_argument("--json", action="store_true", help="answer in JSON, with all that was seen")
    verb.add_argument("--junit", type=Path, metavar="FILE", help="also write the verdicts as JUnit XML, for CI")
    verb.add_argument("--badge", type=Path, metavar="FILE", help="also write an SVG badge")


def _add_probes(verb: argparse.ArgumentParser) -> None:
    probe = verb.add_mutually_exclusive_group()
    probe.add_argument("--prepared", metavar="FILE", help="the client has prepared once FILE is there")
    probe.add_argument("--prepared-gone", metavar="FILE", help="it has prepared once FILE is gone")
    probe.add_argument("--prepared-port", type=int, metavar="PORT", help="once nobody listens on PORT any longer")
    probe.add_argument("--prepared-command", metavar="SHELL", help="once this shell command has exit status 0")
    probe.add_argument("--prepared-exit", action="store_true", help="once the client has ended")
    verb.add_argument("--approves", action="store_true", help="the client is meant to approve: not to is wrong")
    verb.add_argument(
        "--type",
        action="append",
        type=event_type,
        metavar="TYPE",
        help="a type of event that the client acts on; may be repeated (default: found out)",
    )


def _add_times(verb: argparse.ArgumentParser) -> None:
    for name, default, tells in (
        ("settling", 30, "how long the client may take until it asks first"),
        ("patience", 45, "how long it may take to do what it should"),
        ("reaction", 5, "after how long it is believed to do nothing about a type of event"),
        ("slowest", 10, "how rarely it may ask"),
        ("first-answer", 10, "how long its first answer takes; in Azure up to 2m"),
    ):
        verb.add_argument(
            f"--{name}", type=seconds, default=float(default), metavar="DURATION", help=f"{tells} (default: {default}s)"
        )
    verb.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help=f"clients that run at once (default: {JOBS}, or 1 where their probe is not in {{directory}})",
    )


def doctor(args: argparse.Namespace, client: Client, out: Output) -> int:
    from forewarn.testing.doctor import CATALOGUE, CannotRun, examine
    from forewarn.testing.reach import CannotReach

    if args.list:
        out.table(["CHECK", "THE CLIENT"], [(check.id, check.title) for check in CATALOGUE])
        return PASSED
    if not args.command:
        out.note("forewarn: say which client: forewarn doctor [options] -- COMMAND")
        return COULD_NOT
    try:
        with out.progress("getting to know the client") as tell:
            report = examine(orders_of(args), tell)
    except (CannotRun, CannotReach, ValueError) as error:
        if out.as_json:
            out.json({"command": args.command, "trouble": str(error), "checks": []})
        out.note(f"forewarn: {error}")
        return COULD_NOT
    show(report, args, out)
    return status_of(report)


def show(report: "Report", args: argparse.Namespace, out: Output) -> None:
    from forewarn.testing.doctor import telling

    if args.junit is not None:
        args.junit.write_text(telling.junit(report), encoding="utf-8")
    if args.badge is not None:
        args.badge.write_text(telling.badge(report), encoding="utf-8")
    if out.as_json:
        out.json(report.told())
        return
    for line in telling.lines(report):
        out.line(line)


def status_of(report: "Report") -> int:
    from forewarn.testing.doctor import Verdict

    if report.failed:
        return FAILED
    return COULD_NOT if report.counts[Verdict.NOT_TRIED] else PASSED


def orders_of(args: argparse.Namespace) -> "Orders":
    from forewarn.testing.doctor.orders import TYPES, Orders

    probe = probe_of(args)
    shared = probe is not None and probe.shared
    return Orders(
        command=args.command,
        by=args.by,
        probe=probe,
        types=args.type or TYPES,
        approves=args.approves,
        settling=args.settling,
        patience=args.patience,
        reaction=args.reaction,
        slowest=args.slowest,
        first_answer=args.first_answer,
        jobs=args.jobs or (1 if shared else JOBS),
        only=args.only,
        skip=args.skip,
    )


def probe_of(args: argparse.Namespace) -> "Probe | None":
    from forewarn.testing.doctor.probes import Command, Ended, FileGone, FileThere, PortClosed

    if args.prepared is not None:
        return FileThere(args.prepared)
    if args.prepared_gone is not None:
        return FileGone(args.prepared_gone)
    if args.prepared_port is not None:
        return PortClosed(args.prepared_port)
    if args.prepared_command is not None:
        return Command(args.prepared_command)
    return Ended() if args.prepared_exit else None
