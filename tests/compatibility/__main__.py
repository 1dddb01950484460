"""Runs doctor over every client and writes docs/compatibility.md: `python -m tests.compatibility [NAME…]`, as root.

With names, only those run, and the others keep the report of their last run. Reports are kept beside the packages.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.compatibility.client import Client, Place
from tests.compatibility.clients import CLIENTS
from tests.compatibility.installing import cache
from tests.compatibility.page import page

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"


def examine(client: Client) -> None:
    """Doctor's exit status is its verdict on the client, not on the run: only a missing report is an error of ours."""
    place = Place(directory=Path("{directory}"))  # doctor fills in an empty one for each run of the client
    doctor = [sys.executable, "-m", "forewarn.cli", "doctor", "--json", *options(client, place)]
    done = subprocess.run([*doctor, "--", *client.command(place)], stdout=subprocess.PIPE, check=False)
    json.loads(done.stdout)
    kept(client).parent.mkdir(parents=True, exist_ok=True)
    kept(client).write_bytes(done.stdout)


def options(client: Client, place: Place) -> list[str]:
    """As much time as its own pace asks for: who asks every ten seconds is not late after five."""
    words = ["--by", "namespace", "--jobs", str(client.at_once)]
    words += ["--settling", f"{client.settling:.0f}s", "--patience", f"{max(45, 6 * client.interval):.0f}s"]
    words += ["--reaction", f"{max(client.reaction, 3 * client.interval):.0f}s"]
    if client.work is not None:
        words += ["--prepared-gone", str(client.work(place))]
    if client.ends:
        words += ["--prepared-exit"]
    return [*words, *(word for kind in client.reacts_to for word in ("--type", kind))]


def kept(client: Client) -> Path:
    return cache() / "doctor" / f"{client.name.replace(' ', '-')}.json"


def report(client: Client) -> Mapping[str, Any] | None:
    return json.loads(kept(client).read_text()) if kept(client).exists() else None


def day_of_the_last() -> str:
    times = [kept(client).stat().st_mtime for client in CLIENTS if kept(client).exists()]
    return f"{datetime.fromtimestamp(max(times), UTC):%Y-%m-%d}" if times else "no day yet"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write-only", action="store_true", help="run nothing, write the page from what was kept")
    asked = parser.parse_args()
    if unknown := set(asked.names) - {client.name for client in CLIENTS}:
        parser.error(f"no such client: {', '.join(sorted(unknown))}")
    chosen = [client for client in CLIENTS if client.name in asked.names or not asked.names]
    for client in [] if asked.write_only else chosen:
        if not client.installed:
            print(f"{client.name} is not there: python -m tests.compatibility.installing", file=sys.stderr)
            return 1
        print(f"examining {client.name}", flush=True)
        examine(client)
    PAGE.write_text(page([(client, report(client)) for client in CLIENTS], day_of_the_last()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
