"""Runs doctor over every client and writes docs/compatibility.md: `python -m tests.compatibility [NAME…]`, as root.

With names, only those run, and the others keep the report of their last run. Reports are kept beside the packages.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.compatibility.client import Client, Place
from tests.compatibility.clients import CLIENTS
from tests.compatibility.installing import cache
from tests.compatibility.page import page

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"


def examine(client: Client) -> None:
    """Doctor's exit status is its verdict on the client, not on the run: only a missing report is an error of ours."""
    with tempfile.TemporaryDirectory() as directory:
        command = client.command(Place(directory=Path(directory)))
        doctor = [sys.executable, "-m", "forewarn.cli", "doctor", "--json", "--", *command]
        done = subprocess.run(doctor, stdout=subprocess.PIPE, check=False)
    json.loads(done.stdout)
    kept(client).parent.mkdir(parents=True, exist_ok=True)
    kept(client).write_bytes(done.stdout)


def kept(client: Client) -> Path:
    return cache() / "doctor" / f"{client.name.replace(' ', '-')}.json"


def report(client: Client) -> Mapping[str, Any] | None:
    return json.loads(kept(client).read_text()) if kept(client).exists() else None


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
    PAGE.write_text(page([(client, report(client)) for client in CLIENTS]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
