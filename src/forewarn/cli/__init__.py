"""The `forewarn` command: everything the control plane can do, for people and for programs.

The law of this package: ask the control plane's API and show what it says. Tables are for people, `--json` is for
programs, the exit status is the answer: 0 yes, 1 refused or failed, 2 wrongly called, 3 nobody there to ask.
"""

from forewarn.cli.entry import main

__all__ = ["main"]
