"""Every way Forewarn says no, sorted by what the caller can do about it.

ForewarnError
├── Refused          do not repeat it unchanged
│   ├── Invalid      the request itself makes no sense
│   ├── Forbidden    whoever asks has no right to it
│   ├── NotFound     it names something that is not there
│   ├── Conflict     the state of things does not allow it
│   └── TooMany      a limit is reached; it may pass once other work has ended
└── Unavailable      nothing was changed; try again later
"""


class ForewarnError(Exception):
    """The root. Its text is written for the person who reads it: what happened, why, what to do.

    A text with a key names its facts in braces. Who speaks another language finds words of their own by the key, and
    fills in the same facts.
    """

    def __init__(self, text: str = "", /, *, key: str = "", **facts: object) -> None:
        super().__init__(text.format(**facts) if key else text)
        self.key = key
        self.facts = facts


class Refused(ForewarnError):
    """Do not repeat the request unchanged."""


class Invalid(Refused):
    """The request itself makes no sense."""


class Forbidden(Refused):
    """Whoever asks has no right to it."""


class NotFound(Refused):
    """The request names something that is not there."""


class Conflict(Refused):
    """The state of things does not allow it."""


class TooMany(Refused):
    """A limit is reached."""


class Unavailable(ForewarnError):
    """Nothing was changed; try again later."""
