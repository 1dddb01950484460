"""Runs a program that asks for Enter over and over: presses it three times, and ends the program when it asks again.

`python -m tests.clients.pressing_enter PROGRAM ARGUMENT…`. Fails if the program ends by itself.
"""

import subprocess
import sys

PRESSES = 3


def main(*program: str) -> int:
    presses = 0
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            if "press enter" not in line.lower():
                continue
            if presses == PRESSES:
                running.kill()
                return 0
            running.stdin.write("\n")
            running.stdin.flush()
            presses += 1
    return running.returncode or 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
