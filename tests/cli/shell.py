"""Runs the `forewarn` command, inside this process or as one of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forewarn.cli import main

ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2] / "src")}


@dataclass(frozen=True, slots=True)
class Said:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> list[list[str]]:
        """The words of a table, below its header."""
        return [line.split() for line in self.out.splitlines()[1:]]


class Shell:
    def __init__(self, server: str) -> None:
        self.server = server

    def __call__(self, *words: str) -> Said:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main([*words, "--server", self.server])
            except SystemExit as ended:
                status = int(ended.code or 0)
        return Said(status, out.getvalue(), err.getvalue())

    def ok(self, *words: str) -> Said:
        said = self(*words)
        assert said.status == 0, said
        return said


def words(text: str) -> list[str]:
    """A command line without blanks in its words."""
    return text.split()


def start(*words: str, cwd: Path | None = None) -> "subprocess.Popen[str]":
    """The command as a process of its own, its output in a pipe."""
    return subprocess.Popen(
        [sys.executable, "-m", "forewarn.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, **ENVIRONMENT},
    )
