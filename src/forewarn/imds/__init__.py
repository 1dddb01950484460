"""The metadata service, as seen from inside a machine: who asks → which scope → which bytes.

The law of this package: a read touches nothing but memory. What is served was rendered once per change; what changes
something goes through the `Backend`, and is answered only when that has returned. Bytes are read strictly (`http`,
`target`), the caller is known by what the kernel says of the connection (`identity`), and everything is bounded
(`limits`).
"""

from forewarn.imds.fleet import Fleet
from forewarn.imds.identity import ByLocalAddress, BySourceAddress, Everyone
from forewarn.imds.limits import Limits
from forewarn.imds.playbook import Playbook
from forewarn.imds.ports import Backend, Clock, Identities
from forewarn.imds.server import Server
from forewarn.imds.service import Rules
from forewarn.imds.trial import TrialServer

__all__ = [
    "Backend",
    "ByLocalAddress",
    "BySourceAddress",
    "Clock",
    "Everyone",
    "Fleet",
    "Identities",
    "Limits",
    "Playbook",
    "Rules",
    "Server",
    "TrialServer",
]
