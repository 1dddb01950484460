"""Forewarn's own agent passes everything."""

import sys
from pathlib import Path

from forewarn.testing.doctor import CATALOGUE, Orders, Verdict, examine
from forewarn.testing.doctor.probes import FileThere
from tests.testing.doctor.patients import PROBE

CONFIGURATION = """
[steps.drain]
use = "command"
prepare_command = 'touch "$PROBE"'
restore_command = 'rm -f "$PROBE"'

[[rules]]
steps = ["drain"]
"""


def test_the_agent_passes_everything(tmp_path: Path) -> None:
    configuration = tmp_path / "agent.toml"
    configuration.write_text(CONFIGURATION)
    agent = [sys.executable, "-m", "forewarn.agent", "run", "--config", str(configuration)]
    places = ["--state", "{directory}/state", "--endpoint", "{metadata}", "--listen", ""]
    orders = Orders(
        command=["env", f"PROBE={PROBE}", *agent, *places],
        probe=FileThere(PROBE),
        approves=True,
        first_answer=2,
        jobs=12,
    )
    report = examine(orders)
    assert {f.id: (f.verdict, f.reason, f.evidence) for f in report.findings if f.verdict is not Verdict.PASSED} == {}
    assert len(report.findings) == len(CATALOGUE)
