"""A Forewarn elsewhere, asked over its native API.

The law of this package: it is for the command line and the test kit, so it starts fast, needs no framework, and knows
no rule. What the server refuses comes back in the server's words.
"""

from forewarn.remote.client import (
    CONTROL,
    DEFAULT_SERVER,
    Client,
    Login,
    Refusal,
    Unreachable,
    in_path,
)

__all__ = ["CONTROL", "DEFAULT_SERVER", "Client", "Login", "Refusal", "Unreachable", "in_path"]
