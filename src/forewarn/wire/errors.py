"""The one way this package says no to bytes it was given."""


class Malformed(ValueError):
    """The bytes are not what the contract asks for. The text says what is wrong and is safe to show to the sender."""
