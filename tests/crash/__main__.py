"""The long form of the crash tests, part by part: `python -m tests.crash [--seeds N]`."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable

from tests.crash import kill, power_cut

PARTS: dict[str, Callable[[int], bool]] = {"power cut": power_cut.long_form, "kill": kill.long_form}
"""Each is told how many seeds to try, prints what it found, and says whether all was well."""


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--seeds", type=int, default=12)
    seeds = parser.parse_args().seeds
    failed = []
    for name, part in PARTS.items():
        print(f"== {name}")
        if not part(seeds):
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all is well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
