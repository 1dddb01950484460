"""Run inside a private network: a guest with a card of its own asks for option 245, and a responder offers it.

The responder is loud: before the true offer it sends packets that are not for the guest, or no offer at all.
"""

import json
import subprocess
import sys
import threading

from tests.client.responder import ENDPOINT, OFFER, reply, serve

GUEST = """
from forewarn.client.dhcp import ask_on_the_wire, interfaces
cards = interfaces()
print([card.name for card in cards], ask_on_the_wire(cards, 0x12345678))
"""
ELSEWHERE = (245, bytes([192, 0, 2, 1]))


def answers(asked: bytes) -> list[bytes]:
    return [
        b"",
        reply(asked, [OFFER, ELSEWHERE], xid=b"\0\0\0\1"),
        reply(asked, [OFFER, ELSEWHERE], op=1),
        reply(asked, [(53, b"\x05"), ELSEWHERE]),
        reply(asked, [OFFER]),
        reply(asked, [OFFER, (3, bytes([10, 0, 0, 1])), ENDPOINT]),
    ]


if __name__ == "__main__":
    heard: list[bytes] = []
    ready = threading.Event()
    server = threading.Thread(target=lambda: heard.append(serve("host0", answers, ready.set)))
    server.start()
    ready.wait(20)
    guest = ["ip", "netns", "exec", "guest", sys.executable, "-c", GUEST]
    said = subprocess.run(guest, check=True, capture_output=True, text=True, timeout=30).stdout
    server.join(20)
    print(json.dumps({"guest": said.strip(), "heard": heard[0].hex()}))
