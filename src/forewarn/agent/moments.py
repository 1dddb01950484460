"""The moments of an event that are worth telling."""

from enum import Enum


class Moment(Enum):
    SEEN = "seen"  # the event is announced
    READY = "ready"  # this machine is prepared for it
    STARTED = "started"  # the platform has begun
    OVER = "over"  # it is over or called off, and this machine is restored
    FAILED = "failed"  # a step could not prepare or restore: a person should look
