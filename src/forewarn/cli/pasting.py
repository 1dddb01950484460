"""The two lines that `forewarn up` prints to paste: an event appears; it is approved, starts and vanishes."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from forewarn.remote import DEFAULT_SERVER

DOCUMENT = "/metadata/scheduledevents?api-version=2020-07-01"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Where the lines are to be played."""

    machine: str
    metadata: str  # its metadata address
    control: str
    standing: bool  # the clock moves only when told to


def lines_to_paste(stage: Stage, forewarn: str | None = None) -> tuple[str, str]:
    """The approval is the document itself, with its list called by another name: extra members are ignored."""
    forewarn = forewarn or command()
    server = "" if stage.control == DEFAULT_SERVER else f" --server {stage.control}"
    machine = shlex.quote(stage.machine)
    curl = "curl -s -H Metadata:true"
    url = f"'{stage.metadata}{DOCUMENT}'"
    first = f"{forewarn} schedule Reboot {machine}{server} && {curl} {url} && echo"
    approval = f"{curl} {url} | sed s/Events/StartRequests/ | {curl} -d @- {url}"
    watch = f"{forewarn} events --watch --until-empty --machine {machine}{server}"
    if stage.standing:
        play = f"{forewarn} events{server} && {forewarn} clock advance 1m{server}"
        return first, f"{approval} && {play} && {forewarn} events{server}"
    return first, f"{approval} && {watch}"


def command() -> str:
    """How this program is called from a shell that knows nothing of its environment."""
    environment = Path(sys.prefix) if sys.prefix != sys.base_prefix else None
    return called_as(Path(sys.argv[0]), environment, Path.cwd()) or f"{shlex.quote(sys.executable)} -m forewarn.cli"


def called_as(program: Path, environment: Path | None, here: Path) -> str | None:
    """By its name where it is installed for everybody, else by its path; None if it was not started by a name."""
    called = here / program
    if called.name != "forewarn":
        return None
    if environment is None or not called.is_relative_to(environment):
        return "forewarn"
    return shlex.quote(str(called.relative_to(here) if called.is_relative_to(here) else called))
