"""The curl commands that Azure's pages print, run letter for letter at the address they name.

They have no typing errors, so nothing is corrected. Three of the five pages print the same GET and the same POST, the
oldest one only a GET with the old path, the one on terminate notifications none.
"""

import os
import shutil

import pytest

from tests.clients.asking import VM, ask, status

QUERY = "curl -H Metadata:true http://169.254.169.254/metadata/scheduledevents?api-version=2017-03-01"
OLD_QUERY = "curl -H Metadata:true http://169.254.169.254/metadata/latest/scheduledevents"
APPROVE = """curl -H Metadata:true -X POST -d '{"DocumentIncarnation":"5", "StartRequests": [{"EventId": "f020ba2e-3bc0-4c40-a10b-86575a9eabd5"}]}' http://169.254.169.254/metadata/scheduledevents?api-version=2017-03-01"""  # noqa: E501  as printed


@pytest.mark.skipif(shutil.which("curl") is None and not os.environ.get("CI"), reason="curl is not installed")
@pytest.mark.parametrize("query", [pytest.param(QUERY, id="by-version"), pytest.param(OLD_QUERY, id="latest")])
def test_the_printed_commands_show_an_event_and_start_it(query: str) -> None:
    before, approved, after = ask(VM, query, APPROVE, query)
    assert approved.said == "", "an approval is answered with an empty body, a refusal with JSON"
    assert [status(document.said) for document in (before, after)] == ["Scheduled", "Started"]
