"""What a connection is doing. Each phase has its own time, and its own way with bytes that come."""

from enum import Enum


class Phase(Enum):
    IDLE = "idle"  # between two requests; nothing is pending
    HEAD = "head"  # a part of a head has come
    BODY = "body"  # a head has come, but not all of its body
    BUSY = "busy"  # the backend works on the request; what comes meanwhile is kept
    HUNG = "hung"  # the playbook wants no answer here, ever; what comes is thrown away
    PARKED = "parked"  # the request waits for the document to change; what comes meanwhile is kept
    DEFERRED = "deferred"  # more requests have come than may be answered in one go
    LEAVING = "leaving"  # the last answer is on its way; what comes is thrown away


IDLE, HEAD, BODY, BUSY, HUNG, PARKED, DEFERRED, LEAVING = Phase
