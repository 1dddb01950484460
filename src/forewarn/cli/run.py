"""`forewarn run`: plays scenarios, shows what happens, and says whether what was expected held."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forewarn.cli.output import Output
from forewarn.cli.verbs import Verbs, add_verb, count, rate
from forewarn.remote import Client, Unreachable
from forewarn.remote.login import find_login

if TYPE_CHECKING:
    from forewarn.testing.scenarios import Report, Scenario

TELLS = "Play scenarios and say whether what they expect held: 0 yes, 1 no, 2 it could not be played."
HELD, FAILED, CANNOT = 0, 1, 2


def add_verbs(verbs: Verbs, common: argparse.ArgumentParser) -> None:
    verb = add_verb(verbs, common, "run", run, TELLS)
    verb.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="a file, or the name of a shipped one")
    verb.add_argument("--list", action="store_true", help="list the scenarios that are shipped")
    verb.add_argument(
        "--speed", type=rate, metavar="RATE", help="play at a pace to look on, such as 60x (default: at once)"
    )
    verb.add_argument(
        "--against", metavar="URL", help="play on the Forewarn that runs there, whose fleet becomes the scenario's"
    )
    verb.add_argument("--seed", type=count, metavar="N", help="other ids and another chance than the scenario's own")
    verb.add_argument(
        "--client",
        action="append",
        default=[],
        metavar="MACHINE",
        help="its client is a real one: started by the command after --, or running elsewhere; may be repeated",
    )
    verb.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as JUnit XML, for CI")
    verb.add_argument("--record", type=Path, metavar="DIR", help="write down what the scripted clients see, in DIR")


def split_command(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of `forewarn run`, and the command after `--`; of other verbs, all words are their own."""
    if list(words[:1]) != ["run"] or "--" not in words:
        return list(words), []
    place = list(words).index("--")
    return list(words[:place]), list(words[place + 1 :])


def run(args: argparse.Namespace, client: Client, out: Output) -> int:
    from forewarn.testing.scenarios import ScenarioError  # takes a while, and no other verb needs it

    if args.list:
        return show_list(out)
    command: list[str] = getattr(args, "command", [])
    if not args.scenarios:
        out.note("forewarn: Which scenario? Name a file, or a shipped one: forewarn run --list.")
        return CANNOT
    if command and not args.client:
        out.note("forewarn: The command after -- is a machine's client: say whose, with --client MACHINE.")
        return CANNOT
    if args.speed == 0:
        out.note("forewarn: At a speed of 0 nothing ever happens: leave --speed out to play at once.")
        return CANNOT
    try:
        scenarios = [_seeded(find(name), args.seed) for name in args.scenarios]
    except ScenarioError as error:
        out.note(f"forewarn: {error}")
        return CANNOT
    reports = [_play(scenario, args, command, out) for scenario in scenarios]
    return _told(reports, args, out)


def find(name: str) -> "Scenario":
    """A file, or a shipped one. ScenarioError if it is neither, or wrong."""
    from forewarn.testing import scenarios

    path = Path(name)
    try:
        if path.exists() or path.suffix or "/" in name:
            return scenarios.load(path)
        return scenarios.shipped(name)
    except OSError as error:
        raise scenarios.ScenarioError(f"{name}: {error.strerror}.") from None
    except KeyError:
        known = ", ".join(scenarios.names())
        raise scenarios.ScenarioError(f"There is no file {name}, and no shipped scenario; those are {known}.") from None


def _seeded(scenario: "Scenario", seed: int | None) -> "Scenario":
    from forewarn.testing.scenarios import with_seed

    return scenario if seed is None else with_seed(scenario, seed)


def _play(scenario: "Scenario", args: argparse.Namespace, command: list[str], out: Output) -> "Report":
    from forewarn.cli.staging import staged
    from forewarn.testing.scenarios import CannotPlay, Report, ScenarioError, play

    with staged(scenario, out) as view:
        try:
            report = play(
                scenario,
                against=_server(args),
                speed=args.speed,
                real=dict.fromkeys(args.client, command),
                record=args.record,
                tell=view.tell,
                passed=view.passed,
            )
        except (CannotPlay, ScenarioError, Unreachable, ValueError) as error:
            report = Report(scenario=scenario, trouble=str(error))
    view.end(report)
    return report


def _server(args: argparse.Namespace) -> Client | None:
    if args.against is None:
        return None
    return Client(args.against, lambda: find_login(args.against, getattr(args, "data", None)))


def _told(reports: "list[Report]", args: argparse.Namespace, out: Output) -> int:
    if args.junit is not None:
        from forewarn.testing.scenarios.junit import to_junit

        try:
            args.junit.write_text(to_junit(reports), encoding="utf-8")
        except OSError as error:
            out.note(f"forewarn: {args.junit}: {error.strerror}.")
            return CANNOT
    if out.as_json:
        out.json([_as_json(report) for report in reports])
    if any(report.trouble for report in reports):
        return CANNOT
    return HELD if all(report.held for report in reports) else FAILED


def _as_json(report: "Report") -> dict[str, Any]:
    from forewarn.wire.durations import format_iso

    return {
        "scenario": report.scenario.name,
        "seed": report.scenario.seed,
        "held": report.held,
        "trouble": report.trouble or None,
        "lasted": format_iso(report.lasted),
        "seconds": round(report.seconds, 3),
        "expectations": [
            {
                "title": verdict.expectation.title,
                "where": verdict.expectation.where,
                "held": verdict.held,
                "at": None if verdict.held is None else format_iso(verdict.at),
                "seen": verdict.seen or None,
                "timeline": verdict.timeline or None,
            }
            for verdict in report.verdicts
        ],
        "happenings": [
            {"at": format_iso(happening.at), "about": happening.about.value, "text": happening.text}
            for happening in report.happenings
        ],
        "clients": report.said,
    }


def show_list(out: Output) -> int:
    from forewarn.testing import scenarios

    shipped = [replace(scenarios.shipped(name), name=name) for name in scenarios.names()]
    if out.as_json:
        out.json([{"name": scenario.name, "about": scenario.about} for scenario in shipped])
    else:
        out.table(("SCENARIO", "ABOUT"), [(scenario.name, _first_line(scenario.about)) for scenario in shipped])
    return HELD


def _first_line(about: str) -> str:
    return " ".join(about.split()).partition(". ")[0].rstrip(".") + "."
