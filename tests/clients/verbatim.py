"""Runs every code sample of Azure's pages, which are others' work and no part of this repository, against Forewarn.

`python -m tests.clients.verbatim DIRECTORY [--python2 PROGRAM]`, as root. Only the typing errors that `pages` names are
corrected. A machine's samples run at 169.254.169.254:80 in a private network, with a Reboot scheduled, and what they
send is compared, byte for byte, with what the client sends that stands for them in `make test`.
"""

import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.azure.driving import evaluated
from tests.azure.installing import az
from tests.clients import test_curl, test_python
from tests.clients.asking import ROLE_INSTANCE, VM, Asked, ask, status
from tests.clients.mono import WEBCLIENT, compiled
from tests.clients.pages import Language, Sample, samples
from tests.e2e.running import up

LOOK = "curl --silent --header Metadata:true http://169.254.169.254/metadata/scheduledevents?api-version=2020-07-01"
SAME_BYTES, SAME_LINES, OTHERWISE = "byte for byte", "but for its name and the order of headers", "OTHERWISE"
NOT_RUN = {
    Language.POWERSHELL: ("there is no PowerShell here", "tests/imds/test_powershell.py"),
    Language.AZURE_POWERSHELL: ("there is no PowerShell here", "tests/azure/test_terminate.py, by `az`"),
    Language.REST: ("it is for no program", "tests/arm/test_scale_sets.py"),
    Language.SHAPE: ("it is no code", ""),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    sample: Sample
    run_by: str
    did: str
    stand_in: str
    well: bool | None  # None: it was not run

    def __str__(self) -> str:
        corrected = ", ".join(self.sample.corrected)
        well = {True: "yes", False: "NO", None: ""}[self.well]
        cells = (self.sample.page, self.sample.language.value, self.run_by, corrected, self.did, self.stand_in, well)
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """What the samples are run with."""

    directory: Path
    python2: str | None

    def file(self, sample: Sample, ending: str) -> Path:
        place = self.directory / f"page{sample.page}{ending}"
        place.write_text(sample.text, "utf-8")
        return place


def curl(sample: Sample, _: Bench) -> Iterator[Row]:
    commands = [line for line in sample.text.splitlines() if line]
    *asked, look = ask(VM, *commands, LOOK)
    same = {test_curl.QUERY, test_curl.OLD_QUERY, test_curl.APPROVE}.issuperset(commands)
    approves = any("-X POST" in command for command in commands)
    yield Row(
        sample=sample,
        run_by="curl",
        did=outcome(asked, look),
        stand_in=f"test_curl.py, {'letter for letter' if same else 'OTHERWISE'}",
        well=same and went_well(asked, look, approves=approves),
    )


def python(sample: Sample, bench: Bench) -> Iterator[Row]:
    old, new = bench.file(sample, ".py"), bench.file(sample, "_converted.py")
    subprocess.run([sys.executable, "-Wignore", "-m", "lib2to3", "-wn", new], check=True, capture_output=True)
    interpreters = {"Python 3, after lib2to3": [sys.executable, str(new)]}
    if bench.python2:
        interpreters["Python 2"] = [bench.python2, str(old)]
    like = test_python.NEW if test_python.NEW[0] in sample.text else test_python.OLD
    for machine in (VM, ROLE_INSTANCE):
        (mine,) = ask(machine, shlex.join([sys.executable, str(test_python.POLLER), *like]))
        for name, command in interpreters.items():
            asked, look = ask(machine, shlex.join(command), LOOK)
            how = likeness(asked, mine)
            as_told = ("Reboot" in asked.said) is ("Reboot" in mine.said)
            yield Row(
                sample=sample,
                run_by=f"{name}, on {machine}",
                did=f"{outcome([asked], look)}, {'said so' if asked.said else 'said nothing'}",
                stand_in=f"poller.py, {how}",
                well=how != OTHERWISE and as_told and went_well([asked], look, approves=False),
            )


def csharp(sample: Sample, bench: Bench) -> Iterator[Row]:
    program = compiled(bench.file(sample, ".cs"), bench.directory)
    asked, look = ask(VM, shlex.join([sys.executable, "-m", "tests.clients.pressing_enter", *program]), LOOK)
    like = (test_python.OLD[0], "ids-only") if "/metadata/latest/" in sample.text else (test_python.NEW[0],)
    (mine,) = ask(VM, shlex.join([*compiled(WEBCLIENT, bench.directory), *like]))
    how = likeness(asked, mine)
    yield Row(
        sample=sample,
        run_by="Mono, pressing Enter",
        did=outcome([asked], look),
        stand_in=f"webclient.cs, {how}",
        well=how == SAME_BYTES and went_well([asked], look, approves=True),
    )


def azure_cli(sample: Sample, bench: Bench) -> Iterator[Row]:
    """Not a machine's side but an operator's: a Forewarn of its own, and the real `az`."""
    program = az()
    assert program is not None, "install it: python -m tests.azure.installing"
    os.environ["XDG_STATE_HOME"] = str(bench.directory)  # no note of this Forewarn is to stay behind
    with up(bench.directory / "data", "--empty", "--clock", "manual") as forewarn:
        environment = evaluated(forewarn, bench.directory)
        environment["PATH"] = f"{program.parent}:{environment['PATH']}"
        run = partial(subprocess.run, env=environment, capture_output=True, text=True, timeout=300, check=False)
        done = run(["bash", "-e", "-c", sample.text])
        noted = run([program, "vmss", "list", "--query", "[].virtualMachineProfile.scheduledEventsProfile"])
    yield Row(
        sample=sample,
        run_by="az",
        did=f"exit {done.returncode} {why(done.stderr) if done.returncode else ''}: {' '.join(noted.stdout.split())}",
        stand_in="tests/azure/test_terminate.py (`make test-azure`)",
        well=done.returncode == 0 and "PT10M" in noted.stdout,
    )


def not_run(sample: Sample, _: Bench) -> Iterator[Row]:
    reason, stand_in = NOT_RUN[sample.language]
    yield Row(sample=sample, run_by="not run", did=reason, stand_in=stand_in, well=None)


RUN: dict[Language, Callable[[Sample, Bench], Iterator[Row]]] = {
    Language.CURL: curl,
    Language.PYTHON: python,
    Language.CSHARP: csharp,
    Language.AZURE_CLI: azure_cli,
}


def outcome(asked: list[Asked], look: Asked) -> str:
    verbs = re.findall(r"(\w+) /\S* HTTP/1\.1\r\n", "".join(one.heard for one in asked))
    failed = [f"exit {one.code} {why(one.complaint)}" for one in asked if one.code]
    return f"{' '.join([*verbs, *failed])}: the event is {status(look.said)}"


def why(complaint: str) -> str:
    """A traceback of Python has its reason in the last line, one of Mono in its second."""
    reason = re.search(r"^\S+(?:Error|Exception): .*", complaint, re.MULTILINE)
    return reason[0] if reason else complaint.strip()


def went_well(asked: list[Asked], look: Asked, *, approves: bool) -> bool:
    return not any(one.code for one in asked) and status(look.said) == ("Started" if approves else "Scheduled")


def likeness(asked: Asked, mine: Asked) -> str:
    if asked.heard == mine.heard:
        return SAME_BYTES
    return SAME_LINES if without_agent(asked.heard) == without_agent(mine.heard) else OTHERWISE


def without_agent(heard: str) -> list[str]:
    return sorted(line for line in heard.splitlines() if not line.startswith("User-Agent: "))


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.clients.verbatim", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the pages are")
    parser.add_argument("--python2", help="a Python 2, to run the Python samples unconverted, too")
    options = parser.parse_args()
    well = True
    print("| page | sample | run by | corrected | what it did | stands for it in `make test` | well |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as directory:
        bench = Bench(directory=Path(directory), python2=options.python2)
        for sample in (sample for page in sorted(options.directory.iterdir()) for sample in samples(page)):
            for row in RUN.get(sample.language, not_run)(sample, bench):
                print(row, flush=True)
                well = well and row.well is not False
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
