"""What a connection is doing. Each phase has its own time, and its own way with bytes that come."""

from enum import Enum


class Phase(Enum):
    IDLE = "idle"  # between two requests; nothing is pending
    HEAD = "head"  # a part of a head has come
    BODY = "body"  # a head has come, but not all of its body
    BUSY = "busy"  # the backend works on the request; what comes meanwhile is kept
    PARKED = "parked"  # the request waits for the document to change; likewise
    DEFERRED = "deferred"  # more requests have come than may be answered in one go
    LEAVING = "leaving"  # the last answer is on its way; what comes is thrown away


IDLE, HEAD, BODY, BUSY, PARKED, DEFERRED, LEAVING = Phase
