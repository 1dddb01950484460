"""What each kind of receiver is sent."""

import json
from typing import Any

import pytest

from forewarn.agent.sending import Message
from forewarn.agent.sending.forms import body_of, data_of
from forewarn.agent.steps.notify import Mode, Notify, To
from tests.agent.sending.messages import a_message

MARKUP = "<!channel> [click](http://x) _a_ & b"


def sent(message: Message, **options: Any) -> Any:
    return json.loads(body_of(Notify(**{"url_file": "unread", **options}), message).content)


def test_a_webhook_without_a_template_gets_all_facts() -> None:
    assert sent(a_message(), to=To.WEBHOOK) == {
        "id": "id-1",
        "at": "2026-01-01T12:00:00Z",
        "text": "vm é: Reboot",
        "moment": "seen",
        "note": "",
        "event": "E1",
        "type": "Reboot",
        "status": "Scheduled",
        "resources": ["vm"],
        "not_before": "2026-01-01T12:15:00Z",
        "description": "",
        "source": "Platform",
        "duration": None,
        "me": "vm é",
    }


def test_a_webhooks_template_has_the_events_facts_and_the_moments() -> None:
    template = '{"line": "{moment} {type} {note} {id} {at} {text}"}'
    told = sent(a_message(note="why"), to=To.WEBHOOK, template=template)
    assert told == {"line": "seen Reboot why id-1 2026-01-01T12:00:00+00:00 vm é: Reboot"}


def test_slack_gets_text_that_cannot_call_the_channel() -> None:
    told = sent(a_message(text=MARKUP), to=To.SLACK)
    assert told["text"] == "&lt;!channel&gt; [click](http://x) _a_ &amp; b"
    assert told["blocks"] == [
        {"type": "section", "text": {"type": "plain_text", "text": MARKUP, "emoji": False}},
        {
            "type": "context",
            "elements": [{"type": "plain_text", "text": "Reboot · seen · event E1", "emoji": False}],
        },
    ]


def test_teams_gets_an_adaptive_card_without_markdown() -> None:
    told = sent(a_message(text=MARKUP), to=To.TEAMS)
    (attachment,) = told["attachments"]
    assert told["type"] == "message"
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert attachment["content"]["type"] == "AdaptiveCard"
    blocks = attachment["content"]["body"]
    assert [block["type"] for block in blocks] == ["RichTextBlock", "RichTextBlock"]
    assert [block["inlines"][0]["text"] for block in blocks] == [MARKUP, "Reboot · seen · event E1"]


ATTRIBUTES = {
    "specversion": "1.0",
    "id": "id-1",
    "source": "/forewarn/agent/vm%20%C3%A9",
    "type": "forewarn.agent.seen",
    "subject": "E1",
    "time": "2026-01-01T12:00:00Z",
}


def test_a_structured_cloud_event_is_one_document() -> None:
    body = body_of(Notify(to=To.CLOUDEVENTS, url="http://x"), a_message())
    assert body.content_type == "application/cloudevents+json; charset=utf-8"
    assert body.headers == {}
    assert json.loads(body.content) == {
        **ATTRIBUTES,
        "datacontenttype": "application/json",
        "data": data_of(a_message()),
    }


def test_a_binary_cloud_event_has_its_attributes_in_headers() -> None:
    body = body_of(Notify(to=To.CLOUDEVENTS, url="http://x", mode=Mode.BINARY), a_message())
    escaped = {**ATTRIBUTES, "source": "/forewarn/agent/vm%2520%25C3%25A9"}  # the binding encodes the % once more
    assert body.headers == {f"ce-{name}": value for name, value in escaped.items()}
    assert body.content_type == "application/json"
    assert json.loads(body.content) == data_of(a_message())


@pytest.mark.parametrize("subject", ["a\r\nX-Evil: 1", 'é "q" %'])
def test_no_fact_can_add_a_header(subject: str) -> None:
    body = body_of(Notify(to=To.CLOUDEVENTS, url="http://x", mode=Mode.BINARY), a_message(event=subject))
    value = body.headers["ce-subject"]
    assert value.isascii()
    assert value.isprintable()
    assert " " not in value
