"""Play any number of seeds and ask the laws of each. The first one that breaks a law is printed, with status 1."""

import argparse
import logging
import sys
import tempfile
from itertools import count
from pathlib import Path

from forewarn.store.sqlite import open_store
from forewarn.testing.simulation.running import STEPS, Violation, simulate
from forewarn.testing.simulation.site import Parts
from forewarn.testing.simulation.trace import Trace


def main(arguments: list[str] | None = None, parts: Parts | None = None) -> int:
    options = _options(arguments)
    logging.getLogger("forewarn").addHandler(logging.NullHandler())
    with tempfile.TemporaryDirectory(prefix="forewarn-simulation-") as folder:
        places = (Path(folder) / str(number) for number in count())
        on_disk = Parts(store=lambda: open_store(next(places)))
        return _play(options, parts or (on_disk if options.store == "sqlite" else Parts()))


def _play(options: argparse.Namespace, parts: Parts) -> int:
    seeds = [options.seed] if options.seed is not None else range(options.start, options.start + options.seeds)
    lines = 0
    for done, seed in enumerate(seeds, 1):
        try:
            trace = simulate(seed, steps=options.steps, parts=parts)
        except Violation as violation:
            _show(violation.trace, options)
            print(f"\n{violation}", file=sys.stderr)
            return 1
        _show(trace, options)
        lines += len(trace.lines)
        print(f"\r{done} of {len(seeds)} seeds, {lines:,} records, no law broken", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return 0


def _show(trace: Trace, options: argparse.Namespace) -> None:
    if options.trace:
        print("\n".join(map(str, trace.lines)))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m forewarn.testing.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many")
    parser.add_argument("--start", type=int, default=0, help="the first one")
    parser.add_argument("--seed", type=int, help="this one only")
    parser.add_argument("--steps", type=int, default=STEPS, help="for each seed")
    parser.add_argument(
        "--store", choices=["memory", "sqlite"], default="memory", help="only memory gives the same trace twice"
    )
    parser.add_argument("--trace", action="store_true", help="print every record")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
