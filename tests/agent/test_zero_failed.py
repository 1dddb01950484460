"""The reason for the agent: a machine is rebooted under load, and nobody notices."""

from pathlib import Path

from tests.agent.balancing import needs_haproxy
from tests.agent.rebooting import reboot_under_load

pytestmark = needs_haproxy


def test_with_the_agent_a_reboot_under_load_fails_no_request(tmp_path: Path) -> None:
    rebooted = reboot_under_load(tmp_path, with_agent=True)
    assert rebooted.load.failed == {}, rebooted.log
    assert rebooted.load.answered["web-1"] > rebooted.load.answered["web-0"] > 0


def test_without_it_requests_fail(tmp_path: Path) -> None:
    """So the test above would see it: the load balancer does not hide a machine that dies."""
    assert reboot_under_load(tmp_path, with_agent=False).load.failed.total() > 0
