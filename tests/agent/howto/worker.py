"""A worker as the how-to describes it: `python worker.py SPOOL`. A job is done when its file `go` has been made."""

import sys
import time
from pathlib import Path


def main(spool: Path) -> None:
    while True:
        for job in sorted((spool / "new").iterdir()):
            taken = job.rename(spool / "doing" / job.name)
            if (spool / "pause").exists():
                taken.rename(job)
            else:
                work(spool, taken)
        time.sleep(0.01)


def work(spool: Path, taken: Path) -> None:
    while taken.exists():  # it may be given back
        if (spool / "go").exists():
            taken.rename(spool / "done" / taken.name)
        time.sleep(0.01)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
