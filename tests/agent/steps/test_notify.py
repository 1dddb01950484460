"""The options of a notify step."""

from pathlib import Path
from typing import Any

import pytest

from forewarn.agent.errors import BadConfig
from forewarn.agent.moments import Moment
from forewarn.agent.options import read_options
from forewarn.agent.steps.notify import Notify

MAIL = {"to": "email", "smtp": "mail:587", "sender": "a@b", "recipients": ["c@d"]}
HOOK = {"to": "webhook", "url": "https://h/x"}


def read(**options: Any) -> Notify:
    return read_options(Notify, options, "steps.ops")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"to": "webhook"}, "either 'url' or 'url_file'", id="no-address"),
        pytest.param({**HOOK, "url_file": "/f"}, "either 'url' or 'url_file'", id="two-addresses"),
        pytest.param({"to": "slack", "url": "https://h/s3cret"}, "is a secret", id="slack-in-the-open"),
        pytest.param({"to": "teams", "url": "https://h/s3cret"}, "is a secret", id="teams-in-the-open"),
        pytest.param({"to": "webhook", "url": "https://u:s3cret@h/"}, "holds a user name", id="password-in-url"),
        pytest.param({"to": "webhook", "url": "h/s3cret"}, "holds no http", id="no-url"),
        pytest.param({**HOOK, "headers": {"authorization": "s3cret"}}, "'headers_file'", id="secret-header"),
        pytest.param({**HOOK, "headers": {"Host": "x"}}, "set by the agent", id="our-header"),
        pytest.param({**HOOK, "headers": {"X": "s3cret\r\nY: 1"}}, "no header", id="header-with-a-line-break"),
        pytest.param({**HOOK, "headers": {"content-type": "text/plain"}}, "needs a 'template'", id="idle-content-type"),
        pytest.param({**HOOK, "template": "{"}, "no JSON", id="broken-template"),
        pytest.param({**HOOK, "smtp": "mail:25"}, "'smtp' is for email", id="option-of-another-form"),
        pytest.param({**HOOK, "mode": "binary"}, "'mode' is for cloudevents", id="mode-of-another-form"),
        pytest.param(
            {**MAIL, "url": "http://h"}, "'url' is for cloudevents, slack, teams, webhook", id="mail-with-url"
        ),
        pytest.param({**MAIL, "smtp": "mail"}, "host:port", id="no-port"),
        pytest.param({**MAIL, "recipients": []}, "'recipients' are wanted", id="nobody"),
        pytest.param({**MAIL, "recipients": ["a@b\nBcc: c@d"]}, "no mail address", id="two-in-one"),
        pytest.param({**MAIL, "sender": ""}, "no mail address", id="no-sender"),
        pytest.param({**MAIL, "user": "u"}, "go together", id="no-password"),
        pytest.param(
            {**MAIL, "user": "u", "password_file": "/f", "starttls": False}, "in the clear", id="password-in-the-clear"
        ),
        pytest.param({**HOOK, "at": []}, "'at' is empty", id="never"),
        pytest.param({**HOOK, "at": ["later"]}, "none of seen, ready, started, over, failed", id="unknown-moment"),
        pytest.param({**HOOK, "timeout": "5m"}, "from 100ms to 1m", id="too-patient"),
    ],
)
def test_what_is_wrong_is_said_without_the_secret(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadConfig, match=words) as raised:
        read(**options)
    assert "s3cret" not in str(raised.value)


def test_without_a_word_about_when_all_moments_are_told() -> None:
    assert read(**HOOK).at == tuple(Moment)


def test_who_asks_is_told_the_host_and_no_secret(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("https://hooks.example.org/s3cret\n")
    slack = read(to="slack", url_file=str(tmp_path / "url"), at=["seen", "failed"])
    assert slack.told() == ("tell hooks.example.org (slack) at seen, failed", "")
    unread = read(to="slack", url_file="/nowhere", at=["seen"])
    assert unread.told() == ("tell the address in /nowhere (slack) at seen", "")
    assert read(**MAIL, at=["over"]).told() == ("tell c@d by mail:587 (email) at over", "")
