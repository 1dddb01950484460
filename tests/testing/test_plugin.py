"""The fixture `forewarn`, as a test's author meets it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from forewarn.testing import Forewarn
from tests.testing.clients import ONLY_OURS, poller

pytest_plugins = "pytester"


@pytest.fixture
def start_my_worker() -> Iterator[Callable[[str], None]]:
    with ExitStack() as running:

        def start(metadata: str) -> None:
            running.enter_context(poller(metadata, "approve"))

        yield start


def test_worker_drains(forewarn: Forewarn, start_my_worker: Callable[[str], None]) -> None:
    vm = forewarn.scale_set("workers", instances=3).instance(0)
    start_my_worker(vm.metadata_url)
    event = vm.delete(notice="10m")
    forewarn.until(lambda: event.approved, within="9m")
    assert event.approved_by == {vm}
    forewarn.advance("10m")
    assert event.gone


FAILING = """
import pytest

def test_it_is_approved(forewarn):
    event = forewarn.vm("solo").schedule("Reboot")
    forewarn.advance("3m")
    assert event.approved

def test_in_time(forewarn):
    event = forewarn.vm("solo").schedule("Freeze")
    forewarn.until(lambda: event.approved, within="9m")

def test_nothing_to_do_with_it():
    assert False

def test_that_passes(forewarn):
    forewarn.vm()
"""


def test_a_test_that_fails_tells_what_happened(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILING)
    pytester.makeini("[pytest]\nforewarn_patience = 0.2")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=3)
    told = [
        "*test_it_is_approved*",
        "E * where * Reboot of solo (Scheduled), event *",
        "*- Forewarn: what happened -*",
        "Reboot of solo (Scheduled), event *",
        "*+0s  scheduled by user:local (Reboot of solo)",
        "*+0s  nobody has polled since",
        "*+3m  now",
        "*+15m  NotBefore: it starts by itself",
        "*test_in_time*",
        "E *Late: It did not happen within 9m.",
        "E *Freeze of solo (Scheduled), event *",
        "*- Forewarn: what happened -*",
        "*test_nothing_to_do_with_it*",
    ]
    result.stdout.fnmatch_lines(told)
    assert str(result.stdout).count("Forewarn: what happened") == 2


def test_patience_is_a_setting(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(forewarn): assert forewarn.patience == 0.5")
    pytester.makeini("[pytest]\nforewarn_patience = 0.5")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


CROWD = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_each_has_its_own(forewarn, number):
    vm = forewarn.vm()
    assert vm.poll()["Events"] == []
    event = vm.schedule("Reboot")
    assert len(forewarn.events(all=True)) == 1
    forewarn.advance("15m")
    assert event.started
"""


def test_tests_in_parallel_do_not_meet(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(CROWD)
    for name, value in ONLY_OURS.items():
        monkeypatch.setenv(name, value)
    result = pytester.runpytest_subprocess("-p", "xdist.plugin", "-n", "2")
    result.assert_outcomes(passed=6)


def test_whoever_does_not_use_it_does_not_pay_for_it() -> None:
    look = "import sys, forewarn.testing.plugin; print('forewarn.testing.kit' in sys.modules, 'uvloop' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
