"""`python -m bench [PART …] [--rounds N]`: measure, print, and, where no part is named, write docs/performance.md."""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.portal.browser.installing import CHROMIUM

from bench import agent, arm, estate, fleet, haproxy, http, kit, parsing, polls, portal, waits, writes
from bench.measuring import Row, machine, many_files

PARTS: dict[str, Callable[[int, Callable[[str], None]], list[Row]]] = {
    "http": http.rows,
    "parsing": parsing.rows,
    "waits": waits.rows,
    "writes": writes.rows,
    "fleet": fleet.rows,
    "estate": estate.rows,
    "arm": arm.rows,
    "polls": polls.rows,
    "haproxy": haproxy.rows,
    "agent": agent.rows,
    "portal": portal.rows,
    "kit": kit.rows,
}
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds; the median counts (default 5)")
    arguments = parser.parse_args()
    missing = [program for program in ("nginx", "wrk", "taskset", "haproxy", "curl") if not _found(program)]
    missing += [] if CHROMIUM.exists() else ["chromium"]
    if missing:
        packages = "nginx-light wrk util-linux haproxy curl chromium"
        parser.error(f"{', '.join(missing)} is missing: apt-get install {packages}")
    many_files()
    rows = [row for part in arguments.parts or PARTS for row in PARTS[part](arguments.rounds, _tell)]
    table = _table(rows)
    print(table)
    if not arguments.parts:
        PAGE.write_text(_page(table, arguments.rounds))
    return 0 if all(row.holds for row in rows) else 1


def _found(program: str) -> bool:
    return shutil.which(program) is not None or Path("/usr/sbin", program).exists()


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _table(rows: list[Row]) -> str:
    lines = [f"| {row.what} | {row.measured} | {row.wanted} | {'yes' if row.holds else '**no**'} |" for row in rows]
    return "\n".join(["| what | measured | wanted | holds |", "| --- | --- | --- | --- |", *lines])


def _page(table: str, rounds: int) -> str:
    done = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=False)
    nginx = done.stderr.strip().rpartition("/")[2] or "?"
    return f"""# Performance

Measured by `make bench` on {time.strftime("%d %B %Y", time.gmtime())}: {machine()}; nginx {nginx}.
The median of {rounds} interleaved rounds. Machines are shared and noisy, so look at the ratios.

{table}

How it is measured: one server process on one core, the load from another. HTTP figures are requests per second of the
*server's* CPU time, Forewarn and its peer taking turns within a round. nginx answers `return 200` with the same body
and the same kind of headers; Flask's own server checks the header and answers the same body. The memo recognises a
request by its very bytes; with it off, every request is read by the strict path, which still remembers the last 512
request targets it has understood. A durable command is the `schedule`, the `approve` or the driver's report of an event
through the engine, answered after its commit (WAL, synchronous=FULL). The large fleet is the whole service, started
on a fleet file of 1,000 availability sets.

The list of a scale set's instances is asked for as Azure's clients do it: HTTPS on a connection that is kept, a token,
every page, to the last byte. Its peer, Starlette on uvicorn, has the same bytes ready and sends them over the same TLS.
Scaling in, starting and reporting are commands of the engine on SQLite, each one transaction. Each of the 100 restarts
waits for its notice while a client of its own polls for it over HTTPS, as soon as Retry-After says. That is the later,
the more of them wait: together they ask about five times a second. Meanwhile 500 connections ask the metadata service
about 10,000 times a second, as a fleet of 10,000 machines would; with those who poll and without them, in turns.

What a test pays for the test kit: a cycle is a reboot that is scheduled, polled for, approved after ten of its fifteen
minutes, and gone, in a Forewarn that has just started. The first of a process also makes the key that signs tokens,
which the others share. Memory is looked at every 50 cycles, after the allocator has given back what it keeps; the
medians of the last and the first five looks are compared. The looks begin after a thousand cycles: memory comes to
rest after about 800 of them, 3 MB higher, and was the same after 3,200. A Forewarn that lives on keeps its history.

A reboot under load: two web servers behind HAProxy and 24 clients, of which 16 keep their connections; three of five
requests take 0.2 to 0.5 s. Forewarn's command driver ends one machine's web server and agent with SIGKILL, and a second
later both are started again. HAProxy checks every 200 ms and does not retry, so that it hides nothing; in the third row
it does what it can: a request that has not reached a server is tried elsewhere. The sums of all rounds.

The agent is measured as it is shipped: the file that `make agent` makes, with the memory setting of its unit. It
polls a host like Azure's, on condition, for two minutes, and at the same time so do a loop of `curl` and one of
Python's urllib, as people begin with. Resident is Rss in `/proc/PID/smaps_rollup` and its own share Pss; the most it
had is VmHWM; processor time is that of `/proc/PID/stat`, for the loop of `curl` with its children.

The portal: the fleet page of 10,000 machines in 100 sets, asked for over plain http on loopback. The very first page
after a start also reads all of the fleet from the store. What is transferred is counted in Chromium, with an empty
cache, until the page hears of changes. A change is a new event: the page itself sends it, over HTTP to the control
plane, and waits until its row shows it, so that the time includes the commit, the stream and the new table.

The figure for one caller follows how fast the disk syncs. It is timed once the write-ahead log has its full length.
The process that writes is set up as `forewarn up` does it: the collector leaves alone what was loaded.
"""


if __name__ == "__main__":
    sys.exit(main())
