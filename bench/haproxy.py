"""A machine behind a load balancer is rebooted under load: how many requests fail, with the agent and without it?"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.agent.rebooting import Rebooted, reboot_under_load

from bench.measuring import Row, median

RETRYING = "retries 3\n    option redispatch"


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    with_agent, without, retrying = [], [], []
    for number in range(rounds):
        with_agent.append(_measured(with_agent=True))
        without.append(_measured(with_agent=False))
        retrying.append(_measured(with_agent=False, haproxy_options=RETRYING))
        failed = [runs[-1].load.failed.total() for runs in (with_agent, without, retrying)]
        tell(f"haproxy: round {number + 1} of {rounds}, failed with the agent {failed[0]}, without {failed[1:]}")
    took = median([run.took for run in with_agent])
    return [
        Row(
            what="requests that fail when a machine behind HAProxy is rebooted under load, with the agent",
            measured=f"{_failed(with_agent)} ({took:.1f} s until it serves again)",
            wanted="0",
            holds=not any(run.load.failed for run in with_agent),
        ),
        Row(what="the same without an agent", measured=_failed(without), wanted="(to know)", holds=True),
        Row(
            what="the same without an agent, HAProxy with `retries 3` and `option redispatch`",
            measured=_failed(retrying),
            wanted="(to know)",
            holds=True,
        ),
    ]


def _measured(*, with_agent: bool, haproxy_options: str = "") -> Rebooted:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", folder)  # a Forewarn that runs here otherwise keeps its notes to itself
        return reboot_under_load(Path(folder), with_agent=with_agent, haproxy_options=haproxy_options)


def _failed(runs: list[Rebooted]) -> str:
    return f"{sum(run.load.failed.total() for run in runs):,} of {sum(run.load.sent for run in runs):,}"
