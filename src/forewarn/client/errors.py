"""What can go wrong, sorted by what the caller can do about it.

ClientError
├── Refused         the server does not take this request: do not repeat it unchanged
├── Unreadable      the server answered something that is no such document, however often it was asked
└── Unreachable     no answer worth having, after every retry: try later
    ├── NoEndpoint  no way was found to reach a metadata service at all
    └── Interrupted somebody called `interrupt()`: the question was given up
"""


class ClientError(Exception):
    """Every error of this package; the message says what happened, why, and what to do."""


class Refused(ClientError):
    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class Unreadable(ClientError):
    pass


class Unreachable(ClientError):
    def __init__(self, message: str, *, status: int | None = None) -> None:
        """`status`: of the last answer; None if there was none."""
        super().__init__(message)
        self.status = status


class NoEndpoint(Unreachable):
    pass


class Interrupted(Unreachable):
    pass
