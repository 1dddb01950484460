"""Shell commands that ask at 169.254.169.254:80, run in a private network where Forewarn is what answers there."""

import json
from dataclasses import dataclass

from tests.private_network import run_apart

PRINTED_ID = "f020ba2e-3bc0-4c40-a10b-86575a9eabd5"
VM = "vm1"  # the old versions call it _vm1
ROLE_INSTANCE = "FrontEnd_IN_0"  # of a cloud service: every version calls it so
NETWORK = "ip address add 169.254.169.254/32 dev lo"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    code: int
    said: str
    complaint: str
    heard: str  # by the server, byte for byte


def ask(machine: str, *commands: str) -> list[Asked]:
    """How the commands go, one after another, on a machine for which a Reboot is scheduled."""
    told = run_apart(NETWORK, "tests.clients.real_address", machine, *commands)
    return [Asked(**one) for one in json.loads(told)]


def status(document: str) -> str:
    (event,) = json.loads(document)["Events"]
    return str(event["EventStatus"])
