"""What each kind of HTTP receiver is sent. What others wrote goes only where it is read as plain text."""

import json
from dataclasses import dataclass, field
from urllib.parse import quote

from forewarn.agent.bodies import JSON, filled
from forewarn.agent.sending import Message
from forewarn.agent.steps.notify import Mode, Notify, To, content_type

VISIBLE = "".join(map(chr, range(0x21, 0x7F))).replace('"', "").replace("%", "")
"""What a CloudEvents attribute may show in a header; all else is percent-encoded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Body:
    content: bytes
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def body_of(step: Notify, message: Message) -> Body:
    match step.to:
        case To.SLACK:
            return _json(slack(message))
        case To.TEAMS:
            return _json(teams(message))
        case To.CLOUDEVENTS:
            return cloud_event(message, step.mode)
        case To.WEBHOOK:
            return _webhook(step, message)
        case To.EMAIL:
            raise ValueError("mail is not sent over HTTP")


def data_of(message: Message) -> dict[str, object]:
    """All that is known, under the names that templates use."""
    facts = dict(message.facts)
    return {
        "id": message.id,
        "at": message.at.isoformat().replace("+00:00", "Z"),
        "text": message.text,
        **facts,
        "resources": [name for name in facts["resources"].split(",") if name],
        "duration": int(facts["duration"]) if facts["duration"] else None,
        "not_before": facts["not_before"] or None,
    }


def slack(message: Message) -> dict[str, object]:
    words = message.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {
        "text": words,
        "blocks": [
            {"type": "section", "text": {"type": "plain_text", "text": message.text, "emoji": False}},
            {"type": "context", "elements": [{"type": "plain_text", "text": _details(message), "emoji": False}]},
        ],
    }


def teams(message: Message) -> dict[str, object]:
    """A RichTextBlock, since a TextBlock takes `_` and `[` for Markdown."""
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": message.text}]},
            {
                "type": "RichTextBlock",
                "inlines": [{"type": "TextRun", "text": _details(message), "size": "small", "isSubtle": True}],
            },
        ],
    }
    content_type = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": content_type, "contentUrl": None, "content": card}]}


def cloud_event(message: Message, mode: Mode) -> Body:
    attributes = {
        "specversion": "1.0",
        "id": message.id,
        "source": f"/forewarn/agent/{quote(message.facts['me'], safe='')}",
        "type": f"forewarn.agent.{message.facts['moment']}",
        "subject": message.facts["event"],
        "time": message.at.isoformat().replace("+00:00", "Z"),
    }
    if mode is Mode.STRUCTURED:
        whole = {**attributes, "datacontenttype": JSON, "data": data_of(message)}
        return Body(content=json.dumps(whole).encode(), content_type="application/cloudevents+json; charset=utf-8")
    headers = {f"ce-{name}": quote(value, safe=VISIBLE) for name, value in attributes.items()}
    return Body(content=json.dumps(data_of(message)).encode(), headers=headers)


def _webhook(step: Notify, message: Message) -> Body:
    kind = content_type(step.headers)
    if not step.template:
        return _json(data_of(message))
    facts = {**message.facts, "text": message.text, "id": message.id, "at": message.at.isoformat()}
    return Body(content=filled(step.template, kind, facts), content_type=kind)


def _details(message: Message) -> str:
    return f"{message.facts['type']} · {message.facts['moment']} · event {message.facts['event']}"


def _json(value: object) -> Body:
    return Body(content=json.dumps(value).encode())
