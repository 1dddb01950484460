"""A real Forewarn under a virtual clock, and real agents on its machines, each a process."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forewarn.agent.journal import Journal
from forewarn.agent.records import Record
from forewarn.remote import Client
from forewarn.remote.login import find_login
from tests.e2e.running import Up, up

HOOK = """
[steps.{name}]
use = "command"
prepare_command = '''
echo $$ > {log}.pid-{name}
while [ -e {log}.hold-{name} ]; do sleep 0.02; done
echo prepare {name} $FOREWARN_TYPE >> {log}
'''
restore_command = "echo restore {name} $FOREWARN_TYPE >> {log}"
limit = "20s"
"""


@dataclass(kw_only=True)
class Machine:
    """One machine's agent: its configuration, its journal, and what its hooks wrote."""

    name: str
    folder: Path
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        return self.folder / "hooks.log"

    @property
    def config(self) -> Path:
        return self.folder / "agent.toml"

    def hold(self, step: str) -> None:
        """From now on the step does not come to an end."""
        Path(f"{self.log}.hold-{step}").touch()

    def let_go(self, step: str) -> None:
        Path(f"{self.log}.hold-{step}").unlink()

    def has_begun(self, step: str) -> bool:
        return Path(f"{self.log}.pid-{step}").exists()

    def is_running(self, step: str) -> bool:
        """Whether what the step began to prepare is still at it. One that has ended may still wait to be noticed."""
        process = Path("/proc", Path(f"{self.log}.pid-{step}").read_text().strip(), "stat")
        return process.exists() and process.read_text().rpartition(")")[2].split()[0] not in "ZX"

    def did(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def configure(self, endpoint: str, *, steps: tuple[str, ...], rules: str, approve: str = "own") -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        agent = f'[agent]\nendpoint = "{endpoint}"\nstate = "{self.folder}/state"\nlisten = ""\napprove = "{approve}"\n'
        hooks = "".join(HOOK.format(name=name, log=self.log) for name in steps)
        self.config.write_text(agent + hooks + rules)

    def start(self) -> None:
        with (self.folder / "agent.log").open("ab") as log:
            words = [sys.executable, "-m", "forewarn.agent", "run", "--config", str(self.config)]
            self.process = subprocess.Popen(words, stdout=log, stderr=log)

    def stop(self) -> int:
        if self.process is None:
            return 0
        self.process.terminate()
        status, self.process = self.process.wait(30), None
        return status

    def records(self) -> dict[str, Record]:
        """Of all events there ever were, by their keys."""
        if not (self.folder / "state" / "journal.db").exists():
            return {}
        journal = Journal(self.folder / "state" / "journal.db")
        try:
            return {record.key: record for record in [*journal.past(1000), *journal.records()]}
        finally:
            journal.close()

    def said(self) -> str:
        return (self.folder / "agent.log").read_text()


@dataclass(kw_only=True)
class Rig:
    forewarn: Up
    control: Client
    folder: Path
    machines: dict[str, Machine] = field(default_factory=dict)

    def machine(self, name: str) -> Machine:
        return self.machines.setdefault(name, Machine(name=name, folder=self.folder / name))

    def endpoint(self, name: str) -> str:
        return str(self.control.get(f"/machines/{name}")["metadata_url"])

    def advance(self, by: str) -> None:
        self.control.post("/clock/advance", {"by": by})

    def event(self, id: str) -> dict[str, Any]:
        return dict(self.control.get(f"/events/{id}"))

    def live(self, **query: object) -> list[dict[str, Any]]:
        return list(self.control.pages("/events", query))

    def history(self, subject: str) -> list[dict[str, Any]]:
        return list(self.control.pages("/history", {"subject": subject}))

    def approvers(self, event: str) -> list[str]:
        return [entry["who"]["name"] for entry in self.history(event) if entry["what"] == "approved"]

    def phase(self, id: str) -> str:
        return str(self.event(id)["phase"])


@contextmanager
def rig(folder: Path, fleet: str) -> Iterator[Rig]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fleet.toml").write_text(fleet)
    with up(folder / "data", "--clock", "manual", "--fleet", str(folder / "fleet.toml")) as forewarn:
        control = Client(forewarn.control, lambda: find_login(forewarn.control, forewarn.data))
        built = Rig(forewarn=forewarn, control=control, folder=folder)
        try:
            yield built
        finally:
            for machine in built.machines.values():
                machine.stop()
