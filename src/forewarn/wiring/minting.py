"""The wall clock, ids and secrets: for everybody else they are arguments."""

import secrets
import time
from datetime import UTC, datetime

VERSION_BITS = 0xF << 76 | 0b11 << 62
VERSION_8 = 0x8 << 76 | 0b10 << 62


def wall() -> datetime:
    return datetime.now(UTC)


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def new_id() -> str:
    """A GUID (RFC 9562, version 8) whose first eight digits are the time in microseconds, which go round in 72 minutes.

    So what is made together is stored together, and yet a person can tell two events by the beginning of their ids.
    """
    moment = time.time_ns() // 1000 & 0xFFFFFFFF
    digits = f"{(moment << 96 | secrets.randbits(96)) & ~VERSION_BITS | VERSION_8:032X}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
