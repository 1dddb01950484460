"""A message for the tests of what is sent."""

from forewarn.agent.sending import Message
from forewarn.agent.templates import facts_of
from tests.agent.building import NOON, an_event


def a_message(text: str = "vm é: Reboot", **facts: str) -> Message:
    known = {**facts_of(an_event(), "vm é"), "moment": "seen", "note": "", **facts}
    return Message(id="id-1", text=text, at=NOON, facts=known)
