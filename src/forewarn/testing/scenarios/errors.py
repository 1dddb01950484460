"""Why a scenario is not played, or not to its end. Whether its expectations held is no error, but its verdict."""

from forewarn.domain.errors import Invalid


class ScenarioError(Invalid):
    """It is wrong, and nothing was played. The text begins with `FILE:LINE:`, or with its name if it is no file."""


class CannotPlay(Exception):
    """The server refuses what the scenario wants, or a client cannot be started. The text says what and where."""
