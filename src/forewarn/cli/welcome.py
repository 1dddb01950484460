"""What `forewarn up` shows once everything answers: the machines, and what to paste to see it work."""

from collections.abc import Sequence
from heapq import nsmallest
from ipaddress import ip_address
from typing import TYPE_CHECKING

from forewarn import __version__
from forewarn.cli.output import Output
from forewarn.cli.pasting import Stage, command, lines_to_paste
from forewarn.domain.machines import Machine
from forewarn.engine.naming import machines_called
from forewarn.engine.walking import pages_of_machines
from forewarn.remote import DEFAULT_SERVER

if TYPE_CHECKING:
    from forewarn.wiring import Forewarn, Options

SHOWN = 20


async def show(forewarn: "Forewarn", options: "Options", out: Output) -> None:
    """The table of machines, and what to paste."""
    machines, count = await _first_machines(forewarn)
    rows = [(machine.name, machine.scope, forewarn.metadata_url(machine)) for machine in machines]
    if out.as_json:
        shown = [{"machine": name, "scope": scope, "metadata_url": url} for name, scope, url in rows]
        places = {"control": forewarn.control_url, "arm": forewarn.arm_url, "portal": forewarn.portal_link()}
        out.json_line({**places, "data": str(options.data), "machines": shown})
        return
    out.line(f"Forewarn {__version__} is up. State is kept in {options.data}; the clock is {options.clock}.")
    out.line(f'Azure\'s own clients ask {forewarn.arm_url} after: eval "$({_called(forewarn)} env)"')
    out.line(f"The portal, by a link that works once: {forewarn.portal_link()}")
    out.line()
    if not machines:
        out.line("The fleet is empty: declare one in a file, and start with --fleet FILE.")
        return
    out.table(("MACHINE", "SCOPE", "METADATA URL"), rows)
    if more := count - len(machines):
        out.line(f"… and {more:,} more: {command()} fleet")
    stage = await _stage(forewarn, options, machines)
    if stage is not None:
        first, second = lines_to_paste(stage)
        out.line("\nPaste this into another terminal, from the same directory. An event appears:\n")
        out.line(f"  {first}")
        out.line("\nThen this. It is approved, as the machine itself would, and starts and vanishes:\n")
        out.line(f"  {second}\n")


def _called(forewarn: "Forewarn") -> str:
    return command() if forewarn.control_url == DEFAULT_SERVER else f"{command()} --server {forewarn.control_url}"


def _by_address(machine: Machine) -> tuple[int, int]:
    """127.0.0.1, the fleet's first machine, comes first here too."""
    address = ip_address(machine.address)
    return address.version, int(address)


async def _first_machines(forewarn: "Forewarn") -> tuple[list[Machine], int]:
    """Those with the lowest addresses, and how many there are in all."""
    first: list[Machine] = []
    count = 0
    async for page in pages_of_machines(forewarn.engine.store):
        first = nsmallest(SHOWN, (*first, *page), key=_by_address)
        count += len(page)
    return first, count


async def _stage(forewarn: "Forewarn", options: "Options", machines: Sequence[Machine]) -> Stage | None:
    """The machine to try it on; None where asking from here is not enough to be one."""
    kind, _, wanted = options.identity.partition("=")
    if kind == "source":
        return None
    read = forewarn.engine.store.read
    chosen = (await read(lambda r: machines_called(r, wanted)))[0] if wanted else machines[0]
    namesakes = await read(lambda r: r.machines_named(chosen.name))
    return Stage(
        machine=chosen.name if len(namesakes) == 1 else f"{chosen.scope}/{chosen.name}",
        metadata=forewarn.metadata_url(chosen),
        control=forewarn.control_url,
        standing=options.clock == "manual",
    )
