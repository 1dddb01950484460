"""The `forewarn` command: everything the control plane can do, for people and for programs.

The law of this package: ask the control plane's API and show what it says; only `up` and `doctor` start anything, and
`agent` is handed over. Tables are for people, `--json` is for programs, the exit status is the answer: 0 yes, 1 refused
or failed, 2 wrongly called, 3 nobody there to ask.
"""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """The agent stays in memory for months, so nothing that only the other verbs need is imported for it."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["agent"]:
        from forewarn.agent.main import main as agent

        return agent(words[1:])
    from forewarn.cli.entry import main as entry

    return entry(words)
