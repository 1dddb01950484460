"""A client after the Python samples of Azure's pages: three print the same one, the oldest page another.

The newer one looks for the host's own name among the names, where version 2017-03-01 puts a `_` before a VM's: it hears
of a role instance's events only. The oldest one looks within the first name, and so hears of a VM's too.
"""

import shlex
import sys
from pathlib import Path

import pytest

from tests.clients.asking import ROLE_INSTANCE, VM, ask

POLLER = Path(__file__).with_name("poller.py")
NEW = ("http://169.254.169.254/metadata/scheduledevents?api-version=2017-03-01", "equal")
OLD = ("http://169.254.169.254/metadata/latest/scheduledevents", "within")
HEARD = "Reboot Scheduled Tue,_01_Jan_2030_12:15:00_GMT\n"


@pytest.mark.parametrize(
    ("sample", "machine", "heard"),
    [
        pytest.param(NEW, ROLE_INSTANCE, HEARD, id="equal-names-on-a-role-instance"),
        pytest.param(NEW, VM, "", id="equal-names-on-a-vm-called-otherwise"),
        pytest.param(OLD, ROLE_INSTANCE, HEARD, id="within-the-name-on-a-role-instance"),
        pytest.param(OLD, VM, HEARD, id="within-the-name-on-a-vm"),
    ],
)
def test_a_python_client_hears_of_its_own_host(sample: tuple[str, str], machine: str, heard: str) -> None:
    (asked,) = ask(machine, shlex.join([sys.executable, str(POLLER), *sample]))
    assert (asked.code, asked.said) == (0, heard), asked.complaint
