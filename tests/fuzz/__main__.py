"""`python -m tests.fuzz --requests N [--seed S]`: the long run."""

import argparse
import sys
import time

from tests.fuzz.fuzzing import Broken, fuzz


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    started = time.monotonic()

    def tell(line: str) -> None:
        print(f"\r{line}, {time.monotonic() - started:.0f} s ", end="", flush=True)

    try:
        fuzz(arguments.requests, arguments.seed, tell)
    except Broken as broken:
        print(f"\nBroken (seed {arguments.seed}): {broken}", file=sys.stderr)
        return 1
    print("\nNo crash, no hang, no growth.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
